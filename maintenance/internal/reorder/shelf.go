package reorder

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance"
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

	// ranks are those of the arrays to come.
	ranks cursor
	// pending are arrays that are not in blocks yet, and refs their rows by bucket.
	pending []arrow.Array
	refs    [][]gather.Ref
	size    int64
}

// block is values of one bucket, in the old order: in memory, or packed in the
// log.
type block struct {
	array arrow.Array
	at    scratch.Place
	rows  int
	// raw is how many bytes they take in memory.
	raw int64
}

// NewShelf makes a shelf for a column, which must be closed.
func (o *Order) NewShelf(memory int64) *Shelf {
	return &Shelf{
		order: o, most: memory, log: o.space.NewLog(),
		blocks: make([][]block, o.Buckets()), refs: make([][]gather.Ref, o.Buckets()),
	}
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
	if s.order.Buckets() == 1 {
		a = trimmed(a)
		return s.keep(a, gather.Size(a))
	}
	a.Retain()
	if s.ranks.next == nil {
		s.ranks = newCursor(s.order.ranks.All(ctx))
	}
	slot := uint32(len(s.pending))
	for row := uint32(0); row < uint32(a.Len()); {
		part, err := s.ranks.take(a.Len() - int(row))
		if err != nil {
			return err
		}
		for _, rank := range part {
			if rank != None {
				b := s.order.bucket(rank)
				s.refs[b] = append(s.refs[b], gather.Ref{Source: slot, Row: row})
			}
			row++
		}
	}
	s.pending = append(s.pending, a)
	if s.size += gather.Size(a); s.size > s.most/2 {
		return s.flush(ctx)
	}
	return nil
}

// keep takes an array of the only bucket, into memory if there is room.
func (s *Shelf) keep(a arrow.Array, n int64) error {
	if s.kept+n <= s.most {
		s.kept += n
		s.blocks[0] = append(s.blocks[0], block{array: a, rows: a.Len(), raw: n})
		return nil
	}
	refs := make([]gather.Ref, a.Len())
	for i := range refs {
		refs[i].Row = uint32(i)
	}
	defer a.Release()
	return s.store(0, []arrow.Array{a}, refs)
}

// trimmed is an array whose buffers are not much longer than what is in them, as
// those are that builders leave.
func trimmed(a arrow.Array) arrow.Array { return array.MakeFromData(trim(a.Data())) }

func trim(data arrow.ArrayData) arrow.ArrayData {
	buffers := slices.Clone(data.Buffers())
	for i, b := range buffers {
		if b != nil && b.Cap() > b.Len()+b.Len()/8+64 {
			buffers[i] = memory.NewBufferBytes(slices.Clip(bytes.Clone(b.Bytes())))
		}
	}
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, child := range data.Children() {
		children[i] = trim(child)
	}
	return array.NewData(data.DataType(), data.Len(), buffers, children, data.NullN(), data.Offset())
}

// flush makes blocks of what is pending.
func (s *Shelf) flush(ctx context.Context) error {
	for b, refs := range s.refs {
		if len(refs) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.store(b, s.pending, refs); err != nil {
			return err
		}
		s.refs[b] = refs[:0]
	}
	for _, a := range s.pending {
		a.Release()
	}
	s.pending, s.size = s.pending[:0], 0
	return nil
}

// store packs rows into a block of the log.
func (s *Shelf) store(bucket int, arrays []arrow.Array, refs []gather.Ref) error {
	a, err := gather.Column(arrays, refs)
	if err != nil {
		return err
	}
	defer a.Release()
	at, err := s.log.Append(pack(a))
	if err != nil {
		return err
	}
	s.blocks[bucket] = append(s.blocks[bucket], block{at: at, rows: len(refs), raw: gather.Size(a)})
	return nil
}

// Finish says that all rows have been added.
func (s *Shelf) Finish(ctx context.Context) error {
	err := s.flush(ctx)
	s.refs, s.pending = nil, nil
	s.ranks.stop()
	return err
}

// array is the values of a block.
func (s *Shelf) array(b block) (arrow.Array, error) {
	if b.array != nil {
		return b.array, nil
	}
	packed, err := s.log.Read(b.at)
	if err != nil {
		return nil, err
	}
	return unpack(packed, s.like)
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
	s.blocks, s.pending, s.refs = nil, nil, nil
	s.ranks.stop()
	return s.log.Close()
}

// Bucket is the values of a bucket, in memory if there is room for them.
type Bucket struct {
	s      *Shelf
	number int
	blocks []block
}

