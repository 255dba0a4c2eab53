package extsort

import (
	"context"
	"fmt"
	"math"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// Collector takes keys and keeps them, in memory and in runs. It is used by one
// goroutine.
type Collector struct {
	sorter *Sorter
	most   int64

	// survey is of all keys, and digest its own.
	survey survey
	digest *digest
	// batches are in memory, and size is what they take: all packed, or none.
	batches []batch
	size    int64
	// start is how many rows were given before those in memory, rows how many
	// these are.
	start, rows int64
	total, live int64
	runs        []*run
}

const (
	// leastBlock is how many rows a block has at least, and mostBlock at most.
	leastBlock, mostBlock = 8, 1 << 15
	// itemBytes is what a row takes while it is being sorted, besides its key: two
	// items. A packed one has become an item before there is a second.
	itemBytes = 32
	// mergedBytes is what a row of an open block takes at most, besides its key, with
	// the chunks that are under way.
	mergedBytes = 128
)

// Add takes the keys of the next rows, which are not to be changed any more.
// Rows that are dead have a number but are not sorted. There may be 2³²-1 rows;
// the error wraps maintenance.ErrRefused if there are more.
func (c *Collector) Add(ctx context.Context, keys rowkey.Keys, dead []bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rows := int64(keys.Len())
	if rows == 0 {
		return nil
	}
	if c.total+rows >= math.MaxUint32 {
		return tooMany(c.total + rows)
	}
	before, d := c.survey, c.digest
	if c.survey.add(keys); c.survey != before {
		wider := c.survey.digest()
		d = &wider
	}
	b, size := batch{keys: keys, dead: dead}, itemBytes*rows+int64(cap(dead))
	if d.exact {
		b.pack(d)
	} else {
		size += keys.Size()
		if err := c.unpack(ctx); err != nil {
			return err
		}
	}
	if len(c.batches) > 0 && c.size+size > c.most {
		if err := c.spill(ctx); err != nil {
			return err
		}
	}
	c.digest = d
	c.batches = append(c.batches, b)
	c.size += size
	c.rows += rows
	c.total += rows
	c.live += rows
	for _, is := range dead {
		if is {
			c.live--
		}
	}
	return nil
}

func tooMany(rows int64) error {
	return fmt.Errorf("%w: %d rows cannot be sorted together, only fewer than %d", maintenance.ErrRefused, rows, math.MaxUint32)
}

// unpack makes whole keys of what is in memory, or a run if there is no room.
func (c *Collector) unpack(ctx context.Context) error {
	if len(c.batches) == 0 || c.batches[0].digest == nil {
		return nil
	}
	size := c.size + c.rows*int64(c.digest.length+4)
	if size > c.most {
		return c.spill(ctx)
	}
	for i := range c.batches {
		c.batches[i].unpack()
	}
	c.size = size
	return nil
}

// order is the rows in memory that are not dead, in the order of their keys, and
// what finds these if they are whole. Rows with equal keys keep their order; the
// first has the number base.
func (c *Collector) order(d *digest, base uint32) ([]item, locator) {
	items := make([]item, 0, c.rows)
	ref := uint32(0)
	for i := range c.batches {
		items = c.batches[i].appendItems(items, d, base+ref, ref)
		ref += uint32(c.batches[i].len())
	}
	var at locator
	if d.exact {
		c.batches = nil
	} else {
		at = newLocator(c.batches)
	}
	sortItems(items)
	if !d.exact {
		untie(items, at)
	}
	return items, at
}

// spill writes what is in memory into a run.
func (c *Collector) spill(ctx context.Context) error {
	r := &run{log: c.sorter.Scratch.NewLog()}
	if c.digest.exact {
		r.digest = c.digest
	}
	c.runs = append(c.runs, r)
	rows := c.blockRows()
	items, at := c.order(c.digest, uint32(c.start))
	for len(items) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(rows, len(items))
		if err := r.append(items[:n], at.key); err != nil {
			return err
		}
		items = items[n:]
	}
	c.drop()
	return nil
}

// drop forgets what is in memory.
func (c *Collector) drop() {
	c.start += c.rows
	c.batches, c.size, c.rows = nil, 0, 0
}

// blockRows is how many rows a block has: merging keeps a block of every run in
// memory.
func (c *Collector) blockRows() int {
	row := mergedBytes + c.size/max(1, c.rows)
	return int(min(max(c.most/(4*mostRuns)/row, leastBlock), mostBlock))
}
