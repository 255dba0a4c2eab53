package extsort

import (
	"context"
	"iter"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

const (
	// mostRuns is how many runs are merged at once.
	mostRuns = 64
	// underWay is how many chunks there are: one is used while others are merged.
	underWay = 3
)

// Merge yields all rows in order, once. A chunk is valid until the next.
func (s *Sorter) Merge(ctx context.Context) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		if rows := s.Rows(); rows >= math.MaxUint32 {
			yield(nil, tooMany(rows))
			return
		}
		merging, cancel := context.WithCancel(ctx)
		defer cancel()
		full, empty := make(chan *Chunk, underWay), make(chan *Chunk, underWay)
		for range underWay {
			empty <- &Chunk{}
		}
		var eg errgroup.Group
		guard.Go(&eg, func() error { return s.merge(merging, full, empty) })
		more := true
		for c := range full {
			if ctx.Err() != nil {
				break
			}
			if more = yield(c, nil); !more {
				break
			}
			empty <- c
		}
		cut := ctx.Err()
		cancel()
		err := eg.Wait()
		if cut != nil {
			err = cut
		}
		if more && err != nil {
			yield(nil, err)
		}
	}
}

// merge fills empty chunks, as many as there are rows for.
func (s *Sorter) merge(ctx context.Context, full chan<- *Chunk, empty <-chan *Chunk) error {
	defer close(full)
	m, err := s.merger(ctx)
	if err != nil {
		return err
	}
	for {
		var c *Chunk
		select {
		case c = <-empty:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if ok, err := m.next(c); !ok || err != nil {
			return err
		}
		full <- c
	}
}

// merger is of all runs and what is in memory, in the order of equal keys. Runs
// that are too many are merged into longer ones first.
func (s *Sorter) merger(ctx context.Context) (*merger, error) {
	var all survey
	spilled := 0
	for _, c := range s.collectors {
		all.join(c.survey)
	}
	d := all.digest()
	for _, c := range s.collectors {
		if !d.exact {
			if err := c.unpack(ctx); err != nil {
				return nil, err
			}
		}
		spilled += len(c.runs)
	}
	m := &merger{digest: &d}
	var base uint32
	var eg errgroup.Group
	for _, c := range s.collectors {
		for spilled > s.fanIn && len(c.runs) > 1 {
			n := min(s.fanIn, len(c.runs), spilled-s.fanIn+1)
			if err := c.mergeRuns(ctx, &d, n); err != nil {
				return nil, err
			}
			spilled -= n - 1
		}
		for _, r := range c.runs {
			m.sources = append(m.sources, newSource(&d, r, base))
		}
		if c.rows > 0 {
			mem := &source{digest: &d, base: base}
			m.sources = append(m.sources, mem)
			guard.Go(&eg, func() error {
				if d.exact {
					d.remap(c.digest).all(c.items)
				}
				mem.find = c.order(&d)
				mem.rest, c.other = c.items, nil
				return nil
			})
		}
		base += uint32(c.total)
	}
	return m, eg.Wait()
}

// mergeRuns makes one run of the first n, whose keys are among those of a digest.
func (c *Collector) mergeRuns(ctx context.Context, d *digest, n int) error {
	out := &run{log: c.sorter.Scratch.NewLog()}
	if d.exact {
		out.digest = d
	}
	runs := c.runs[:n]
	// Closing the sorter closes all of them.
	c.runs = append([]*run{out}, c.runs...)
	m := &merger{digest: d}
	for _, r := range runs {
		m.sources = append(m.sources, newSource(d, r, 0))
	}
	var chunk Chunk
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		ok, err := m.next(&chunk)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		// Blocks stay as small as those that are merged.
		for items := chunk.items; len(items) > 0; {
			rows := min(m.blockRows, len(items))
			if err := out.append(items[:rows], chunk.key); err != nil {
				return err
			}
			items = items[rows:]
		}
	}
	for _, r := range runs {
		if err := r.log.Close(); err != nil {
			return err
		}
	}
	c.runs = append([]*run{out}, c.runs[n+1:]...)
	return nil
}