// Open reads a bucket.
func (s *Shelf) Open(ctx context.Context, number int) (*Bucket, error) {
	b := &Bucket{s: s, number: number, blocks: s.blocks[number]}
	var raw int64
	for _, block := range b.blocks {
		if block.array == nil {
			raw += block.raw
		}
	}
	if raw == 0 || s.kept+raw > s.most {
		return b, nil
	}
	loaded := make([]block, len(b.blocks))
	for i, block := range b.blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, err := s.array(block)
		if err != nil {
			return nil, err
		}
		block.array = a
		loaded[i] = block
	}
	b.blocks = loaded
	return b, nil
}

// Rows are values in the new order.
type Rows struct {
	arrays []arrow.Array
	refs   []gather.Ref
}

// Rows finds the values of the rows from and up to to of the new order, counted
// from the bucket's first. What is not in memory is read.
func (b *Bucket) Rows(ctx context.Context, from, to int64) (*Rows, error) {
	p := picker{from: uint32(from), out: &Rows{refs: make([]gather.Ref, to-from)}, places: newCursor(b.s.order.placesOf(ctx, b.number))}
	defer p.places.stop()
	for _, block := range b.blocks {
		if err := p.block(b.s, block); err != nil {
			return nil, err
		}
	}
	if p.found != len(p.out.refs) {
		return nil, fmt.Errorf("%w: %d rows of a column are there, not %d", maintenance.ErrCorrupt, p.found, len(p.out.refs))
	}
	return p.out, nil
}

// picker finds rows in the blocks of a bucket.
type picker struct {
	from   uint32
	places cursor
	out    *Rows
	found  int
	// at and picked are the places and the rows of a block that is not in memory.
	at     []uint32
	picked []gather.Ref
}

func (p *picker) block(s *Shelf, b block) error {
	slot := uint32(len(p.out.arrays))
	before := p.found
	p.at, p.picked = p.at[:0], p.picked[:0]
	for row := 0; row < b.rows; {
		part, err := p.places.take(b.rows - row)
		if err != nil {
			return err
		}
		if b.array != nil {
			p.refer(part, slot, uint32(row))
		} else {
			p.pick(part, uint32(row))
		}
		row += len(part)
	}
	a := b.array
	switch {
	case p.found == before:
		return nil
	case a == nil:
		all, err := s.array(b)
		if err != nil {
			return err
		}
		if a, err = gather.Column([]arrow.Array{all}, p.picked); err != nil {
			return err
		}
		for i, at := range p.at {
			p.out.refs[at] = gather.Ref{Source: slot, Row: uint32(i)}
		}
	}
	p.out.arrays = append(p.out.arrays, a)
	return nil
}

// refer takes rows of an array in memory, from a row on, by their places.
func (p *picker) refer(places []uint32, slot, row uint32) {
	refs := p.out.refs
	for i, place := range places {
		// None, too, is beyond all.
		if at := place - p.from; uint64(at) < uint64(len(refs)) {
			refs[at] = gather.Ref{Source: slot, Row: row + uint32(i)}
			p.found++
		}
	}
}

// pick does so for one that is not in memory.
func (p *picker) pick(places []uint32, row uint32) {
	for i, place := range places {
		if at := place - p.from; uint64(at) < uint64(len(p.out.refs)) {
			p.found++
			p.at = append(p.at, at)
			p.picked = append(p.picked, gather.Ref{Row: row + uint32(i)})
		}
	}
}

// Slice is the values of the rows from and up to to, as an array of its own.
func (r *Rows) Slice(from, to int64) (arrow.Array, error) {
	return gather.Column(r.arrays, r.refs[from:to])
}

// cursor reads numbers that come many at a time.
type cursor struct {
	next func() ([]uint32, error, bool)
	end  func()
	part []uint32
}

func newCursor(all iter.Seq2[[]uint32, error]) cursor {
	next, end := iter.Pull2(all)
	return cursor{next: next, end: end}
}

// take is some of the next numbers, n at most.
func (c *cursor) take(n int) ([]uint32, error) {
	if len(c.part) == 0 {
		part, err, ok := c.next()
		switch {
		case err != nil:
			return nil, err
		case !ok || len(part) == 0:
			return nil, fmt.Errorf("%w: a column has more rows than its table", maintenance.ErrCorrupt)
		}
		c.part = part
	}
	n = min(n, len(c.part))
	out := c.part[:n]
	c.part = c.part[n:]
	return out, nil
}

func (c *cursor) stop() {
	if c.end != nil {
		c.end()
	}
}
