package rewrite

import (
	"bytes"
	"context"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/maintenance/internal/extsort"
)

// cutter ends the files of a group whose rows come in order: after equal shares
// of the rows, but never between rows with equal keys, nor where a file would be
// so small that the next rewrite takes it again.
type cutter struct {
	// files is how many files there should be; rows is how many rows there are, of
	// which seen have been written, and next is how many files have ended.
	files, rows, seen, next int64
	least                   int64
	// last is the key of the last row written.
	last []byte
}

func newCutter(o Options, g Group, rows int64) *cutter {
	c := &cutter{files: max(1, g.OutputFiles), rows: rows, least: o.MinFileSize}
	if o.RewriteAll {
		c.least = 0
	}
	return c
}

// due is after how many rows the open file should end.
func (c *cutter) due() int64 {
	if c.next+1 >= c.files {
		return c.rows
	}
	return (c.next + 1) * c.rows / c.files
}

// write writes a chunk, ending files in it.
func (c *cutter) write(ctx context.Context, f *fan, chunk extsort.Chunk) error {
	rows := chunk.Batch.NumRows()
	if rows == 0 {
		return nil
	}
	for from := int64(0); from < rows; {
		to := c.end(chunk, from)
		part := chunk.Batch.NewSlice(from, to)
		err := f.write(ctx, part)
		part.Release()
		if err != nil {
			return err
		}
		c.seen += to - from
		from = to
		if from < rows && c.seen >= c.due() {
			if err := f.cut(c.least); err != nil {
				return err
			}
			c.next++
		}
	}
	c.last = append(c.last[:0], chunk.Key(int(rows)-1)...)
	return nil
}

// end is where in the chunk the open file ends, or the chunk.
func (c *cutter) end(chunk extsort.Chunk, from int64) int64 {
	rows := chunk.Batch.NumRows()
	at := max(from, from+c.due()-c.seen)
	for ; at < rows; at++ {
		previous := c.last
		if at > 0 {
			previous = chunk.Key(int(at) - 1)
		}
		if !bytes.Equal(previous, chunk.Key(int(at))) && c.seen+at-from > 0 {
			return at
		}
	}
	return rows
}

// ahead puts the next chunk together while the consumer works on one.
func ahead(ctx context.Context, s *extsort.Sorter) iter.Seq2[extsort.Chunk, error] {
	return func(yield func(extsort.Chunk, error) bool) {
		chunks := make(chan extsort.Chunk)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var eg errgroup.Group
		eg.Go(func() error {
			defer close(chunks)
			for chunk, err := range s.Merge(ctx) {
				if err != nil {
					return err
				}
				select {
				case chunks <- chunk:
				case <-ctx.Done():
					chunk.Batch.Release()
					return ctx.Err()
				}
			}
			return nil
		})
		for chunk := range chunks {
			if !yield(chunk, nil) {
				cancel()
				// What it was about to send is released there.
				eg.Wait()
				return
			}
		}
		if err := eg.Wait(); err != nil {
			yield(extsort.Chunk{}, err)
		}
	}
}
