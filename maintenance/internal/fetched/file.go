package fetched

import (
	"errors"
	"io"
	"io/fs"

	iceio "github.com/apache/iceberg-go/io"
)

// file is an open file. The store's own is opened when it is needed.
type file struct {
	e     *entry
	inner iceio.File
	at    int64
}

func (f *file) open() (iceio.File, error) {
	if f.inner == nil {
		inner, err := f.e.fs.IO.Open(f.e.path)
		if err != nil {
			return nil, err
		}
		f.inner = inner
	}
	return f.inner, nil
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(b []byte, at int64) (int, error) {
	n := len(b)
	if !f.e.strange {
		b = b[:max(0, min(int64(n), f.e.size-at))]
		if ok, err := f.e.read(b, at); ok || err != nil {
			if err == nil && len(b) < n {
				err = io.EOF
			}
			return len(b), err
		}
	}
	inner, err := f.open()
	if err != nil {
		return 0, err
	}
	n, err = inner.ReadAt(b, at)
	if err == nil && !f.e.strange && f.e.fs.keeps() {
		f.e.mu.Lock()
		defer f.e.mu.Unlock()
		err = f.e.keep(b[:n], at)
	}
	return n, err
}

// Read implements io.Reader.
func (f *file) Read(b []byte) (int, error) {
	n, err := f.ReadAt(b, f.at)
	f.at += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Seek implements io.Seeker.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		f.at = 0
	case io.SeekEnd:
		f.at = f.e.size
		if f.e.strange {
			inner, err := f.open()
			if err != nil {
				return 0, err
			}
			if f.at, err = inner.Seek(0, io.SeekEnd); err != nil {
				return 0, err
			}
		}
	}
	f.at += offset
	return f.at, nil
}

// Stat implements fs.File.
func (f *file) Stat() (fs.FileInfo, error) {
	inner, err := f.open()
	if err != nil {
		return nil, err
	}
	return inner.Stat()
}

// Close implements io.Closer.
func (f *file) Close() error {
	if f.inner == nil {
		return nil
	}
	return f.inner.Close()
}
