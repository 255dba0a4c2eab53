package faultio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	iceio "github.com/apache/iceberg-go/io"
)

// files is a file system under faults. It offers the optional interfaces of
// iceberg-go's file systems and falls back where inner lacks one.
type files struct {
	faults *Faults
	inner  iceio.IO
}

func (w *files) Open(name string) (iceio.File, error) {
	if err := w.faults.step(Open, name); err != nil {
		return nil, err
	}
	f, err := w.inner.Open(name)
	if err != nil {
		return nil, err
	}
	return &file{File: f, faults: w.faults, name: name}, nil
}

func (w *files) ReadFile(name string) ([]byte, error) {
	f, err := w.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func (w *files) Stat(name string) (fs.FileInfo, error) {
	if err := w.faults.step(Stat, name); err != nil {
		return nil, err
	}
	if inner, ok := w.inner.(iceio.StatIO); ok {
		return inner.Stat(name)
	}
	f, err := w.inner.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

func (w *files) Create(name string) (iceio.FileWriter, error) {
	if err := w.faults.step(Create, name); err != nil {
		return nil, err
	}
	inner, ok := w.inner.(iceio.WriteFileIO)
	if !ok {
		return nil, fmt.Errorf("create %q: the file system is for reading only", name)
	}
	return &writer{faults: w.faults, inner: inner, name: name}, nil
}

func (w *files) WriteFile(name string, content []byte) error {
	f, err := w.Create(name)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Close()
}

func (w *files) Remove(name string) error {
	if err := w.faults.step(Remove, name); err != nil {
		return err
	}
	if err := w.inner.Remove(name); err != nil {
		return err
	}
	return w.faults.step(Removed, name)
}

// DeleteFiles removes one file after the other, each a step of its own: a
// store may stop in the middle of a batch.
func (w *files) DeleteFiles(ctx context.Context, paths []string) ([]string, error) {
	var deleted []string
	var errs []error
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return deleted, errors.Join(append(errs, err)...)
		}
		if err := w.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
			continue
		}
		deleted = append(deleted, path)
	}
	return deleted, errors.Join(errs...)
}

func (w *files) WalkDir(root string, fn fs.WalkDirFunc) error {
	if err := w.faults.step(List, root); err != nil {
		return err
	}
	inner, ok := w.inner.(iceio.ListableIO)
	if !ok {
		return fmt.Errorf("list %q: the file system cannot list", root)
	}
	return inner.WalkDir(root, fn)
}

// file is a file under faults: every read is a step.
type file struct {
	iceio.File
	faults *Faults
	name   string
}

func (f *file) Read(p []byte) (int, error) {
	if err := f.faults.step(Read, f.name); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.faults.step(Read, f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, offset)
}

// writer writes a file under faults. It keeps the content until Close, because
// that is what an object store looks like from outside: a file that is not
// closed does not exist.
type writer struct {
	faults *Faults
	inner  iceio.WriteFileIO
	name   string
	buffer bytes.Buffer
	closed bool
	failed error
}

func (w *writer) Write(p []byte) (int, error) {
	if err := w.faults.step(Write, w.name); err != nil {
		w.failed = err
		return 0, err
	}
	return w.buffer.Write(p)
}

func (w *writer) ReadFrom(r io.Reader) (int64, error) {
	if err := w.faults.step(Write, w.name); err != nil {
		w.failed = err
		return 0, err
	}
	return w.buffer.ReadFrom(r)
}

// Close makes the file unless a write has failed. Closing again does nothing.
func (w *writer) Close() error {
	if w.closed {
		return w.failed
	}
	w.closed = true
	if w.failed != nil {
		return w.failed
	}
	if w.failed = w.faults.step(Close, w.name); w.failed != nil {
		return w.failed
	}
	if w.failed = w.inner.WriteFile(w.name, w.buffer.Bytes()); w.failed != nil {
		return w.failed
	}
	w.failed = w.faults.step(Closed, w.name)
	return w.failed
}
