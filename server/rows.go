package server

import (
	"fmt"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/server/columnar"
)

// partition is the only one of a relation: reading in parallel is the scan's
// business.
type partition struct{}

// Key implements sql.Partition.
func (partition) Key() []byte { return []byte{0} }

// Partitions implements sql.Table.
func (r *relation) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(partition{}), nil
}

// PartitionRows implements sql.Table. Nothing is read before the first row is
// asked for.
func (r *relation) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	in, err := newSource(ctx, r)
	if err != nil {
		return nil, wireError(err)
	}
	return &rows{source: in}, nil
}

// slabRows is how many rows share the memory of one allocation.
const slabRows = 64

// rows turns the record batches of a source into the engine's rows.
type rows struct {
	*source
	// filter chooses rows; nil takes all.
	filter *columnar.Filter

	next func() (arrow.RecordBatch, error, bool)
	stop func()

	batch arrow.RecordBatch
	cells []cells
	// left are the rows of the batch still to come: those chosen, or all from
	// at on.
	chosen []int32
	at     int

	slab []any
}

// Next implements sql.RowIter.
func (r *rows) Next(ctx *sql.Context) (sql.Row, error) {
	if r.next == nil {
		batches, err := r.batches(ctx)
		if err != nil {
			return nil, wireError(err)
		}
		r.next, r.stop = iter.Pull2(batches)
	}
	for r.batch == nil || r.at >= r.count() {
		if err := r.advance(ctx); err != nil {
			return nil, err
		}
	}
	at := r.at
	if r.filter != nil {
		at = int(r.chosen[at])
	}
	row := r.row()
	for i, read := range r.cells {
		row[i] = read(at)
	}
	r.at++
	return row, nil
}

// count is how many rows of the batch are wanted.
func (r *rows) count() int {
	if r.filter != nil {
		return len(r.chosen)
	}
	return int(r.batch.NumRows())
}

// row is the memory of a new row.
func (r *rows) row() sql.Row {
	n := len(r.cells)
	if len(r.slab) < n || n == 0 {
		r.slab = make([]any, slabRows*n)
	}
	row := r.slab[:n:n]
	r.slab = r.slab[n:]
	return row
}

// advance takes the next batch; the error is io.EOF after the last.
func (r *rows) advance(ctx *sql.Context) error {
	r.release()
	if err := ctx.Err(); err != nil {
		return wireError(err)
	}
	batch, err, ok := r.next()
	if !ok {
		if err := ctx.Err(); err != nil {
			return wireError(err)
		}
		return io.EOF
	}
	if err != nil {
		return wireError(err)
	}
	r.batch, r.at = batch, 0
	if r.filter != nil {
		if r.chosen, err = r.filter.Rows(batch); err != nil {
			return wireError(fmt.Errorf("read %q: %w", r.relation.name, err))
		}
		if len(r.chosen) == 0 {
			return nil
		}
	}
	return wireError(r.prepare())
}

// prepare makes the readers of the batch's columns.
func (r *rows) prepare() (err error) {
	r.cells = make([]cells, len(r.fields))
	for i, f := range r.fields {
		at := r.batch.Schema().FieldIndices(f.Name)
		if len(at) != 1 {
			return fmt.Errorf("read %q: a batch has %d columns %q", r.relation.name, len(at), f.Name)
		}
		if r.cells[i], err = newCells(f.Type, r.batch.Column(at[0]), r.zone); err != nil {
			return fmt.Errorf("read %q: column %q: %w", r.relation.name, f.Name, err)
		}
	}
	return nil
}

func (r *rows) release() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

// Close implements sql.RowIter.
func (r *rows) Close(*sql.Context) error {
	r.release()
	if r.stop != nil {
		r.stop()
	}
	return nil
}
