package metatables

import (
	"context"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/manifest"
)

// batchRows is how many rows a record batch has at most.
const batchRows = 1024

// scan is what a table's rows are read with.
type scan struct {
	tbl *table.Table
	// snapshot is the one that was asked for; nil means the current one.
	snapshot *int64
	// leaves are what the wanted columns read of manifest entries.
	leaves []manifest.Leaf
	// filter is a condition that every wanted row meets, nil if there is none.
	filter iceberg.BooleanExpression
	// limit is how many rows are wanted, 0 if all.
	limit int64
	store *store
}

// rows streams the rows of a metadata table.
type rows[R any] func(ctx context.Context, s scan) iter.Seq2[R, error]

// records streams the rows of a metadata table as record batches, made from
// batches of type B, of at most batchRows rows.
type records[B any] func(ctx context.Context, s scan, batchers *batchers[B]) iter.Seq2[arrow.RecordBatch, error]

// counter says how many rows there are, if it knows; see Table.Count.
type counter func(ctx context.Context, s scan) (n int64, ok bool, err error)

// definition is what a metadata table is put together from.
type definition[B any] struct {
	name, doc string
	// columns may depend on the table.
	columns func(*table.Table) ([]column[B], error)
	read    records[B]
	count   counter
}

// define puts a metadata table together that is read row by row.
func define[R any](name, doc string, columns func(*table.Table) ([]column[[]R], error), read rows[R], count counter) Table {
	return definition[[]R]{name, doc, columns, gathered(read), count}.table()
}

func (d definition[B]) table() Table {
	return Table{
		Name: d.name,
		Doc:  d.doc,
		Schema: func(tbl *table.Table) (*iceberg.Schema, error) {
			all, err := d.columns(tbl)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.name, err)
			}
			return iceberg.NewSchema(0, fieldsOf(all)...), nil
		},
		Count: func(ctx context.Context, tbl *table.Table, req Request) (int64, bool, error) {
			n, ok, err := d.countRows(ctx, tbl, req)
			if err != nil {
				return 0, false, fmt.Errorf("%s: %w", d.name, err)
			}
			return n, ok, nil
		},
		Read: func(ctx context.Context, tbl *table.Table, req Request) iter.Seq2[arrow.RecordBatch, error] {
			return func(yield func(arrow.RecordBatch, error) bool) {
				for batch, err := range d.readRows(ctx, tbl, req) {
					if err != nil {
						err = fmt.Errorf("%s: %w", d.name, err)
					}
					if !yield(batch, err) {
						return
					}
				}
			}
		},
	}
}

func (d definition[B]) countRows(ctx context.Context, tbl *table.Table, req Request) (int64, bool, error) {
	if !always(req.Filter) {
		return 0, false, nil
	}
	n, ok, err := d.count(ctx, scan{tbl: tbl, snapshot: req.Snapshot, store: newStore(ctx, tbl, req.Cache)})
	if req.Limit > 0 {
		n = min(n, req.Limit)
	}
	return n, ok, err
}

func (d definition[B]) readRows(ctx context.Context, tbl *table.Table, req Request) iter.Seq2[arrow.RecordBatch, error] {
	all, err := d.columns(tbl)
	if err == nil {
		all, err = project(all, req.Columns)
	}
	if err == nil {
		all, err = narrowed(all, req.Fields)
	}
	if err != nil {
		return failed[arrow.RecordBatch](err)
	}
	batchers, err := newBatchers(memory.DefaultAllocator, all)
	if err != nil {
		return failed[arrow.RecordBatch](err)
	}
	s := scan{tbl: tbl, snapshot: req.Snapshot, store: newStore(ctx, tbl, req.Cache)}
	if always(req.Filter) {
		s.limit = req.Limit
	} else {
		s.filter = req.Filter
	}
	for _, c := range all {
		s.leaves = append(s.leaves, c.allLeaves()...)
	}
	return limited(s.limit, d.read(ctx, s, batchers))
}

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

// always says whether a filter takes every row.
func always(filter iceberg.BooleanExpression) bool {
	return filter == nil || filter.Op() == iceberg.OpTrue
}

// gathered makes record batches of rows. No rows make no batch. After an error
// nothing follows.
func gathered[R any](read rows[R]) records[[]R] {
	return func(ctx context.Context, s scan, batchers *batchers[[]R]) iter.Seq2[arrow.RecordBatch, error] {
		return func(yield func(arrow.RecordBatch, error) bool) {
			b := batchers.take()
			defer b.release()
			var rows []R
			flush := func() bool {
				batch, err := b.batch(rows, len(rows))
				rows = rows[:0]
				return yield(batch, err) && err == nil
			}
			for row, err := range read(ctx, s) {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if rows = append(rows, row); len(rows) == batchRows && !flush() {
					return
				}
			}
			if len(rows) > 0 {
				flush()
			}
		}
	}
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
func fixed[B any](columns []column[B]) func(*table.Table) ([]column[B], error) {
	return func(*table.Table) ([]column[B], error) { return columns, nil }
}
