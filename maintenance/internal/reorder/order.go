package reorder

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance/internal/scratch"
)

// Builder makes an [Order].
type Builder struct {
	space    *scratch.Space
	memory   int64
	partBits uint8
	*inverter
}

// NewBuilder prepares for an order of so many old rows, of which as many numbers
// as fit are kept in memory.
func NewBuilder(rows, memory int64, space *scratch.Space) *Builder {
	return &Builder{space: space, memory: memory, partBits: partBits, inverter: newInverter(rows, memory, space)}
}

// Add takes the numbers that the next rows of the new order have in the old.
func (b *Builder) Add(rows []uint32) error { return b.add(rows) }

// Order cuts the new order into buckets, which begin at starts.
func (b *Builder) Order(ctx context.Context, starts []int64) (*Order, error) {
	ranks, err := b.finish(ctx)
	if err != nil {
		return nil, err
	}
	o := &Order{space: b.space, ranks: ranks, rows: int64(b.next), partBits: b.partBits}
	for _, s := range starts {
		o.starts = append(o.starts, uint32(s))
	}
	o.guess()
	if len(starts) > 1 {
		err = o.place(ctx, b.memory)
	}
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// place notes where rows go in their buckets.
func (o *Order) place(ctx context.Context, memory int64) error {
	places := o.NewShelf(memory)
	places.parts.bits = 32
	o.places = places
	for part, err := range o.ranks.All(ctx) {
		if err != nil {
			return err
		}
		if err := places.Add(ctx, o.local(part)); err != nil {
			return err
		}
	}
	return places.Finish(ctx)
}

// Close frees what a builder has that did not make its order.
func (b *Builder) Close() error { return b.close() }

// Order is where rows go.
type Order struct {
	space *scratch.Space
	ranks *Ranks
	// rows is how many rows go anywhere.
	rows int64
	// starts is where buckets begin in the new order.
	starts []uint32
	// near is the bucket of the first rank of each 1<<partBits.
	near     []uint32
	partBits uint8
	// places has the place in its bucket of every row, if there are several; its
	// blocks keep the old order.
	places *Shelf

	mu     sync.Mutex
	spares []*spare
}

// guess makes near.
func (o *Order) guess() {
	b := 0
	for rank := int64(0); rank < o.rows; rank += 1 << o.partBits {
		for b+1 < len(o.starts) && int64(o.starts[b+1]) <= rank {
			b++
		}
		o.near = append(o.near, uint32(b))
	}
}

// local are the places in their buckets of rows with those ranks.
func (o *Order) local(ranks []uint32) *array.Uint32 {
	b := array.NewUint32Builder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(len(ranks))
	for _, rank := range ranks {
		if rank == None {
			b.UnsafeAppend(None)
			continue
		}
		b.UnsafeAppend(rank - o.starts[o.bucket(rank)])
	}
	return b.NewUint32Array()
}

// bucket is the bucket of a row with that rank.
func (o *Order) bucket(rank uint32) int {
	i := int(o.near[rank>>o.partBits])
	for i+1 < len(o.starts) && o.starts[i+1] <= rank {
		i++
	}
	return i
}

// Rows is how many rows there are in the old order.
func (o *Order) Rows() int64 { return o.ranks.rows }

// Buckets is how many buckets there are.
func (o *Order) Buckets() int { return len(o.starts) }

// Bucket is the rows of the new order that a bucket has.
func (o *Order) Bucket(i int) (from, to int64) {
	to = o.rows
	if i+1 < len(o.starts) {
		to = int64(o.starts[i+1])
	}
	return int64(o.starts[i]), to
}

// placesOf yields where the rows of a bucket go in it, in the old order, many at
// a time, valid until the next. They are read into spare memory.
func (o *Order) placesOf(ctx context.Context, bucket int, spare *spare) iter.Seq2[[]uint32, error] {
	if o.places == nil {
		return o.live(ctx, spare)
	}
	return func(yield func([]uint32, error) bool) {
		for _, b := range o.places.blocks[bucket] {
			spare.places = slices.Grow(spare.places[:0], int(b.size))[:b.size]
			a, err := o.places.array(b, spare.places, spare)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			numbers, ok := a.(*array.Uint32)
			if !ok {
				yield(nil, fmt.Errorf("places are a %s", a.DataType()))
				return
			}
			if !yield(numbers.Uint32Values(), nil) {
				return
			}
		}
	}
}

// live yields the ranks of rows that go anywhere.
func (o *Order) live(ctx context.Context, spare *spare) iter.Seq2[[]uint32, error] {
	return func(yield func([]uint32, error) bool) {
		for part, err := range o.ranks.All(ctx) {
			some := spare.ranks[:0]
			for _, rank := range part {
				if rank != None {
					some = append(some, rank)
				}
			}
			spare.ranks = some
			if len(some) == 0 && err == nil {
				continue
			}
			if !yield(some, err) || err != nil {
				return
			}
		}
	}
}

// Close frees memory and scratch space.
func (o *Order) Close() error {
	err := o.ranks.Close()
	if o.places != nil {
		err = errors.Join(err, o.places.Close())
	}
	return err
}
