package metatables

import (
	"context"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// batchRows is how many rows a record batch has at most.
const batchRows = 1024

// scan is what a table's rows are read with.
type scan struct {
	tbl *table.Table
	// snapshot is the one that was asked for; nil means the current one.
	snapshot *int64
	// stats says which column statistics the wanted columns look at.
	stats statistics
}

// rows streams the rows of a metadata table.
type rows[R any] func(ctx context.Context, s scan) iter.Seq2[R, error]

// counter says how many rows there are, if it knows; see Table.Count.
type counter func(ctx context.Context, s scan) (n int64, ok bool, err error)

// uncounted is the counter of tables whose rows have to be read.
func uncounted(context.Context, scan) (int64, bool, error) { return 0, false, nil }

// counted is the counter of tables whose rows are cheap to make.
func counted[R any](read rows[R]) counter {
	return func(ctx context.Context, s scan) (n int64, ok bool, err error) {
		for _, err := range read(ctx, s) {
			if err != nil {
				return 0, false, err
			}
			n++
		}
		return n, true, nil
	}
}

// define puts a metadata table together from its columns, which may depend on
// the table, and its rows.
func define[R any](name, doc string, columns func(*table.Table) ([]column[R], error), read rows[R], count counter) Table {
	return Table{
		Name: name,
		Doc:  doc,
		Schema: func(tbl *table.Table) (*iceberg.Schema, error) {
			all, err := columns(tbl)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return iceberg.NewSchema(0, fieldsOf(all)...), nil
		},
		Count: func(ctx context.Context, tbl *table.Table, req Request) (int64, bool, error) {
			if !always(req.Filter) {
				return 0, false, nil
			}
			n, ok, err := count(ctx, scan{tbl: tbl, snapshot: req.Snapshot})
			if err != nil {
				return 0, false, fmt.Errorf("%s: %w", name, err)
			}
			if req.Limit > 0 {
				n = min(n, req.Limit)
			}
			return n, ok, nil
		},
		Read: func(ctx context.Context, tbl *table.Table, req Request) iter.Seq2[arrow.RecordBatch, error] {
			return func(yield func(arrow.RecordBatch, error) bool) {
				all, err := columns(tbl)
				if err == nil {
					all, err = project(all, req.Columns)
				}
				if err != nil {
					yield(nil, fmt.Errorf("%s: %w", name, err))
					return
				}
				s := scan{tbl: tbl, snapshot: req.Snapshot}
				for _, c := range all {
					s.stats = max(s.stats, c.stats)
				}
				for batch, err := range limited(req.Limit, stream(ctx, memory.DefaultAllocator, all, read(ctx, s))) {
					if err != nil {
						err = fmt.Errorf("%s: %w", name, err)
					}
					if !yield(batch, err) {
						return
					}
				}
			}
		},
	}
}

// always says whether a filter takes every row.
func always(filter iceberg.BooleanExpression) bool {
	return filter == nil || filter.Op() == iceberg.OpTrue
}

// limited ends batches after limit rows; 0 is no limit.
func limited(limit int64, batches iter.Seq2[arrow.RecordBatch, error]) iter.Seq2[arrow.RecordBatch, error] {
	if limit <= 0 {
		return batches
	}
	return func(yield func(arrow.RecordBatch, error) bool) {
		left := limit
		for batch, err := range batches {
			if err == nil && batch.NumRows() >= left {
				last := batch.NewSlice(0, left)
				batch.Release()
				yield(last, nil)
				return
			}
			if err == nil {
				left -= batch.NumRows()
			}
			if !yield(batch, err) {
				return
			}
		}
	}
}

// fixed is the columns of a metadata table that has the same for every table.
func fixed[R any](columns []column[R]) func(*table.Table) ([]column[R], error) {
	return func(*table.Table) ([]column[R], error) { return columns, nil }
}

// project picks columns by name; nil picks all.
func project[R any](all []column[R], names []string) ([]column[R], error) {
	if names == nil {
		return all, nil
	}
	byName := make(map[string]column[R], len(all))
	for _, c := range all {
		byName[c.field.Name] = c
	}
	picked := make([]column[R], len(names))
	for i, name := range names {
		c, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("no column %q; there are %q", name, columnNames(all))
		}
		picked[i] = c
	}
	return picked, nil
}

func columnNames[R any](columns []column[R]) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.field.Name
	}
	return names
}

// stream writes rows into record batches of at most batchRows rows. No rows
// make no batch. After an error nothing follows.
func stream[R any](ctx context.Context, alloc memory.Allocator, columns []column[R], read iter.Seq2[R, error]) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		schema, err := arrowSchema(columns)
		if err != nil {
			yield(nil, err)
			return
		}
		b := newBatcher(alloc, schema, columns)
		defer b.release()
		for row, err := range read {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = b.add(row)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if b.rows == batchRows && !yield(b.batch(), nil) {
				return
			}
		}
		if b.rows > 0 {
			yield(b.batch(), nil)
		}
	}
}

// arrowSchema is built column by column: a projection may name a column twice,
// which an Iceberg schema does not allow.
func arrowSchema[R any](columns []column[R]) (*arrow.Schema, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		one, err := table.SchemaToArrowSchema(iceberg.NewSchema(0, c.field), nil, true, false)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.field.Name, err)
		}
		fields[i] = one.Field(0)
	}
	return arrow.NewSchema(fields, nil), nil
}

// batcher collects rows of one record batch.
type batcher[R any] struct {
	schema   *arrow.Schema
	columns  []column[R]
	builders []array.Builder
	rows     int
}

func newBatcher[R any](alloc memory.Allocator, schema *arrow.Schema, columns []column[R]) *batcher[R] {
	b := &batcher[R]{schema: schema, columns: columns}
	for _, f := range schema.Fields() {
		b.builders = append(b.builders, array.NewBuilder(alloc, f.Type))
	}
	return b
}

func (b *batcher[R]) add(row R) error {
	for i, c := range b.columns {
		if err := c.write(b.builders[i], row); err != nil {
			return fmt.Errorf("column %q: %w", c.field.Name, err)
		}
	}
	b.rows++
	return nil
}

// batch hands out what was added and begins anew.
func (b *batcher[R]) batch() arrow.RecordBatch {
	arrays := make([]arrow.Array, len(b.builders))
	for i, builder := range b.builders {
		arrays[i] = builder.NewArray()
		defer arrays[i].Release()
	}
	batch := array.NewRecordBatch(b.schema, arrays, int64(b.rows))
	b.rows = 0
	return batch
}

func (b *batcher[R]) release() {
	for _, builder := range b.builders {
		builder.Release()
	}
}
