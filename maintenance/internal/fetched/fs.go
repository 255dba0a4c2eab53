package fetched

import (
	"errors"
	"slices"
	"sync"

	iceio "github.com/apache/iceberg-go/io"

	"github.com/firndb/firn/maintenance/internal/filebuf"
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// FS is a file system of which some files are fetched once: small ones whole when
// they are first read, of others what is read as long as the file system keeps
// what it reads. It is safe for use by several goroutines.
type FS struct {
	iceio.IO
	log   *scratch.Log
	whole int64

	mu    sync.Mutex
	files map[string]*entry
	done  bool
}

// New wraps a file system. Files of up to whole bytes are fetched whole. It must
// be closed.
func New(inner iceio.IO, space *scratch.Space, whole int64) *FS {
	return &FS{IO: inner, log: space.NewLog(), whole: whole, files: map[string]*entry{}}
}

// Add says that a file of that size will be read several times.
func (f *FS) Add(path string, size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[path] = &entry{fs: f, path: path, size: size}
}

// Done says that parts of larger files that are read from now on are not read
// again.
func (f *FS) Done() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = true
}

func (f *FS) keeps() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.done
}

// Close frees the scratch space.
func (f *FS) Close() error { return f.log.Close() }

// Open implements iceio.IO. Nothing is asked of the store before it is needed.
func (f *FS) Open(path string) (iceio.File, error) {
	f.mu.Lock()
	e := f.files[path]
	f.mu.Unlock()
	if e == nil {
		return f.IO.Open(path)
	}
	if err := e.fetch(); err != nil {
		return nil, err
	}
	return &file{e: e}, nil
}

// entry is a file and what is kept of it.
type entry struct {
	fs   *FS
	path string
	size int64

	mu sync.Mutex
	// parts are what is kept, by their beginnings.
	parts []part
	// strange says that the file is not as long as it should be.
	strange bool
}

// part is bytes of a file from an offset, and where they are kept.
type part struct {
	from int64
	scratch.Place
}

// fetch fetches a small file, if that has not been done.
func (e *entry) fetch() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.size <= 0 || e.size > e.fs.whole || e.strange || len(e.parts) > 0 {
		return nil
	}
	inner, err := e.fs.IO.Open(e.path)
	if err != nil {
		return err
	}
	b := make([]byte, e.size)
	err = errors.Join(filebuf.ReadAll(inner, b), inner.Close())
	if errors.Is(err, filebuf.ErrLength) {
		e.strange = true
		return nil
	}
	if err != nil {
		return err
	}
	return e.keep(b, 0)
}

// keep puts bytes by. The caller holds the lock.
func (e *entry) keep(b []byte, from int64) error {
	at, err := e.fs.log.Append(b)
	if err != nil {
		return err
	}
	i, _ := slices.BinarySearchFunc(e.parts, from, func(p part, from int64) int { return int(min(1, max(-1, p.from-from))) })
	e.parts = slices.Insert(e.parts, i, part{from, at})
	return nil
}

// read fills b from what is kept. It reports false if something is missing.
func (e *entry) read(b []byte, from int64) (bool, error) {
	e.mu.Lock()
	parts := slices.Clone(e.parts)
	e.mu.Unlock()
	end := from + int64(len(b))
	// Parts that begin later may end earlier.
	for _, p := range parts {
		if p.from > from {
			break
		}
		n := min(p.from+p.Size, end) - from
		if n <= 0 {
			continue
		}
		if err := e.fs.log.ReadInto(b[:n], p.At+from-p.from); err != nil {
			return false, err
		}
		b, from = b[n:], from+n
	}
	return len(b) == 0, nil
}
