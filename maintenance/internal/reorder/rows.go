package reorder

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrowmem "github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance"
)

// piece is some rows of a part, wanted in the new order. Its blocks are read from
// the last to the first.
type piece struct {
	part int
	next block
	// ranks are those of the rows of the blocks that are still to be read.
	ranks []uint32
	// from is the rank of the first row wanted, rows how many are.
	from, rows uint32
	// some says that there are more values than fit into memory: those that are not
	// wanted are not to be kept.
	some  bool
	spare *spare
}

// spare is memory that is used again and again.
type spare struct {
	packed, plain, arena []byte
	ranks                []uint32
	at                   []uint32
	out, valid, offsets  []byte
	decoded              []byte
}

// spares are the memory that is not used.
type spares struct {
	mu  sync.Mutex
	all []*spare
}

func (s *spares) take() *spare {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.all)
	if n == 0 {
		return &spare{}
	}
	last := s.all[n-1]
	s.all = s.all[:n-1]
	return last
}

func (s *spares) give(back *spare) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, back)
}

// Rows yields the values of the rows from and up to to of the new order, many at
// a time. An array is valid until the next.
func (s *Shelf) Rows(ctx context.Context, from, to int64) iter.Seq2[arrow.Array, error] {
	return func(yield func(arrow.Array, error) bool) {
		spare := s.order.spares.take()
		defer s.order.spares.give(spare)
		s.rows(ctx, from, to, spare, yield)
	}
}

func (s *Shelf) rows(ctx context.Context, from, to int64, spare *spare, yield func(arrow.Array, error) bool) {
	for from < to {
		end := min(to, (from>>s.order.bits+1)<<s.order.bits)
		if !s.part(ctx, from, end, spare, yield) {
			return
		}
		from = end
	}
}

// part yields values of one part: all at once if they fit into memory.
func (s *Shelf) part(ctx context.Context, from, to int64, spare *spare, yield func(arrow.Array, error) bool) bool {
	p := piece{spare: spare}
	size, err := s.open(&p, int(from>>s.order.bits))
	step := to - from
	if most := min(max(1, s.memory), partMost); size > most {
		p.some = true
		step = max(1, int64(len(p.ranks))*most/size)
	}
	for from < to {
		if err == nil {
			err = ctx.Err()
		}
		var a arrow.Array
		if err == nil {
			c := p
			c.from, c.rows = uint32(from), uint32(min(step, to-from))
			a, err = s.pens.assemble(&c)
		}
		if !yield(a, err) || err != nil {
			return false
		}
		from += step
	}
	return true
}

// open finds the blocks of a part and where their rows go, and says how large they
// are.
func (s *Shelf) open(p *piece, part int) (size int64, err error) {
	c := s.chains[part]
	p.part, p.next = part, c.last
	if p.ranks, err = s.order.ranksOf(part, p.spare); err == nil && c.rows != len(p.ranks) {
		err = fmt.Errorf("%w: %d rows of a column are there, not %d", maintenance.ErrCorrupt, c.rows, len(p.ranks))
	}
	return c.size, err
}

// more says whether there are blocks to be read.
func (p *piece) more() bool { return p.next.rows > 0 }

// block reads a block, with the ranks of its rows. It is valid until the next.
func (p *piece) block(s *store) (raw []byte, ranks []uint32, err error) {
	if ranks, err = p.cut(); err != nil {
		return nil, nil, err
	}
	raw, p.next, err = s.read(p.next, &p.spare.packed)
	return raw, ranks, err
}

// blockOnto is block with what is read appended to an arena.
func (p *piece) blockOnto(s *store, arena []byte) (grown, raw []byte, ranks []uint32, err error) {
	if ranks, err = p.cut(); err != nil {
		return arena, nil, nil, err
	}
	grown, raw, p.next, err = s.readOnto(arena, p.next)
	return grown, raw, ranks, err
}

// cut cuts the ranks of the next block off.
func (p *piece) cut() ([]uint32, error) {
	rest := len(p.ranks) - int(p.next.rows)
	if rest < 0 {
		return nil, errBlock
	}
	ranks := p.ranks[rest:]
	p.ranks = p.ranks[:rest]
	return ranks, nil
}

// partMost is how many bytes of a part are put in order at once.
const partMost = 1 << 30

// ranksOf are the ranks of a part's rows, in the old order.
func (o *Order) ranksOf(part int, spare *spare) ([]uint32, error) {
	c := o.places.chains[part]
	all := room(&spare.ranks, c.rows)
	for p := (piece{next: c.last, ranks: all, spare: spare}); p.more(); {
		raw, ranks, err := p.block(&o.places.store)
		if err != nil {
			return nil, err
		}
		if _, err := decodeNumbers(ranks, raw); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Slice is the values of the rows from and up to to as an array of its own.
func (s *Shelf) Slice(ctx context.Context, from, to int64) (arrow.Array, error) {
	var all []arrow.Array
	var failed error
	memory := &spare{}
	s.rows(ctx, from, to, memory, func(a arrow.Array, err error) bool {
		memory.out, memory.valid, memory.offsets, memory.arena = nil, nil, nil, nil
		all, failed = append(all, a), err
		return err == nil
	})
	switch {
	case failed != nil:
		return nil, failed
	case len(all) == 0:
		return array.MakeFromData(s.like), nil
	case len(all) == 1:
		return all[0], nil
	}
	return array.Concatenate(all, arrowmem.DefaultAllocator)
}
