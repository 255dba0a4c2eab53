package reorder

import (
	"encoding/binary"
	"slices"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

// block is values of rows of one part, in the old order.
type block struct {
	// at is where it begins: in memory, or if it is negative, ^at in the log.
	at   int64
	size int
	rows uint32
}

// chain is the blocks of a part. Each begins with where the one before it is, so
// that memory does not grow with them.
type chain struct {
	last block
	// rows and size are those of all blocks.
	rows int
	size int64
}

// linkBytes is how long the beginning of a block is.
const linkBytes = 20

// appendLink appends what a block begins with that comes after b.
func (b block) appendLink(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(b.at))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(b.size))
	return binary.LittleEndian.AppendUint32(dst, b.rows)
}

// cutLink cuts the beginning off a block.
func cutLink(raw []byte) (before block, rest []byte) {
	before.at = int64(binary.LittleEndian.Uint64(raw))
	before.size = int(binary.LittleEndian.Uint64(raw[8:]))
	before.rows = binary.LittleEndian.Uint32(raw[16:])
	return before, raw[linkBytes:]
}

// store keeps blocks, in memory as long as there is room.
type store struct {
	most, used int64
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

// add keeps a block of so many rows at the end of a chain.
func (s *store) add(c *chain, b []byte, rows uint32) error {
	size := linkBytes + len(b)
	next := block{size: size, rows: rows}
	var err error
	if s.logged == 0 && len(s.pending) == 0 && s.makeRoom(size) {
		next.at = s.keep(c.last, b)
	} else {
		next.at = ^(s.logged + int64(len(s.pending)))
		s.pending = append(c.last.appendLink(s.pending), b...)
		if len(s.pending) >= logBytes {
			err = s.flush()
		}
	}
	*c = chain{last: next, rows: c.rows + int(rows), size: c.size + int64(size)}
	return err
}

// makeRoom makes the last slab one with room for so many bytes, if memory allows.
func (s *store) makeRoom(size int) bool {
	if last := len(s.slabs) - 1; last >= 0 && cap(s.slabs[last])-len(s.slabs[last]) >= size {
		return true
	}
	left := s.most - s.used
	if int64(size) > left {
		return false
	}
	slab := max(min(slabBytes, left), int64(size))
	s.slabs = append(s.slabs, make([]byte, 0, slab))
	s.used += slab
	return true
}

// keep has a block in the last slab, which has room for it.
func (s *store) keep(before block, b []byte) int64 {
	last := len(s.slabs) - 1
	at := len(s.slabs[last])
	s.slabs[last] = append(before.appendLink(s.slabs[last]), b...)
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

// read is the bytes of a block, valid until buffer is used again, and the block
// before it, which has no rows if it is the first.
func (s *store) read(b block, buffer *[]byte) (raw []byte, before block, err error) {
	switch {
	case b.size < linkBytes:
		err = errBlock
	case b.at < 0:
		raw = room(buffer, b.size)
		err = s.log.ReadInto(raw, ^b.at)
	default:
		raw, err = s.kept(b)
	}
	if err != nil {
		return nil, block{}, err
	}
	before, raw = cutLink(raw)
	return raw, before, nil
}

// readOnto is read with what is read appended to an arena.
func (s *store) readOnto(arena []byte, b block) (grown, raw []byte, before block, err error) {
	at := len(arena)
	switch {
	case b.size < linkBytes:
		err = errBlock
	case b.at < 0:
		arena = slices.Grow(arena, b.size)[:at+b.size]
		err = s.log.ReadInto(arena[at:], ^b.at)
	default:
		if raw, err = s.kept(b); err == nil {
			arena = append(arena, raw...)
		}
	}
	if err != nil {
		return arena, nil, block{}, err
	}
	before, raw = cutLink(arena[at:])
	return arena, raw, before, nil
}

// kept is a block that is in memory.
func (s *store) kept(b block) ([]byte, error) {
	slab, at := b.at>>32, int(b.at&(1<<32-1))
	if slab >= int64(len(s.slabs)) || b.size > len(s.slabs[slab])-at {
		return nil, errBlock
	}
	return s.slabs[slab][at : at+b.size], nil
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
