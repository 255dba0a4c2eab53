package rewrite

import (
	"io"
	"sync"

	"github.com/firndb/firn/maintenance/internal/scratch"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// pageStore has encoded pages.
type pageStore interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// memoryPages are in memory.
type memoryPages struct{ splice.PageBuffer }

// Close does nothing.
func (*memoryPages) Close() error { return nil }

// newPages makes a store for all pages of a column, in memory if those of all
// columns are likely to fit.
func (c *columnSet) newPages() pageStore {
	if c.g.Bytes <= c.share(pagesShare) {
		return &memoryPages{}
	}
	return &logPages{log: c.r.sorts.space.NewLog()}
}

// logPages are in scratch space, but for the last.
type logPages struct {
	log    *scratch.Log
	logged int64
	last   []byte
}

// logAtOnce is how many bytes are written to scratch space at once.
const logAtOnce = 1 << 18

// Write appends.
func (p *logPages) Write(b []byte) (int, error) {
	p.last = append(p.last, b...)
	if len(p.last) < logAtOnce {
		return len(b), nil
	}
	if _, err := p.log.Append(p.last); err != nil {
		return 0, err
	}
	p.logged += int64(len(p.last))
	p.last = p.last[:0]
	return len(b), nil
}

// ReadAt implements io.ReaderAt.
func (p *logPages) ReadAt(b []byte, at int64) (int, error) {
	n := int(max(0, min(int64(len(b)), p.logged-at)))
	if n > 0 {
		if err := p.log.ReadInto(b[:n], at); err != nil {
			return 0, err
		}
	}
	if n < len(b) {
		if from := at + int64(n) - p.logged; from < int64(len(p.last)) {
			n += copy(b[n:], p.last[from:])
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Close gives the space back.
func (p *logPages) Close() error { return p.log.Close() }

// sharedPages are in memory, for several goroutines.
type sharedPages struct {
	mu sync.RWMutex
	memoryPages
}

// Write appends.
func (p *sharedPages) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.memoryPages.Write(b)
}

// ReadAt implements io.ReaderAt.
func (p *sharedPages) ReadAt(b []byte, at int64) (int, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.memoryPages.ReadAt(b, at)
}
