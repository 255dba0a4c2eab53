package rewrite

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"golang.org/x/sync/errgroup"
)

// rowWriter writes rows into a Parquet file.
type rowWriter interface {
	WriteBuffered(rows arrow.RecordBatch) error
	NewBufferedRowGroupChecked() error
	RowGroupTotalCompressedBytes() int64
	RowGroupTotalBytesWritten() int64
	AppendKeyValueMetadata(key, value string) error
	FileMetadata() (*metadata.FileMetaData, error)
	Close() error
}

// newRowWriter begins a file: one that encodes several columns at once, if none
// is nested.
func (o *output) newRowWriter(w io.Writer) (rowWriter, error) {
	for _, f := range o.arrow.Fields() {
		if _, nested := f.Type.(arrow.NestedType); nested {
			return pqarrow.NewFileWriter(o.arrow, w, o.props, pqarrow.DefaultWriterProps())
		}
	}
	return newFlatWriter(o, w)
}

// flatWriter writes rows without nested columns: a column has a value or NULL in
// every row, so that its definition levels are known without walking it.
type flatWriter struct {
	*file.Writer
	schema  *arrow.Schema
	group   file.BufferedRowGroupWriter
	rows    int64
	maxRows int64
	// defined are the levels of rows that all have values, of which as many as
	// need be are used; levels are those of each column that has nulls.
	defined []int16
	levels  [][]int16
	closed  bool
}

func newFlatWriter(o *output, w io.Writer) (*flatWriter, error) {
	columns, err := pqarrow.ToParquet(o.arrow, o.props, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	inner, err := file.NewParquetWriterWithError(w, columns.Root(), file.WithWriterProps(o.props))
	if err != nil {
		return nil, err
	}
	return &flatWriter{Writer: inner, schema: o.arrow, maxRows: o.settings.rowGroupRows, levels: make([][]int16, o.arrow.NumFields())}, nil
}

// NewBufferedRowGroupChecked ends the open row group.
func (w *flatWriter) NewBufferedRowGroupChecked() error {
	if err := w.endGroup(); err != nil {
		return err
	}
	group, err := w.AppendBufferedRowGroupChecked()
	w.group, w.rows = group, 0
	return err
}

func (w *flatWriter) endGroup() error {
	if w.group == nil {
		return nil
	}
	err := w.group.Close()
	w.group = nil
	return err
}

func (w *flatWriter) RowGroupTotalCompressedBytes() int64 {
	if w.group == nil {
		return 0
	}
	return w.group.TotalCompressedBytes()
}

func (w *flatWriter) RowGroupTotalBytesWritten() int64 {
	if w.group == nil {
		return 0
	}
	return w.group.TotalBytesWritten()
}

// WriteBuffered adds rows to the open row group, and begins new ones where it
// has as many rows as it may.
func (w *flatWriter) WriteBuffered(rows arrow.RecordBatch) error {
	for at := int64(0); at < rows.NumRows(); {
		if w.group == nil || w.rows >= w.maxRows {
			if err := w.NewBufferedRowGroupChecked(); err != nil {
				return err
			}
		}
		n := min(rows.NumRows()-at, w.maxRows-w.rows)
		part := rows.NewSlice(at, at+n)
		err := w.write(part)
		part.Release()
		if err != nil {
			return err
		}
		w.rows += n
		at += n
	}
	return nil
}

// write encodes the columns side by side.
func (w *flatWriter) write(rows arrow.RecordBatch) error {
	for int64(len(w.defined)) < rows.NumRows() {
		w.defined = append(w.defined, 1)
	}
	var eg errgroup.Group
	eg.SetLimit(runtime.GOMAXPROCS(0))
	for i, column := range rows.Columns() {
		eg.Go(func() error {
			field := w.schema.Field(i)
			out, err := w.group.Column(i)
			if err != nil {
				return err
			}
			if err := pqarrow.WriteArrowToColumn(context.Background(), out, column, w.levelsOf(i, column, field), nil, field.Nullable); err != nil {
				return fmt.Errorf("column %q: %w", field.Name, err)
			}
			return nil
		})
	}
	return eg.Wait()
}

// levelsOf are the definition levels of a column, none if it must have values.
func (w *flatWriter) levelsOf(i int, column arrow.Array, field arrow.Field) []int16 {
	if !field.Nullable {
		return nil
	}
	if column.NullN() == 0 {
		return w.defined[:column.Len()]
	}
	levels := w.levels[i][:0]
	for row := range column.Len() {
		if column.IsNull(row) {
			levels = append(levels, 0)
		} else {
			levels = append(levels, 1)
		}
	}
	w.levels[i] = levels
	return levels
}

// Close ends the file.
func (w *flatWriter) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	if err := w.endGroup(); err != nil {
		return err
	}
	return w.Writer.Close()
}
