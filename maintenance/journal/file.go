package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// The names of journal files, and of those that are not ready yet.
const (
	suffix   = ".journal"
	newborns = ".new"
)

// device is what a journal file is written to.
type device interface {
	io.WriteCloser
	Sync() error
}

// file is a journal file of this process, locked.
type file struct {
	path string
	to   device
	size int64
	// torn says that the last line may not be whole.
	torn bool
}

// createFile makes a file in a folder, which is made if need be. It gets its
// name when it is locked: one without lock is taken for that of a dead process.
func createFile(dir string) (*file, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, uuid.NewString()+suffix)
	f, err := os.OpenFile(path+newborns, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	made := &file{path: path + newborns, to: f, size: int64(len(header))}
	err = lock(f)
	if err == nil {
		_, err = io.WriteString(f, header)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(made.path, path)
	}
	if err != nil {
		made.remove()
		return nil, fmt.Errorf("make journal file: %w", err)
	}
	made.path = path
	return made, syncDir(dir)
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// append writes entries at the end.
func (f *file) append(durable bool, entries ...Entry) error {
	var lines []byte
	if f.torn {
		lines = append(lines, '\n')
	}
	for i := range entries {
		line, err := encode(&entries[i])
		if err != nil {
			return err
		}
		lines = append(lines, line...)
	}
	n, err := f.to.Write(lines)
	f.size += int64(n)
	f.torn = err != nil && (f.torn || n > 0)
	if err == nil && durable {
		err = f.to.Sync()
	}
	return err
}

func (f *file) close() error { return f.to.Close() }

// remove closes and deletes the file.
func (f *file) remove() error {
	err := os.Remove(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, f.to.Close())
}
