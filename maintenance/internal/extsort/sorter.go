package extsort

import (
	"context"
	"fmt"
	"math"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/rowkey"
	"github.com/firndb/firn/maintenance/internal/scratch"
)

// Config says how to sort.
type Config struct {
	// Scratch is used when keys do not fit into memory.
	Scratch *scratch.Space
	// Memory is how many bytes of keys all collectors together keep.
	Memory int64
	// Collectors is how many there are.
	Collectors int
}

// Sorter sorts once.
type Sorter struct {
	Config
	collectors []*Collector
	fanIn      int
}

// New makes a sorter, which must be closed.
func New(c Config) *Sorter {
	s := &Sorter{Config: c, fanIn: mostRuns}
	for range c.Collectors {
		s.collectors = append(s.collectors, &Collector{sorter: s, most: c.Memory / int64(c.Collectors)})
	}
	return s
}

// Collector is one of the sorter's collectors.
func (s *Sorter) Collector(i int) *Collector { return s.collectors[i] }

// Rows is how many rows all collectors have been given, those that are dead
// included, and Live how many are not.
func (s *Sorter) Rows() int64 {
	var n int64
	for _, c := range s.collectors {
		n += c.total
	}
	return n
}

// Live is how many of the rows are not dead.
func (s *Sorter) Live() int64 {
	var n int64
	for _, c := range s.collectors {
		n += c.live
	}
	return n
}

// Close frees memory and scratch space.
func (s *Sorter) Close() error {
	var first error
	for _, c := range s.collectors {
		for _, r := range c.runs {
			if err := r.log.Close(); err != nil && first == nil {
				first = err
			}
		}
		c.drop()
		c.runs = nil
	}
	return first
}

// Collector takes keys and keeps them, in memory and in runs. It is used by one
// goroutine.
type Collector struct {
	sorter *Sorter
	most   int64

	batches []batch
	survey  survey
	size    int64
	// start is how many rows were given before those in memory, rows how many
	// these are.
	start, rows int64
	total, live int64
	runs        []*run
}

// batch is keys of rows that follow each other.
type batch struct {
	keys rowkey.Keys
	// dead says which rows are not wanted, nil if all are.
	dead []bool
}

// leastBlock is how many rows a block has at least.
const leastBlock = 8

// itemBytes is what a row takes while it is being sorted, besides its key.
const itemBytes = 32

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
	size := keys.Size() + itemBytes*rows + int64(cap(dead))
	if len(c.batches) > 0 && c.size+size > c.most {
		if err := c.spill(ctx); err != nil {
			return err
		}
	}
	c.batches = append(c.batches, batch{keys, dead})
	c.survey.add(keys)
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

// spill writes what is in memory into a run.
func (c *Collector) spill(ctx context.Context) error {
	r := &run{log: c.sorter.Scratch.NewLog(), survey: c.survey}
	c.runs = append(c.runs, r)
	d, at := c.survey.digest(), newLocator(c.batches)
	items := d.order(c.batches)
	rows := blockRows(c.size/max(1, c.rows), c.most)
	for len(items) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(rows, len(items))
		var b block
		for _, it := range items[:n] {
			if d.exact {
				b.keys.Data = d.append(b.keys.Data, it.prefix)
			} else {
				b.keys.Data = append(b.keys.Data, at.key(it.row)...)
			}
			b.end(uint32(c.start) + it.row)
		}
		items = items[n:]
		if err := r.append(b); err != nil {
			return err
		}
	}
	c.drop()
	return nil
}

// drop forgets what is in memory.
func (c *Collector) drop() {
	c.start += c.rows
	c.batches, c.survey, c.size, c.rows = nil, survey{}, 0, 0
}

// blockRows is how many rows a block has: merging keeps a block of every run in
// memory, packed and unpacked.
func blockRows(rowBytes, memory int64) int {
	return int(min(max(memory/(4*mostRuns)/max(1, rowBytes), leastBlock), 1<<15))
}
