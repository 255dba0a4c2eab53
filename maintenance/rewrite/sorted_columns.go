package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	"golang.org/x/sync/errgroup"

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
	// groups are its chunks of row groups.
	groups []*splice.Encoded
}

// columnSet is the columns of a group, on their way into new files.
type columnSet struct {
	*sorting
	order   *reorder.Order
	groups  []rowGroup
	target  *splice.Target
	all     []*sortedColumn
	files   *sortedFiles
	workers int
}

// columns reads the columns, puts them in order and writes the new files. Columns
// are encoded one after another, several beside each other, and their pages put by
// until all are there.
func (s *sorting) columns(ctx context.Context, order *reorder.Order, cuts *cuts) (w written, err error) {
	target, err := s.r.out.newTarget(0)
	if err != nil {
		return w, err
	}
	c := &columnSet{
		sorting: s, order: order, groups: cuts.groups(), target: target,
		workers: max(1, min(s.r.sorts.limits.Concurrency, len(s.r.out.columns))),
	}
	for i, at := range s.r.out.columns {
		field := s.r.out.rows.Fields()[at]
		c.all = append(c.all, &sortedColumn{index: i, field: field, bytes: s.columnBytes(field)})
	}
	c.files = newSortedFiles(s, target, cuts)
	defer func() {
		err = errors.Join(err, c.close())
		w.files, w.paths, w.rows = c.files.result()
	}()
	if err = c.each(ctx, c.column); err == nil {
		err = c.write(ctx)
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

// each does something with all columns, several at a time, the largest first.
func (c *columnSet) each(ctx context.Context, do func(ctx context.Context, column *sortedColumn) error) error {
	left := slices.Clone(c.all)
	slices.SortStableFunc(left, func(a, b *sortedColumn) int { return -cmp.Compare(a.bytes, b.bytes) })
	eg, ctx := errgroup.WithContext(ctx)
	eg.SetLimit(c.workers)
	for _, column := range left {
		guard.Go(eg, func() error {
			done, err := c.r.working(ctx)
			if err != nil {
				return err
			}
			defer done()
			if err := do(ctx, column); err != nil {
				return fmt.Errorf("column %q: %w", column.field.Name, err)
			}
			return nil
		})
	}
	return eg.Wait()
}

// column puts a column in order and encodes it.
func (c *columnSet) column(ctx context.Context, column *sortedColumn) error {
	if err := c.read(ctx, column); err != nil {
		return err
	}
	column.pages = c.newPages()
	if err := c.encode(ctx, column); err != nil {
		return err
	}
	err := column.shelf.Close()
	column.shelf = nil
	return err
}

// read reads a column of all files.
func (c *columnSet) read(ctx context.Context, column *sortedColumn) error {
	column.shelf = c.order.NewShelf(column.bytes+column.bytes/4, c.share(columnsShare)/int64(c.workers))
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

// encode makes a column's chunks of all row groups.
func (c *columnSet) encode(ctx context.Context, column *sortedColumn) error {
	encoder, err := c.target.NewColumnEncoder(column.index, column.pages)
	if err != nil {
		return err
	}
	for _, g := range c.groups {
		for part, err := range column.shelf.Rows(ctx, g.from, g.from+g.rows) {
			if err != nil {
				return err
			}
			err = encoder.Append(part)
			n := part.Len()
			part.Release()
			if err != nil {
				return err
			}
			c.did(int64(n))
		}
		chunk, err := encoder.Finish()
		if err != nil {
			return err
		}
		column.groups = append(column.groups, chunk)
	}
	return nil
}

// write writes the row groups, of which all columns are encoded.
func (c *columnSet) write(ctx context.Context) error {
	for i, g := range c.groups {
		columns := make([]splice.Column, len(c.all))
		for k, column := range c.all {
			columns[k] = splice.Column{Encoded: column.groups[i], Pages: column.pages}
			column.groups[i] = nil
		}
		if err := c.files.write(ctx, g, columns); err != nil {
			return err
		}
	}
	return nil
}
