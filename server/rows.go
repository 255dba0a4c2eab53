package server

import (
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
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
	l, err := r.load()
	if err != nil {
		return nil, wireError(err)
	}
	positions, err := r.selected(l)
	if err != nil {
		return nil, wireError(err)
	}
	zone, err := zoneOf(ctx)
	if err != nil {
		return nil, wireError(err)
	}
	rows := &rows{relation: r, loaded: l, zone: zone}
	rows.fields = make([]iceberg.NestedField, len(positions))
	for i, p := range positions {
		rows.fields[i] = l.fields[p]
	}
	return rows, nil
}

// rows turns the record batches of a relation into the engine's rows.
type rows struct {
	relation *relation
	loaded   *loaded
	fields   []iceberg.NestedField
	zone     *time.Location

	next func() (arrow.RecordBatch, error, bool)
	stop func()

	batch arrow.RecordBatch
	cells []cells
	at    int
}

// Next implements sql.RowIter.
func (r *rows) Next(ctx *sql.Context) (sql.Row, error) {
	if r.next == nil {
		if err := r.open(ctx); err != nil {
			return nil, wireError(err)
		}
	}
	for r.batch == nil || r.at >= int(r.batch.NumRows()) {
		if err := r.advance(ctx); err != nil {
			return nil, err
		}
	}
	row := make(sql.Row, len(r.cells))
	for i, read := range r.cells {
		row[i] = read(r.at)
	}
	r.at++
	return row, nil
}

func (r *rows) open(ctx *sql.Context) error {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = f.Name
	}
	seq, err := r.relation.batches(ctx, r.loaded, names)
	if err != nil {
		return err
	}
	r.next, r.stop = iter.Pull2(seq)
	return nil
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
	r.cells = make([]cells, len(r.fields))
	for i, f := range r.fields {
		at := batch.Schema().FieldIndices(f.Name)
		if len(at) != 1 {
			return wireError(fmt.Errorf("read %q: a batch has %d columns %q", r.relation.name, len(at), f.Name))
		}
		if r.cells[i], err = newCells(f.Type, batch.Column(at[0]), r.zone); err != nil {
			return wireError(fmt.Errorf("read %q: column %q: %w", r.relation.name, f.Name, err))
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
