package reorder

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/gather"
)

// Bucket is the values of a bucket, in memory if there is room for them. It is
// used by one goroutine and must be closed; what it has yielded is then not used
// any more.
type Bucket struct {
	s      *Shelf
	number int
	blocks []block
	spare  *spare
	parts  parts
}

// spare is memory that one bucket after another uses.
type spare struct {
	// arena has the values of the blocks, places those of a block of places.
	arena, places []byte
	packed, plain []byte
	ranks         []uint32
	refs          []gather.Ref
	memory        gather.Memory
}

// borrow takes memory that is not used.
func (o *Order) borrow() *spare {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.spares); n > 0 {
		taken := o.spares[n-1]
		o.spares = o.spares[:n-1]
		return taken
	}
	return &spare{}
}

// Open reads a bucket.
func (s *Shelf) Open(ctx context.Context, number int) (*Bucket, error) {
	b := &Bucket{s: s, number: number, blocks: s.blocks[number], spare: s.order.borrow(), parts: parts{bits: s.parts.bits}}
	var size int64
	for _, block := range b.blocks {
		if block.array == nil {
			size += block.size
		}
	}
	if size == 0 || s.kept+size > s.most {
		return b, nil
	}
	b.spare.arena = slices.Grow(b.spare.arena[:0], int(size))[:size]
	loaded, at := make([]block, len(b.blocks)), int64(0)
	for i, block := range b.blocks {
		if err := ctx.Err(); err != nil {
			b.Close()
			return nil, err
		}
		if block.array == nil {
			a, err := s.array(block, b.spare.arena[at:at+block.size], b.spare)
			if err != nil {
				b.Close()
				return nil, err
			}
			block.array = a
			at += block.size
		}
		loaded[i] = block
	}
	b.blocks = loaded
	return b, nil
}

// Close gives the bucket's memory to the next.
func (b *Bucket) Close() {
	o := b.s.order
	o.mu.Lock()
	defer o.mu.Unlock()
	if b.spare != nil {
		o.spares = append(o.spares, b.spare)
	}
	b.spare, b.blocks = nil, nil
}

// Rows are values in the new order.
type Rows struct {
	arrays []arrow.Array
	refs   []gather.Ref
	memory *gather.Memory
}

// Rows finds the values of the rows from and up to to of the new order, counted
// from the bucket's first. What is not in memory is read.
func (b *Bucket) Rows(ctx context.Context, from, to int64) (*Rows, error) {
	n := int(to - from)
	b.spare.refs = slices.Grow(b.spare.refs[:0], n)[:n]
	p := picker{b: b, from: uint32(from), out: &Rows{refs: b.spare.refs, memory: &b.spare.memory}, places: newCursor(b.s.order.placesOf(ctx, b.number, b.spare))}
	defer p.places.stop()
	for _, block := range b.blocks {
		if err := p.block(block); err != nil {
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
	b      *Bucket
	from   uint32
	places cursor
	out    *Rows
	found  int
	// of are the places of a block's rows in the old order, and rows where these
	// are in the block.
	of, rows []uint32
	// at and picked are the places and the rows of a block that is not in memory.
	at     []uint32
	picked []gather.Ref
}

func (p *picker) block(b block) error {
	p.of = p.of[:0]
	for len(p.of) < b.rows {
		part, err := p.places.take(b.rows - len(p.of))
		if err != nil {
			return err
		}
		p.of = append(p.of, part...)
	}
	p.rows = slices.Grow(p.rows[:0], b.rows)[:b.rows]
	p.b.parts.rows(p.b.s.order.starts[p.b.number], p.of, p.rows)
	slot := uint32(len(p.out.arrays))
	before := p.found
	a := b.array
	if a != nil {
		p.refer(slot)
	} else {
		p.pick()
	}
	switch {
	case p.found == before:
		return nil
	case a == nil:
		all, err := p.b.s.array(b, make([]byte, b.size), p.b.spare)
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

// refer takes rows of an array in memory by their places.
func (p *picker) refer(slot uint32) {
	refs := p.out.refs
	rows := p.rows[:len(p.of)]
	for i, place := range p.of {
		if at := place - p.from; uint64(at) < uint64(len(refs)) {
			refs[at] = gather.Ref{Source: slot, Row: rows[i]}
			p.found++
		}
	}
}

// pick does so for one that is not in memory.
func (p *picker) pick() {
	p.at, p.picked = p.at[:0], p.picked[:0]
	for i, place := range p.of {
		if at := place - p.from; uint64(at) < uint64(len(p.out.refs)) {
			p.found++
			p.at = append(p.at, at)
			p.picked = append(p.picked, gather.Ref{Row: p.rows[i]})
		}
	}
}

// Slice is the values of the rows from and up to to, as an array of its own.
func (r *Rows) Slice(from, to int64) (arrow.Array, error) {
	return gather.Column(r.arrays, r.refs[from:to])
}

// Peek is Slice with an array that is valid until the next call, or until the
// bucket is closed.
func (r *Rows) Peek(from, to int64) (arrow.Array, error) {
	return r.memory.Column(r.arrays, r.refs[from:to])
}
