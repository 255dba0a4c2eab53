package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/iceberg-go"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/internal/reorder"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// sortedColumn is a column that is put in order.
type sortedColumn struct {
	// index is its place among the top-level columns of new files.
	index int
	field iceberg.NestedField
	// bytes is about how large its values are in memory.
	bytes int64
	shelf *reorder.Shelf
	pages pageStore
	// groups are its chunks of row groups that are not written yet.
	groups []*splice.Encoded
}

// columnSet is the columns of a group, on their way into new files.
type columnSet struct {
	*sorting
	order  *reorder.Order
	groups []rowGroup
	target *splice.Target
	all    []*sortedColumn
	files  *sortedFiles
	// memory admits columns by the size of their values.
	memory  *semaphore.Weighted
	most    int64
	workers int
}

// columns reads the columns, puts them in order and writes the new files.
//
// Where the values of each column fit into memory, columns are encoded one after
// another, and their chunks put by until all are there. Otherwise the values of
// all columns are put by first, by bucket of the order, and then each bucket
// becomes row groups.
func (s *sorting) columns(ctx context.Context, order *reorder.Order, cuts *cuts) (w written, err error) {
	target, err := s.r.out.newTarget(0)
	if err != nil {
		return w, err
	}
	c := &columnSet{
		sorting: s, order: order, groups: cuts.groups(), target: target, most: s.share(columnsShare),
		workers: max(1, min(s.r.sorts.limits.Concurrency, len(s.r.out.columns))),
	}
	admitted := c.most
	if order.Buckets() == 1 {
		admitted += s.share(besideShare)
	}
	c.memory = semaphore.NewWeighted(max(1, admitted))
	for i, at := range s.r.out.columns {
		field := s.r.out.rows.Fields()[at]
		c.all = append(c.all, &sortedColumn{index: i, field: field, bytes: s.columnBytes(field)})
	}
	c.files = newSortedFiles(s, target, cuts)
	defer func() {
		err = errors.Join(err, c.close())
		w.files, w.paths, w.rows = c.files.result()
	}()
	if order.Buckets() == 1 {
		err = c.whole(ctx)
	} else {
		err = c.bucketed(ctx)
	}
	if err == nil {
		err = c.files.finish()
	}
	if err == nil {
		_, _, rows := c.files.result()
		err = s.check(cuts.rows, rows)
	}
	return w, err
}

// close frees what is left.
func (c *columnSet) close() error {
	var err error
	for _, column := range c.all {
		if column.shelf != nil {
			err = errors.Join(err, column.shelf.Close())
		}
		if column.pages != nil {
			err = errors.Join(err, column.pages.Close())
		}
	}
	c.files.close()
	return err
}

// each does something with all columns, several at a time: a large one beside
// small ones.
func (c *columnSet) each(ctx context.Context, do func(ctx context.Context, column *sortedColumn) error) error {
	left := slices.Clone(c.all)
	slices.SortStableFunc(left, func(a, b *sortedColumn) int { return -cmp.Compare(a.bytes, b.bytes) })
	var mu sync.Mutex
	take := func(large bool) *sortedColumn {
		mu.Lock()
		defer mu.Unlock()
		if len(left) == 0 {
			return nil
		}
		at := len(left) - 1
		if large {
			at = 0
		}
		column := left[at]
		left = slices.Delete(left, at, at+1)
		return column
	}
	eg, ctx := errgroup.WithContext(ctx)
	for i := range c.workers {
		guard.Go(eg, func() error {
			for column := take(i == 0); column != nil; column = take(i == 0) {
				if err := c.admitted(ctx, column, do); err != nil {
					return fmt.Errorf("column %q: %w", column.field.Name, err)
				}
			}
			return nil
		})
	}
	return eg.Wait()
}

// admitted does something with a column once there are memory and a processor.
func (c *columnSet) admitted(ctx context.Context, column *sortedColumn, do func(ctx context.Context, column *sortedColumn) error) error {
	memory := min(c.weight(column), max(1, c.most))
	if err := c.memory.Acquire(ctx, memory); err != nil {
		return err
	}
	defer c.memory.Release(memory)
	done, err := c.r.working(ctx)
	if err != nil {
		return err
	}
	defer done()
	return do(ctx, column)
}

