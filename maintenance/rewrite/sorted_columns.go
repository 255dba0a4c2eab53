package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

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
	// read is closed when its values are on the shelf.
	read chan struct{}
	// taken is how many of its chunks somebody has begun to encode, and left how many
	// are not encoded.
	taken, left atomic.Int64
}

// columnSet is the columns of a group, on their way into new files.
type columnSet struct {
	*sorting
	order  *reorder.Order
	target *splice.Target
	// queue is the columns in the order in which they are read, of which somebody has
	// begun the first taken.
	queue  []*sortedColumn
	taken  atomic.Int64
	scarce bool
	stores []*chunkStore
	held   heldChunks
	files  *sortedFiles

	// groups are the row groups with their chunks by column.
	groups []chunkGroup
	// whole gets the number of each row group of which all columns are encoded.
	whole chan int
}

// chunkGroup is a row group whose columns are being encoded.
type chunkGroup struct {
	rowGroup
	columns []splice.Column
	left    atomic.Int64
}

// columns reads the columns, puts them in order and writes the new files.
//
// Several columns are worked on beside each other, the smallest first. Whoever
// finds no more column to read encodes chunks of those that others have read. Row
// groups are written as soon as all their chunks are there, which happens while
// the largest columns are encoded, whose turn is last.
func (s *sorting) columns(ctx context.Context, order *reorder.Order, cuts *cuts) (w written, err error) {
	target, err := s.r.out.newTarget(0)
	if err != nil {
		return w, err
	}
	c := &columnSet{sorting: s, order: order, target: target, files: newSortedFiles(s, target, cuts)}
	c.held.most = s.share(pagesShare)
	groups := cuts.groups()
	c.groups, c.whole = make([]chunkGroup, len(groups)), make(chan int, len(groups))
	for i, g := range groups {
		c.groups[i].rowGroup, c.groups[i].columns = g, make([]splice.Column, len(s.r.out.columns))
		c.groups[i].left.Store(int64(len(s.r.out.columns)))
	}
	for i, at := range s.r.out.columns {
		field := s.r.out.rows.Fields()[at]
		column := &sortedColumn{index: i, field: field, bytes: s.columnBytes(field), read: make(chan struct{})}
		column.left.Store(int64(len(groups)))
		c.queue = append(c.queue, column)
	}
	c.scarce = s.scarce(s.stored(), max(1, s.r.sorts.limits.Concurrency))
	slices.SortStableFunc(c.queue, func(a, b *sortedColumn) int { return cmp.Compare(a.bytes, b.bytes) })
	defer func() {
		err = errors.Join(err, c.close())
		w.files, w.paths, w.rows = c.files.result()
	}()
	if err = c.run(ctx); err == nil {
		_, _, rows := c.files.result()
		err = s.check(cuts.rows, rows)
	}
	return w, err
}

// close frees what is left.
func (c *columnSet) close() error {
	var err error
	for _, column := range c.queue {
		if column.shelf != nil {
			err = errors.Join(err, column.shelf.Close())
		}
	}
	for _, s := range c.stores {
		err = errors.Join(err, s.log.Close())
	}
	c.files.close()
	return err
}

// run has several goroutines work on columns and one write row groups.
func (c *columnSet) run(ctx context.Context) error {
	for range max(1, c.r.sorts.limits.Concurrency) {
		c.stores = append(c.stores, &chunkStore{held: &c.held, log: c.r.sorts.space.NewLog()})
	}
	eg, ctx := errgroup.WithContext(ctx)
	for _, store := range c.stores {
		guard.Go(eg, func() error { return c.work(ctx, store) })
	}
	guard.Go(eg, func() error { return c.write(ctx) })
	return eg.Wait()
}

// work reads columns and encodes their chunks, then those of columns that others
// have read.
func (c *columnSet) work(ctx context.Context, store *chunkStore) error {
	for n := c.taken.Add(1); n <= int64(len(c.queue)); n = c.taken.Add(1) {
		column := c.queue[n-1]
		if err := c.slot(ctx, column, func() error { return c.read(ctx, column) }); err != nil {
			return err
		}
		close(column.read)
		if err := c.chunks(ctx, column, store); err != nil {
			return err
		}
	}
	for _, column := range c.queue {
		select {
		case <-column.read:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := c.chunks(ctx, column, store); err != nil {
			return err
		}
	}
	return nil
}

// slot does something with a column once there is a processor.
func (c *columnSet) slot(ctx context.Context, column *sortedColumn, do func() error) error {
	done, err := c.r.working(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := do(); err != nil {
		return fmt.Errorf("column %q: %w", column.field.Name, err)
	}
	return nil
}

// chunks encodes the chunks of a column that nobody else has begun.
func (c *columnSet) chunks(ctx context.Context, column *sortedColumn, store *chunkStore) error {
	var encoder *splice.ColumnEncoder
	for n := column.taken.Add(1); n <= int64(len(c.groups)); n = column.taken.Add(1) {
		i := int(n) - 1
		if err := c.slot(ctx, column, func() (err error) {
			if encoder == nil {
				if encoder, err = c.target.NewColumnEncoder(column.index, store); err != nil {
					return err
				}
			}
			return c.encode(ctx, column, &c.groups[i], encoder, store)
		}); err != nil {
			return err
		}
		if c.groups[i].left.Add(-1) == 0 {
			c.whole <- i
		}
		if column.left.Add(-1) == 0 {
			// Scratch space is given back before the next column needs it.
			if err := column.shelf.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// read reads a column of all files.
func (c *columnSet) read(ctx context.Context, column *sortedColumn) error {
	column.shelf = c.order.NewShelf(column.bytes+column.bytes/4, c.share(columnsShare)/int64(len(c.stores)), c.scarce)
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

// encode makes a column's chunk of a row group.
func (c *columnSet) encode(ctx context.Context, column *sortedColumn, g *chunkGroup, encoder *splice.ColumnEncoder, store *chunkStore) error {
	// The last chunks of a row group are written soon, and so are all of a small
	// group of files.
	store.begin(g.left.Load() <= int64(len(c.stores)) || c.g.Bytes <= c.held.most)
	encoder.Reset(store)
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
	pages, err := store.end()
	g.columns[column.index] = splice.Column{Encoded: chunk, Pages: pages}
	return err
}

// write writes row groups, one after another, as they become whole.
func (c *columnSet) write(ctx context.Context) error {
	whole := make([]bool, len(c.groups))
	for i := range c.groups {
		for !whole[i] {
			select {
			case n := <-c.whole:
				whole[n] = true
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		g := &c.groups[i]
		if err := c.files.write(ctx, g.rowGroup, g.columns); err != nil {
			return err
		}
		for _, column := range g.columns {
			c.held.forget(column.Pages)
		}
		g.columns = nil
	}
	return c.files.finish()
}
