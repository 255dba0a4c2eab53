package reorder

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

// Builder makes an [Order].
type Builder struct {
	space  *scratch.Space
	memory int64
	*inverter
}

// NewBuilder prepares for an order of so many old rows. It keeps as many numbers
// as fit into so many bytes in memory, and the order as many again.
func NewBuilder(rows, memory int64, space *scratch.Space) *Builder {
	return &Builder{space: space, memory: memory, inverter: newInverter(rows, memory, space)}
}

// Add takes the numbers that the next rows of the new order have in the old.
func (b *Builder) Add(rows []uint32) error { return b.add(rows) }

// Close frees what a builder has that did not make its order.
func (b *Builder) Close() error { return b.close() }

// Order makes the order, for columns of which the largest has values of about so
// many bytes, and at most so many should be in memory at once.
func (b *Builder) Order(ctx context.Context, valueBytes, memory int64) (*Order, error) {
	return b.order(ctx, partBits(int64(b.next), valueBytes, memory))
}

func (b *Builder) order(ctx context.Context, bits uint8) (*Order, error) {
	o := &Order{space: b.space, rows: int64(b.next), bits: bits}
	o.places = newShelf(o, b.memory)
	pens := newNumbers[uint32](o.places, 4)
	o.places.pens = pens
	var ids []uint32
	ranks, err := b.finish(ctx, func(ranks []uint32) error {
		for part := range slices.Chunk(ranks, readRows) {
			ids = o.partsOf(ids[:0], part)
			if err := pens.deal(part, nil, ids); err != nil {
				return err
			}
		}
		return nil
	})
	o.ranks = ranks
	if err == nil {
		err = errors.Join(pens.flush(), o.places.store.flush())
	}
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// The values of a part should take partBytes. It has from leastPart to mostPart
// rows, as powers of two; more if there would be more than manyParts parts.
const (
	partBytes = 4 << 20
	leastPart = 6
	mostPart  = 16
	manyParts = 12
)

// partBits is the binary logarithm of how many rows a part has.
func partBits(rows, valueBytes, memory int64) uint8 {
	fits := func(n int64) int { return bits.Len64(uint64(max(1, n/max(1, valueBytes)))) - 1 }
	few := min(max(fits(partBytes), leastPart), mostPart)
	many := bits.Len64(uint64(max(0, rows-1))) - manyParts
	return uint8(max(few, min(many, fits(memory/4))))
}

// Order is where rows go.
type Order struct {
	space *scratch.Space
	ranks *Ranks
	// rows is how many rows go anywhere.
	rows int64
	// bits is the binary logarithm of how many rows a part has.
	bits uint8
	// places are the ranks of the rows of each part, which come in the old order.
	places *Shelf
	spares spares
}

// parts is how many parts there are.
func (o *Order) parts() int { return int((o.rows + 1<<o.bits - 1) >> o.bits) }

// partsOf appends the parts of rows with those ranks, None of those that go
// nowhere.
func (o *Order) partsOf(ids, ranks []uint32) []uint32 {
	for _, rank := range ranks {
		id := rank >> o.bits
		if rank == None {
			id = None
		}
		ids = append(ids, id)
	}
	return ids
}

// Rows is how many rows there are in the old order.
func (o *Order) Rows() int64 { return o.ranks.rows }

// Close frees memory and scratch space.
func (o *Order) Close() error {
	err := o.places.Close()
	if o.ranks != nil {
		err = errors.Join(err, o.ranks.Close())
	}
	return err
}
