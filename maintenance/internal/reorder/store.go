package reorder

import (
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// block is values of rows of one part, in the old order.
type block struct {
	// at is where it begins: in memory, or if it is negative, ^at in the log.
	at   int64
	size int
	rows uint32
}

// store keeps blocks, in memory as long as there is room.
type store struct {
	most, kept int64
	slabs      [][]byte
	log        *scratch.Log
	// pending are bytes that are to be logged, after the first logged.
	pending []byte
	logged  int64
}

const (
	// slabBytes is how much memory is taken at once.
	slabBytes = 1 << 20
	// logBytes is how much is written at once.
	logBytes = 1 << 18
)

// add keeps a block and says where it begins.
func (s *store) add(b []byte) (int64, error) {
	if n := int64(len(b)); s.log.Size() == 0 && len(s.pending) == 0 && s.kept+n <= s.most {
		return s.keep(b), nil
	}
	at := s.logged + int64(len(s.pending))
	s.pending = append(s.pending, b...)
	if len(s.pending) < logBytes {
		return ^at, nil
	}
	return ^at, s.flush()
}

// keep has a block in memory.
func (s *store) keep(b []byte) int64 {
	last := len(s.slabs) - 1
	if last < 0 || cap(s.slabs[last])-len(s.slabs[last]) < len(b) {
		s.slabs = append(s.slabs, make([]byte, 0, max(min(slabBytes, int(s.most)), len(b))))
		last++
	}
	at := len(s.slabs[last])
	s.slabs[last] = append(s.slabs[last], b...)
	s.kept += int64(len(b))
	return int64(last)<<32 | int64(at)
}

// flush logs what is pending.
func (s *store) flush() error {
	if len(s.pending) == 0 {
		return nil
	}
	_, err := s.log.Append(s.pending)
	s.logged += int64(len(s.pending))
	s.pending = s.pending[:0]
	return err
}

// read is the bytes of a block, valid until buffer is used again.
func (s *store) read(b block, buffer *[]byte) ([]byte, error) {
	if b.at >= 0 {
		slab := s.slabs[b.at>>32]
		at := int(b.at & (1<<32 - 1))
		return slab[at : at+b.size], nil
	}
	out := room(buffer, b.size)
	return out, s.log.ReadInto(out, ^b.at)
}

// close frees memory and scratch space.
func (s *store) close() error {
	s.slabs, s.pending = nil, nil
	return s.log.Close()
}

// room is n bytes of a buffer, which is made larger if need be; anything is in
// them.
func room[T any](buffer *[]T, n int) []T {
	if cap(*buffer) < n {
		*buffer = make([]T, n+n/8)
	}
	return (*buffer)[:n]
}
