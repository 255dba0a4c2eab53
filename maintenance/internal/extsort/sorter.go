package extsort

import (
	"context"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/maintenance/internal/gather"
	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// Config says how to sort.
type Config struct {
	Encoder *rowkey.Encoder
	// Scratch is asked for when rows do not fit into memory.
	Scratch func() (*Scratch, error)
	// Memory is how many bytes of rows and keys all collectors together keep.
	Memory int64
	// Collectors is how many there are.
	Collectors int
	// Rows is how many rows a chunk of the result has.
	Rows int
	// Parallel is how many columns are put in order at once.
	Parallel int
}

// Sorter sorts once.
type Sorter struct {
	Config
	collectors []*Collector
	fanIn      int

	mu      sync.Mutex
	scratch *Scratch
	files   []*run
}

// New makes a sorter, which must be closed.
func New(c Config) *Sorter {
	s := &Sorter{Config: c, fanIn: mostRuns}
	for range c.Collectors {
		s.collectors = append(s.collectors, &Collector{sorter: s, most: c.Memory / int64(c.Collectors)})
	}
	return s
}

// Collector is one of the sorter's collectors. Rows of earlier ones go before
// rows with equal keys of later ones.
func (s *Sorter) Collector(i int) *Collector { return s.collectors[i] }

// Total is how many rows all collectors have been given.
func (s *Sorter) Total() int64 {
	var n int64
	for _, c := range s.collectors {
		n += c.total
	}
	return n
}

// Close frees memory and scratch space.
func (s *Sorter) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first error
	for _, r := range s.files {
		if err := r.close(); err != nil && first == nil {
			first = err
		}
	}
	s.files = nil
	for _, c := range s.collectors {
		c.drop()
	}
	return first
}

// Collector takes rows and keeps them, in memory and in runs. It is used by one
// goroutine.
type Collector struct {
	sorter *Sorter
	most   int64

	batches []arrow.RecordBatch
	keys    []rowkey.Keys
	size    int64
	rows    int64
	total   int64
	runs    []*run
}

// itemBytes is what a row takes while it is being sorted, besides its values
// and key.
const itemBytes = 32

// Add takes a batch; the caller may release it.
func (c *Collector) Add(ctx context.Context, batch arrow.RecordBatch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if batch.NumRows() == 0 {
		return nil
	}
	keys, err := c.sorter.Encoder.Encode(batch)
	if err != nil {
		return err
	}
	size := gather.Size(batch) + keys.Size() + itemBytes*batch.NumRows()
	if len(c.batches) > 0 && (c.size+size > c.most || c.rows+batch.NumRows() > 1<<31) {
		if err := c.spill(ctx); err != nil {
			return err
		}
	}
	batch.Retain()
	c.batches = append(c.batches, batch)
	c.keys = append(c.keys, keys)
	c.size += size
	c.rows += batch.NumRows()
	c.total += batch.NumRows()
	return nil
}

// spill writes what is in memory into a run.
func (c *Collector) spill(ctx context.Context) error {
	r, err := c.sorter.newRun()
	if err != nil {
		return err
	}
	m := newMerger([]*source{newMemorySource(c.batches, c.keys)})
	rows := blockRows(c.size/c.rows, c.most)
	for {
		chunk, err := m.next(ctx, rows, c.sorter.gather(1))
		if err != nil {
			return err
		}
		if chunk.Batch == nil {
			break
		}
		if err := r.append(block{chunk.Batch, joined(chunk.keys)}); err != nil {
			return err
		}
	}
	c.runs = append(c.runs, r)
	c.drop()
	return nil
}

func (c *Collector) drop() {
	for _, b := range c.batches {
		b.Release()
	}
	c.batches, c.keys, c.size, c.rows = nil, nil, 0, 0
}

// blockRows is how many rows a block has: merging keeps a block of every run in
// memory, packed and unpacked.
func blockRows(rowBytes, memory int64) int {
	return int(min(max(memory/(4*mostRuns)/max(1, rowBytes), 64), 1<<14))
}

// joined copies keys together.
func joined(keys [][]byte) rowkey.Keys {
	size := 0
	for _, k := range keys {
		size += len(k)
	}
	out := rowkey.Keys{Data: make([]byte, 0, size), Ends: make([]uint32, len(keys))}
	for i, k := range keys {
		out.Data = append(out.Data, k...)
		out.Ends[i] = uint32(len(out.Data))
	}
	return out
}

// gatherer puts rows of batches together.
type gatherer func(batches []arrow.RecordBatch, refs []gather.Ref) (arrow.RecordBatch, error)

// gather works on so many columns at once.
func (s *Sorter) gather(parallel int) gatherer {
	return func(batches []arrow.RecordBatch, refs []gather.Ref) (arrow.RecordBatch, error) {
		columns := make([]arrow.Array, batches[0].NumCols())
		var eg errgroup.Group
		eg.SetLimit(parallel)
		for i := range columns {
			eg.Go(func() (err error) {
				sources := make([]arrow.Array, len(batches))
				for j, b := range batches {
					sources[j] = b.Column(i)
				}
				if columns[i], err = gather.Column(sources, refs); err != nil {
					err = fmt.Errorf("column %q: %w", batches[0].ColumnName(i), err)
				}
				return err
			})
		}
		if err := eg.Wait(); err != nil {
			return nil, err
		}
		return newBatch(batches[0].Schema(), columns, len(refs)), nil
	}
}
