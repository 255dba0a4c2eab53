package extsort

import (
	"context"
	"fmt"
	"math"
	"slices"

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
	// items are what is in memory while the digest is exact, other is for sorting
	// them; batches are it otherwise. size is what either takes.
	items, other []item
	batches      []batch
	size         int64
	// start is how many rows were given before those in memory, rows how many
	// these are.
	start, rows int64
	total, live int64
	runs        []*run
}

const (
	// leastBlock is how many rows a block has at least, and mostBlock at most.
	leastBlock, mostBlock = 8, 1 << 15
	// itemBytes is what a row takes while it is being sorted, besides its whole key:
	// two items.
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
	size := itemBytes * rows
	if !d.exact {
		size += keys.Size() + int64(cap(dead))
		if err := c.unpack(ctx); err != nil {
			return err
		}
		c.digest = d
	}
	if c.rows > 0 && c.size+size > c.most {
		if err := c.spill(ctx); err != nil {
			return err
		}
	}
	if d.exact {
		if c.digest != nil && c.digest != d {
			d.remap(c.digest).all(c.items)
		}
		c.grow(int(rows))
		c.items = d.pack(c.items, keys, dead, uint32(c.total))
	} else {
		c.batches = append(c.batches, batch{keys, dead})
	}
	c.digest = d
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

// grow makes room for more items: not more than there may be, as another slice
// becomes as large.
func (c *Collector) grow(rows int) {
	need := len(c.items) + rows
	if need <= cap(c.items) {
		return
	}
	grown := make([]item, len(c.items), max(need, min(2*need, int(c.most/itemBytes))))
	copy(grown, c.items)
	c.items = grown
}

func tooMany(rows int64) error {
	return fmt.Errorf("%w: %d rows cannot be sorted together, only fewer than %d", maintenance.ErrRefused, rows, math.MaxUint32)
}

// unpack makes whole keys of what is in memory, or a run if there is no room.
func (c *Collector) unpack(ctx context.Context) error {
	if c.rows == 0 || !c.digest.exact {
		return nil
	}
	size := c.size + c.rows*int64(c.digest.length+4+1)
	if size > c.most || c.rows*int64(c.digest.length) > math.MaxUint32 {
		if err := c.spill(ctx); err != nil {
			return err
		}
	} else {
		c.batches, c.size = []batch{c.digest.unpack(c.items, uint32(c.start), c.rows)}, size
	}
	c.items, c.other = nil, nil
	return nil
}

// order sorts what is in memory. If the digest is not exact items refer to whole
// keys, which the locator finds.
func (c *Collector) order(d *digest) locator {
	var at locator
	if !d.exact {
		at = newLocator(c.batches)
		c.items = slices.Grow(c.items[:0], int(c.rows))
		ref := uint32(0)
		for i := range c.batches {
			c.items = c.batches[i].appendItems(c.items, d, uint32(c.start)+ref, ref)
			ref += uint32(c.batches[i].keys.Len())
		}
	}
	if len(c.other) < len(c.items) {
		c.other = make([]item, cap(c.items))
	}
	sortItems(c.items, c.other)
	if !d.exact {
		untie(c.items, at)
	}
	return at
}

// spill writes what is in memory into a run.
func (c *Collector) spill(ctx context.Context) error {
	r := &run{log: c.sorter.Scratch.NewLog()}
	if c.digest.exact {
		r.digest = c.digest
	}
	c.runs = append(c.runs, r)
	rows := c.blockRows()
	at := c.order(c.digest)
	for items := c.items; len(items) > 0; {
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
	c.items, c.size, c.rows = c.items[:0], 0, 0
	if c.batches != nil {
		// Rows with other keys may be fewer.
		c.batches, c.items, c.other = nil, nil, nil
	}
}

// blockRows is how many rows a block has: merging keeps a block of every run in
// memory.
func (c *Collector) blockRows() int {
	row := mergedBytes + c.size/max(1, c.rows)
	return int(min(max(c.most/(4*mostRuns)/row, leastBlock), mostBlock))
}
