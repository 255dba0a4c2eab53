package scratch

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// Log is a scratch file that is appended to. It has none as long as it is empty.
// It is safe for use by several goroutines.
type Log struct {
	space *Space

	mu     sync.Mutex
	file   File
	size   int64
	closed bool
}

// Place is where bytes of a log are.
type Place struct{ At, Size int64 }

// NewLog makes an empty log, which must be closed.
func (s *Space) NewLog() *Log { return &Log{space: s} }

// Append writes bytes at the end. The error wraps maintenance.ErrRefused if there
// is no room for them.
func (l *Log) Append(b []byte) (Place, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := int64(len(b))
	if l.closed {
		return Place{}, errClosed
	}
	if err := l.space.take(n); err != nil {
		return Place{}, err
	}
	l.size += n
	if l.file == nil {
		file, err := l.space.Create()
		if err != nil {
			return Place{}, fmt.Errorf("make scratch file: %w", err)
		}
		l.file = file
	}
	if _, err := l.file.Write(b); err != nil {
		return Place{}, fmt.Errorf("write scratch file: %w", err)
	}
	return Place{l.size - n, n}, nil
}

var errClosed = errors.New("write scratch file: it is closed")

// Read reads bytes that were appended.
func (l *Log) Read(p Place) ([]byte, error) {
	b := make([]byte, p.Size)
	return b, l.ReadInto(b, p.At)
}

// ReadInto fills b with what begins at a place.
func (l *Log) ReadInto(b []byte, at int64) error {
	l.mu.Lock()
	file := l.file
	l.mu.Unlock()
	if len(b) == 0 {
		return nil
	}
	if file == nil {
		return errors.New("read scratch file: it is empty or closed")
	}
	if n, err := file.ReadAt(b, at); n < len(b) {
		return fmt.Errorf("read scratch file: %w", errors.Join(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// Size is how many bytes have been appended.
func (l *Log) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

// Close gives the space back. Closing again does nothing.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.space.give(l.size)
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
