package rewrite

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/firndb/firn/maintenance/internal/scratch"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// memoryPages are in memory.
type memoryPages struct{ splice.PageBuffer }

// Close does nothing.
func (*memoryPages) Close() error { return nil }

// chunkStore has the pages of the chunks that one goroutine encodes: in memory if
// they are written soon and there is room, else in scratch space.
type chunkStore struct {
	held *heldChunks
	log  *scratch.Log
	// pending are pages that are not logged yet.
	pending []byte
	// chunk has the last chunk, nil if it is in the log, from there on.
	chunk *memoryPages
	from  int64
}

// heldChunks is how many bytes of the chunks of all goroutines are in memory. None
// is begun there when these are most.
type heldChunks struct {
	most int64
	now  atomic.Int64
}

// begin begins a chunk, which is written soon or not.
func (s *chunkStore) begin(soon bool) {
	s.chunk, s.from = nil, s.log.Size()
	if soon && s.held.now.Load() < s.held.most {
		s.chunk = &memoryPages{}
	}
}

// logAtOnce is how many bytes are written to scratch space at once.
const logAtOnce = 1 << 18

// Write appends to the chunk.
func (s *chunkStore) Write(b []byte) (int, error) {
	if s.chunk != nil {
		s.held.now.Add(int64(len(b)))
		return s.chunk.Write(b)
	}
	if s.pending = append(s.pending, b...); len(s.pending) < logAtOnce {
		return len(b), nil
	}
	return len(b), s.flush()
}

func (s *chunkStore) flush() error {
	if len(s.pending) == 0 {
		return nil
	}
	_, err := s.log.Append(s.pending)
	s.pending = s.pending[:0]
	return err
}

// end ends the chunk and gives its pages, which may be read while the next are
// written.
func (s *chunkStore) end() (io.ReaderAt, error) {
	if s.chunk != nil {
		return s.chunk, nil
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	return &loggedPages{s.log, s.from}, nil
}

// forget says that a chunk has been written and is not read any more.
func (h *heldChunks) forget(pages io.ReaderAt) {
	if chunk, ok := pages.(*memoryPages); ok {
		h.now.Add(-chunk.Len())
	}
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
