package reorder

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/klauspost/compress/s2"

	"github.com/firndb/firn/maintenance/internal/gather"
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// Shelf has the values of a column, by the buckets of an order. It is used by one
// goroutine until it is finished.
type Shelf struct {
	order *Order
	// most is how many bytes it may keep in memory, of which kept are taken.
	most, kept int64

	log    *scratch.Log
	blocks [][]block
	like   arrow.ArrayData
	parts  parts

	// ranks are those of the arrays to come.
	ranks cursor
	// pending are arrays that are not in blocks yet, and wanted the ranks of their
	// rows.
	pending []arrow.Array
	wanted  []uint32
	size    int64

	refs        []gather.Ref
	memory      gather.Memory
	raw, packed []byte
	// tried and gained are how many bytes have been compressed and saved by it.
	tried, gained int64
}

// block is values of one bucket in the order of its parts: in memory, or in the
// log.
type block struct {
	array arrow.Array
	at    scratch.Place
	rows  int
	// size is how many bytes they take when they are read, raw how many they are as
	// appendData writes them; bare says that these are not compressed in the log.
	size, raw int64
	bare      bool
}

// NewShelf makes a shelf for a column, which must be closed.
func (o *Order) NewShelf(memory int64) *Shelf {
	return &Shelf{order: o, most: memory, log: o.space.NewLog(), blocks: make([][]block, o.Buckets()), parts: parts{bits: o.partBits}}
}

// Add takes the values of the next rows of the old order; the caller may release
// the array.
func (s *Shelf) Add(ctx context.Context, a arrow.Array) error {
	if s.like == nil {
		s.like = typesOf(a.Data())
	}
	if err := ctx.Err(); err != nil || a.Len() == 0 {
		return err
	}
	if s.ranks.next == nil {
		s.ranks = newCursor(s.order.ranks.All(ctx))
	}
	most, size := s.pendingMost(), max(1, gather.Size(a))
	step := max(1, int64(a.Len())*most/size)
	for at := int64(0); at < int64(a.Len()); at += step {
		n := min(step, int64(a.Len())-at)
		if err := s.hold(array.NewSlice(a, at, at+n)); err != nil {
			return err
		}
		if s.size += size * n / int64(a.Len()); s.size >= most {
			if err := s.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// pendingMost is how many bytes of values are put into buckets together: few, so
// that they are in the processor's cache, but not so few that blocks become tiny.
func (s *Shelf) pendingMost() int64 {
	return min(max(1<<20, int64(s.order.Buckets())<<16), max(1, s.most/2))
}

// hold takes an array with the ranks of its rows.
func (s *Shelf) hold(a arrow.Array) error {
	s.pending = append(s.pending, a)
	for n := a.Len(); n > 0; {
		part, err := s.ranks.take(n)
		if err != nil {
			return err
		}
		s.wanted = append(s.wanted, part...)
		n -= len(part)
	}
	return nil
}

// flush makes blocks of what is pending.
func (s *Shelf) flush(ctx context.Context) error {
	if len(s.pending) == 0 {
		return nil
	}
	ends := s.spread()
	from := 0
	for b, to := range ends {
		if to == from {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.store(b, s.refs[from:to]); err != nil {
			return err
		}
		from = to
	}
	for _, a := range s.pending {
		a.Release()
	}
	s.pending, s.wanted, s.size = s.pending[:0], s.wanted[:0], 0
	return nil
}

// spread sorts the rows that are pending by bucket and part, and says where
// buckets end among refs.
func (s *Shelf) spread() []int {
	o := s.order
	counts := s.parts.count(o, s.wanted)
	ends := make([]int, o.Buckets())
	for b := range ends {
		ends[b] = int(counts[s.parts.first(o, b+1)])
	}
	s.refs = slices.Grow(s.refs[:0], ends[len(ends)-1])[:ends[len(ends)-1]]
	k := 0
	for slot, a := range s.pending {
		for row := range a.Len() {
			if id := s.wanted[k]; id != None {
				s.refs[counts[id]] = gather.Ref{Source: uint32(slot), Row: uint32(row)}
				counts[id]++
			}
			k++
		}
	}
	return ends
}

// Values of which the first so many bytes have not become smaller by a third are
// not compressed.
const (
	enoughTried = 4 << 20
	leastGain   = 3
)

// store makes a block of pending rows: of the only bucket in memory, if there is
// room, else in the log.
func (s *Shelf) store(bucket int, refs []gather.Ref) error {
	keep, memory := s.order.Buckets() == 1 && s.kept < s.most, &s.memory
	if keep {
		memory = nil
	}
	a, err := memory.Column(s.pending, refs)
	if err != nil {
		return err
	}
	if size := gather.Size(a); keep && s.kept+size <= s.most {
		s.kept += size
		s.blocks[bucket] = append(s.blocks[bucket], block{array: a, rows: len(refs)})
		return nil
	}
	defer a.Release()
	s.raw = appendData(s.raw[:0], a.Data())
	b := block{rows: len(refs), size: unpackedSize(a.Data()), raw: int64(len(s.raw)), bare: s.tried > enoughTried && s.gained < s.tried/leastGain}
	packed := s.raw
	if !b.bare {
		s.packed = s2.Encode(s.packed, s.raw)
		packed = s.packed
		s.tried += int64(len(s.raw))
		s.gained += int64(len(s.raw) - len(packed))
	}
	if b.at, err = s.log.Append(packed); err != nil {
		return err
	}
	s.blocks[bucket] = append(s.blocks[bucket], b)
	return nil
}

// Finish says that all rows have been added.
func (s *Shelf) Finish(ctx context.Context) error {
	err := s.flush(ctx)
	s.refs, s.pending, s.wanted, s.raw, s.packed, s.parts.counts = nil, nil, nil, nil, nil, nil
	s.memory = gather.Memory{}
	s.ranks.stop()
	return err
}

// array is the values of a block, in dst, which has room for them.
func (s *Shelf) array(b block, dst []byte, spare *spare) (arrow.Array, error) {
	if b.array != nil {
		return b.array, nil
	}
	spare.packed = slices.Grow(spare.packed[:0], int(b.at.Size))[:b.at.Size]
	if err := s.log.ReadInto(spare.packed, b.at.At); err != nil {
		return nil, err
	}
	raw := spare.packed
	if !b.bare {
		spare.plain = slices.Grow(spare.plain[:0], int(b.raw))[:b.raw]
		var err error
		if raw, err = s2.Decode(spare.plain, spare.packed); err != nil {
			return nil, fmt.Errorf("%w: %w", errBlock, err)
		}
	}
	return arrayOf(dst, raw, s.like)
}

// Close frees memory and scratch space.
func (s *Shelf) Close() error {
	for _, blocks := range s.blocks {
		for _, b := range blocks {
			if b.array != nil {
				b.array.Release()
			}
		}
	}
	s.blocks, s.pending, s.wanted, s.refs, s.raw, s.packed = nil, nil, nil, nil, nil, nil
	s.ranks.stop()
	return s.log.Close()
}
