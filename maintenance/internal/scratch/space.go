package scratch

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/firndb/firn/maintenance"
)

// File is a scratch file.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Space is where scratch files are. It is safe for use by several goroutines.
type Space struct {
	// Create makes an empty file that is gone when it is closed.
	Create func() (File, error)
	// Most is how many bytes all files together may have; 0 is no bound.
	Most int64

	mu   sync.Mutex
	used int64
}

// pattern names scratch files for as long as they have names.
const pattern = "firn-sort-*.tmp"

// leftoverAge is how old a file must be to be that of a dead process: one that
// lives has no name, or on systems where open files must have one is written to.
const leftoverAge = 24 * time.Hour

// Folder is scratch space in a folder. With the first file it is made if need be,
// and files that older processes left there are removed.
func Folder(dir string, most int64, now time.Time) *Space {
	prepare := sync.OnceValue(func() error { return prepare(dir, now) })
	return &Space{Most: most, Create: func() (File, error) {
		if err := prepare(); err != nil {
			return nil, err
		}
		return create(dir)
	}}
}

func prepare(dir string, now time.Time) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return err
	}
	for _, path := range left {
		// One that cannot be looked at or removed now is tried again by the next.
		if stat, err := os.Stat(path); err == nil && now.Sub(stat.ModTime()) > leftoverAge {
			os.Remove(path)
		}
	}
	return nil
}

func create(dir string) (File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	if os.Remove(f.Name()) == nil {
		return f, nil
	}
	return named{f}, nil
}

// named is a file that could not be removed while open.
type named struct{ *os.File }

func (f named) Close() error {
	err := f.File.Close()
	if removed := os.Remove(f.Name()); err == nil {
		err = removed
	}
	return err
}

// Used is how many bytes all files have.
func (s *Space) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// take counts bytes that are about to be written. The error wraps
// maintenance.ErrRefused if there is no room for them.
func (s *Space) take(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Most > 0 && s.used+n > s.Most {
		return fmt.Errorf("%w: sorting needs more scratch space than the %d bytes allowed: %d more at this point", maintenance.ErrRefused, s.Most, s.used+n-s.Most)
	}
	s.used += n
	return nil
}

func (s *Space) give(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= n
}
