package rewrite

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/internal/gather"
	"github.com/firndb/firn/maintenance/internal/reorder"
)

// rowSet is the rows of a group, on their way into new files of a format that
// stores rows.
type rowSet struct {
	*sorting
	order *reorder.Order
	cuts  *cuts
	// fields are the columns that files store, and shelves their values.
	fields  []iceberg.NestedField
	shelves []*reorder.Shelf
	// bytes is how large all values are, span how many rows are put together at once,
	// and piece how many are written at once.
	bytes, span, piece int64
	// places are those of the partitions that have had files, in this order.
	places []*place
	// partition is that of the last place, and file the one that rows go to of those
	// that were cut.
	partition, file int
	to              *rolling
	rows            int64
}

// rowwise reads the rows, puts their columns in order and writes the new files.
//
// The values of all columns are put by first. Then the rows are put together, so
// many at a time as fit into memory, column by column.
func (s *sorting) rowwise(ctx context.Context, order *reorder.Order, cuts *cuts) (w written, err error) {
	x := &rowSet{sorting: s, order: order, cuts: cuts, fields: s.stored(), partition: -1, file: -1}
	defer func() {
		err = errors.Join(err, x.close())
		for _, p := range x.places {
			w.files = append(w.files, p.files...)
			w.paths = append(w.paths, p.paths...)
		}
		w.rows = x.rows
	}()
	done, err := s.r.working(ctx)
	if err != nil {
		return w, err
	}
	defer done()
	if err := x.read(ctx); err != nil {
		return w, err
	}
	rowBytes := max(1, x.bytes/max(1, order.Rows()))
	x.span, x.piece = max(leastRows, s.bytesAtOnce()/2/rowBytes), pieceRows(rowBytes)
	for _, g := range cuts.groups() {
		if err := x.write(ctx, g); err != nil {
			return w, err
		}
	}
	if err := x.finish(); err != nil {
		return w, err
	}
	return w, s.check(cuts.rows, x.rows)
}

// close frees what is left.
func (x *rowSet) close() error {
	var err error
	for _, shelf := range x.shelves {
		err = errors.Join(err, shelf.Close())
	}
	if x.to != nil {
		x.to.abort()
	}
	return err
}

// read reads all columns of all files. Each is given memory by its share of the
// values.
func (x *rowSet) read(ctx context.Context) error {
	var all int64
	for _, f := range x.fields {
		all += x.columnBytes(f)
	}
	for _, f := range x.fields {
		bytes := x.columnBytes(f)
		share := columnsShare * float64(bytes) / float64(max(1, all))
		x.shelves = append(x.shelves, x.order.NewShelf(bytes, x.share(share), x.scarce(x.fields, len(x.fields))))
	}
	tasks := x.undeleted()
	reader := datafile.NewReader(x.fs, x.r.table.Metadata(), x.fields, tasks, x.options(x.fields))
	var rows int64
	for batch, err := range reader.Rows(tasks).All(ctx) {
		if err != nil {
			return err
		}
		rows += batch.NumRows()
		for i, shelf := range x.shelves {
			x.bytes += gather.Size(batch.Column(i))
			if err = shelf.Add(ctx, batch.Column(i)); err != nil {
				err = fmt.Errorf("column %q: %w", x.fields[i].Name, err)
				break
			}
		}
		batch.Release()
		if err != nil {
			return err
		}
		x.did(batch.NumRows() * int64(len(x.fields)))
	}
	if rows != x.order.Rows() {
		return fmt.Errorf("%w: there are %d rows, but those that rows are sorted by are of %d", maintenance.ErrCorrupt, rows, x.order.Rows())
	}
	for _, shelf := range x.shelves {
		if err := shelf.Finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// write writes rows that follow each other in one file.
func (x *rowSet) write(ctx context.Context, g rowGroup) error {
	if err := x.begin(ctx, g.file); err != nil {
		return err
	}
	for at := int64(0); at < g.rows; at += x.span {
		from := g.from + at
		if err := x.put(ctx, from, from+min(x.span, g.rows-at)); err != nil {
			return err
		}
	}
	return nil
}

// put writes the rows from and up to to of the new order.
func (x *rowSet) put(ctx context.Context, from, to int64) error {
	columns := make([]arrow.Array, len(x.r.out.rows.Fields()))
	for i, shelf := range x.shelves {
		part, err := shelf.Slice(ctx, from, to)
		if err != nil {
			return fmt.Errorf("column %q: %w", x.fields[i].Name, err)
		}
		defer part.Release()
		columns[x.r.out.columns[i]] = part
	}
	fields := make([]arrow.Field, len(columns))
	for i, f := range x.r.out.rows.Fields() {
		if columns[i] == nil {
			columns[i] = array.NewNull(int(to - from))
		}
		fields[i] = arrow.Field{Name: f.Name, Type: columns[i].DataType(), Nullable: true}
	}
	rows := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, to-from)
	defer rows.Release()
	for at := int64(0); at < to-from; at += x.piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(x.piece, to-from-at)
		part := rows.NewSlice(at, at+n)
		err := x.to.write(part)
		part.Release()
		if err != nil {
			return err
		}
		x.rows += n
		x.did(n * int64(len(x.fields)))
	}
	return nil
}

// begin has rows go to a file of those that were cut.
func (x *rowSet) begin(ctx context.Context, file int) error {
	if file == x.file {
		return nil
	}
	if err := x.finish(); err != nil {
		return err
	}
	x.file = file
	if p := x.cuts.files[file].partition; p != x.partition {
		x.partition = p
		values := x.cuts.partitions[p].values
		place := x.r.out.place(fmt.Sprintf("%05d-%s-%d", 0, x.name, len(x.places)), values)
		x.places = append(x.places, place)
		x.to = &rolling{out: x.r.out, partition: values, sink: place.sink(ctx), done: place.add, maxBytes: x.g.MaxFileSize, rowGroup: math.MaxInt64}
	}
	return nil
}

// finish closes the open file.
func (x *rowSet) finish() error {
	if x.to == nil {
		return nil
	}
	return x.to.finish()
}
