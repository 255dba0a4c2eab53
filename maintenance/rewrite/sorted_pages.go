package rewrite

import (
	"io"
	"sync"

	"github.com/firndb/firn/maintenance/internal/scratch"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// memoryPages are in memory.
type memoryPages struct{ splice.PageBuffer }

// Close does nothing.
func (*memoryPages) Close() error { return nil }

// chunkStore has the pages of the chunks that one goroutine encodes: each chunk's
// in memory, or those of all in scratch space.
type chunkStore struct {
	// log is nil if pages are kept in memory.
	log *scratch.Log
	// pending are pages that are not logged yet.
	pending []byte
	chunk   *memoryPages
	// from is where the last chunk begins in the log.
	from int64
}

// newChunks makes a store: in memory, if all chunks of all columns are likely to
// fit.
func (c *columnSet) newChunks() *chunkStore {
	if c.g.Bytes <= c.share(pagesShare) {
		return &chunkStore{}
	}
	return &chunkStore{log: c.r.sorts.space.NewLog()}
}

// begin begins a chunk.
func (s *chunkStore) begin() {
	if s.log == nil {
		s.chunk = &memoryPages{}
		return
	}
	s.from = s.log.Size()
}

// logAtOnce is how many bytes are written to scratch space at once.
const logAtOnce = 1 << 18

// Write appends to the chunk.
func (s *chunkStore) Write(b []byte) (int, error) {
	if s.log == nil {
		return s.chunk.Write(b)
	}
	if s.pending = append(s.pending, b...); len(s.pending) < logAtOnce {
		return len(b), nil
	}
	return len(b), s.flush()
}

func (s *chunkStore) flush() error {
	_, err := s.log.Append(s.pending)
	s.pending = s.pending[:0]
	return err
}

// end ends the chunk and gives its pages, which may be read while the next are
// written.
func (s *chunkStore) end() (io.ReaderAt, error) {
	if s.log == nil {
		return s.chunk, nil
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	return &loggedPages{s.log, s.from}, nil
}

// close gives the space back.
func (s *chunkStore) close() error {
	if s.log == nil {
		return nil
	}
	return s.log.Close()
}

// loggedPages are pages in scratch space.
type loggedPages struct {
	log  *scratch.Log
	from int64
}

// ReadAt implements io.ReaderAt.
func (p *loggedPages) ReadAt(b []byte, at int64) (int, error) {
	if err := p.log.ReadInto(b, p.from+at); err != nil {
		return 0, err
	}
	return len(b), nil
}

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