// weight is how much memory a column's values are given at once.
func (c *columnSet) weight(column *sortedColumn) int64 {
	if c.order.Buckets() > 1 {
		return c.most / int64(c.workers)
	}
	return min(c.most, column.bytes+column.bytes/4+1<<16)
}

// whole encodes column by column.
func (c *columnSet) whole(ctx context.Context) error {
	if err := c.each(ctx, func(ctx context.Context, column *sortedColumn) error {
		if err := c.read(ctx, column); err != nil {
			return err
		}
		column.pages = c.newPages()
		if err := c.encode(ctx, column, 0, c.groups); err != nil {
			return err
		}
		err := column.shelf.Close()
		column.shelf = nil
		return err
	}); err != nil {
		return err
	}
	return c.write(ctx, c.groups)
}

// bucketed puts all values by and then encodes bucket by bucket.
func (c *columnSet) bucketed(ctx context.Context) error {
	if err := c.each(ctx, c.read); err != nil {
		return err
	}
	groups := c.groups
	for bucket := range c.order.Buckets() {
		_, to := c.order.Bucket(bucket)
		n := before(groups, to)
		if err := c.each(ctx, func(ctx context.Context, column *sortedColumn) error {
			column.pages = &memoryPages{}
			return c.encode(ctx, column, bucket, groups[:n])
		}); err != nil {
			return err
		}
		if err := c.write(ctx, groups[:n]); err != nil {
			return err
		}
		groups = groups[n:]
	}
	return nil
}

// before is how many of some row groups begin before a row.
func before(groups []rowGroup, row int64) int {
	n := 0
	for n < len(groups) && groups[n].from < row {
		n++
	}
	return n
}

// read reads a column of all files.
func (c *columnSet) read(ctx context.Context, column *sortedColumn) error {
	column.shelf = c.order.NewShelf(c.weight(column))
	tasks := c.undeleted()
	fields := []iceberg.NestedField{column.field}
	reader := datafile.NewReader(c.fs, c.r.table.Metadata(), fields, tasks, c.options(fields))
	var rows int64
	for batch, err := range reader.Rows(tasks).All(ctx) {
		if err != nil {
			return err
		}
		rows += batch.NumRows()
		err := column.shelf.Add(ctx, batch.Column(0))
		batch.Release()
		if err != nil {
			return err
		}
		c.did(batch.NumRows())
	}
	if rows != c.order.Rows() {
		return fmt.Errorf("%w: it has %d rows, but those that rows are sorted by have %d", maintenance.ErrCorrupt, rows, c.order.Rows())
	}
	return column.shelf.Finish(ctx)
}

// encode makes a column's chunks of the row groups of a bucket.
func (c *columnSet) encode(ctx context.Context, column *sortedColumn, bucket int, groups []rowGroup) error {
	values, err := column.shelf.Open(ctx, bucket)
	if err != nil {
		return err
	}
	defer values.Close()
	encoder, err := c.target.NewColumnEncoder(column.index, column.pages)
	if err != nil {
		return err
	}
	first, _ := c.order.Bucket(bucket)
	piece := pieceRows(column.bytes / max(1, c.order.Rows()))
	for _, g := range groups {
		rows, err := values.Rows(ctx, g.from-first, g.from-first+g.rows)
		if err != nil {
			return err
		}
		for at := int64(0); at < g.rows; at += piece {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(piece, g.rows-at)
			part, err := rows.Peek(at, at+n)
			if err != nil {
				return err
			}
			err = encoder.Append(part)
			part.Release()
			if err != nil {
				return err
			}
			c.did(n)
		}
		chunk, err := encoder.Finish()
		if err != nil {
			return err
		}
		column.groups = append(column.groups, chunk)
	}
	return nil
}

// write writes row groups of which all columns are encoded.
func (c *columnSet) write(ctx context.Context, groups []rowGroup) error {
	for _, g := range groups {
		columns := make([]splice.Column, len(c.all))
		for i, column := range c.all {
			columns[i] = splice.Column{Encoded: column.groups[0], Pages: column.pages}
			column.groups = column.groups[1:]
		}
		if err := c.files.write(ctx, g, columns); err != nil {
			return err
		}
	}
	return nil
}
