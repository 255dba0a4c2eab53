package reorder

import (
	"context"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/firndb/firn/maintenance"
)

// Shelf has the values of a column, by the parts of an order. One goroutine adds
// to it until it is finished; then several may read it.
type Shelf struct {
	order *Order
	// memory is how many bytes it may take, and pen how many a pen has at most.
	memory, pen int64
	// packs says that texts are compressed.
	packs bool
	store
	// chains are the blocks of each part.
	chains []chain
	pens   pens
	// like has the column's type.
	like arrow.ArrayData

	// next yields the ranks of the rows to come, after those in ranks.
	next  func() ([]uint32, error, bool)
	stop  func()
	ranks []uint32
	ids   []uint32
}

// pens deal values out to parts, and put those of a part in their places.
type pens interface {
	// add takes values of rows that go to those parts.
	add(ctx context.Context, a arrow.Array, parts []uint32) error
	// flush makes blocks of what is left in the pens, and frees these.
	flush() error
	// assemble makes an array of values of a part.
	assemble(p *piece) (arrow.Array, error)
}

// penBytes is how large a pen is at most, so that all are in the processor's cache.
// A column of more than farBytes is likely to be read from the disk again, not
// from the system's memory, by blocks of farPenBytes.
const (
	penBytes    = 8 << 10
	farBytes    = 8 << 30
	farPenBytes = 64 << 10
)

// NewShelf makes a shelf for a column, which must be closed. It may take so many
// bytes of memory, and keeps the values there if they are likely to fit, being
// about so many bytes. Otherwise texts are compressed where scratch space is scarce
// or they are very many.
func (o *Order) NewShelf(bytes, memory int64, scarce bool) *Shelf {
	s := newShelf(o, memory)
	s.packs = scarce || bytes > farBytes
	if bytes > memory {
		s.most = 0
	}
	if bytes > farBytes {
		s.pen = farPenBytes
	}
	s.next, s.stop = iter.Pull2(o.ranks.All(context.Background()))
	return s
}

func newShelf(o *Order, memory int64) *Shelf {
	return &Shelf{order: o, memory: memory, pen: penBytes, store: store{most: memory, log: o.space.NewLog()}, chains: make([]chain, o.parts())}
}

// penRows is how many values of so many bytes a pen has.
func (s *Shelf) penRows(width int) int { return max(1, s.penBytes()/width) }

func (s *Shelf) penBytes() int {
	return int(min(s.pen, s.memory/4/int64(max(1, len(s.chains)))))
}

// Add takes the values of the next rows of the old order; the caller may release
// the array.
func (s *Shelf) Add(ctx context.Context, a arrow.Array) error {
	if s.pens == nil {
		s.like = typesOf(a.Data())
		s.pens = s.newPens()
	}
	if is, was := a.DataType(), s.like.DataType(); is.ID() != was.ID() {
		return fmt.Errorf("%w: a column has values of type %s after those of type %s", maintenance.ErrCorrupt, is, was)
	}
	for at := 0; at < a.Len(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(s.ranks) == 0 {
			ranks, err, ok := s.next()
			switch {
			case err != nil:
				return err
			case !ok || len(ranks) == 0:
				return fmt.Errorf("%w: a column has more rows than its table", maintenance.ErrCorrupt)
			}
			s.ranks = ranks
		}
		n := min(len(s.ranks), a.Len()-at)
		s.ids = s.order.partsOf(s.ids[:0], s.ranks[:n])
		s.ranks = s.ranks[n:]
		part := array.NewSlice(a, int64(at), int64(at+n))
		err := s.pens.add(ctx, part, s.ids)
		part.Release()
		if err != nil {
			return err
		}
		at += n
	}
	return nil
}

// newPens makes the pens for a column's type.
func (s *Shelf) newPens() pens {
	switch t := storageOf(s.like.DataType()).(type) {
	case *arrow.BooleanType:
		return &booleans{numbers: newNumbers[uint8](s, 1)}
	case *arrow.StringType, *arrow.BinaryType:
		return newTexts[int32](s)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return newTexts[int64](s)
	case arrow.FixedWidthDataType:
		switch t.Bytes() {
		case 4:
			return newNumbers[uint32](s, 4)
		case 8:
			return newNumbers[uint64](s, 8)
		case 16:
			return newNumbers[decimal128.Num](s, 16)
		}
	}
	return &nested{shelf: s}
}

func storageOf(t arrow.DataType) arrow.DataType {
	if ext, ok := t.(arrow.ExtensionType); ok {
		return ext.StorageType()
	}
	return t
}

// put makes a block of a part's values.
func (s *Shelf) put(part uint32, b []byte, rows uint32) error {
	return s.store.add(&s.chains[part], b, rows)
}

// Finish says that all rows have been added.
func (s *Shelf) Finish(ctx context.Context) error {
	s.stop()
	s.ranks, s.ids = nil, nil
	if err := ctx.Err(); err != nil || s.pens == nil {
		return err
	}
	if err := s.pens.flush(); err != nil {
		return err
	}
	return s.store.flush()
}

// Close frees memory and scratch space.
func (s *Shelf) Close() error {
	if s.stop != nil {
		s.stop()
	}
	s.chains, s.pens, s.ranks, s.ids = nil, nil, nil, nil
	return s.store.close()
}
