package rewrite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/iceberg-go"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// parquetWriter encodes rows into a Parquet file. Pages of the open row group are
// in memory.
type parquetWriter struct {
	out     *output
	buffer  *bufio.Writer
	file    *splice.Writer
	columns []rowColumn
	// rows are those of the open row group, of which there are at most maxRows; it
	// ends after maxBytes.
	rows, maxRows, maxBytes int64
	// rowBytes is how long a row is taken to be as long as no page is finished, if
	// not 0.
	rowBytes float64
	facts    floatFacts
	footer   []byte
}

// rowColumn is a column of the open row group.
type rowColumn struct {
	encoder *splice.ColumnEncoder
	pages   *splice.PageBuffer
}

// newParquetWriter begins a Parquet file.
func (o *output) newParquetWriter(w io.Writer, rowBytes float64, rowGroup int64) (*parquetWriter, error) {
	out := &parquetWriter{
		out: o, buffer: bufio.NewWriterSize(w, writeBuffer), facts: newFloatFacts(o.nans),
		maxRows: o.settings.rowGroupRows, maxBytes: rowGroup, rowBytes: rowBytes,
	}
	for i, f := range o.arrow.Fields() {
		pages := &splice.PageBuffer{}
		encoder, err := o.target.NewColumnEncoder(i, pages)
		if err != nil {
			return nil, fmt.Errorf("%w: column %q cannot be written: %w", maintenance.ErrUnsupported, f.Name, err)
		}
		out.columns = append(out.columns, rowColumn{encoder, pages})
	}
	var err error
	out.file, err = o.target.NewWriter(out.buffer)
	return out, err
}

// write adds rows to the open row group, or to a new one if that is large enough,
// and begins others where it has as many rows as it may.
func (w *parquetWriter) write(columns []arrow.Array) error {
	if w.left() <= 0 {
		if err := w.endGroup(); err != nil {
			return err
		}
	}
	rows := int64(columns[0].Len())
	for at := int64(0); at < rows; {
		if w.rows >= w.maxRows {
			if err := w.endGroup(); err != nil {
				return err
			}
		}
		n := min(rows-at, w.maxRows-w.rows)
		if err := w.encode(columns, at, at+n); err != nil {
			return err
		}
		w.rows += n
		at += n
	}
	return nil
}

// encode encodes the columns side by side.
func (w *parquetWriter) encode(columns []arrow.Array, from, to int64) error {
	var eg errgroup.Group
	eg.SetLimit(runtime.GOMAXPROCS(0))
	for i, c := range w.columns {
		guard.Go(&eg, func() error {
			part := array.NewSlice(columns[i], from, to)
			defer part.Release()
			return c.encoder.Append(part)
		})
	}
	return eg.Wait()
}

// size estimates how long the file would be now.
func (w *parquetWriter) size() int64 { return w.file.Size() + w.groupBytes() }

// left estimates how many more bytes the open row group has room for.
func (w *parquetWriter) left() int64 { return w.maxBytes - w.groupBytes() }

// groupBytes estimates how large the open row group would be now: as long as no
// page is finished, by the size of rows before.
func (w *parquetWriter) groupBytes() int64 {
	if w.rowBytes > 0 && !w.hasPages() {
		return int64(float64(w.rows) * w.rowBytes)
	}
	var n int64
	for _, c := range w.columns {
		n += c.encoder.EncodedBytes()
	}
	return n
}

// hasPages says whether a page of the open row group is finished.
func (w *parquetWriter) hasPages() bool {
	return slices.ContainsFunc(w.columns, func(c rowColumn) bool { return c.pages.Len() > 0 })
}

// endGroup writes the open row group.
func (w *parquetWriter) endGroup() error {
	if w.rows == 0 {
		return nil
	}
	columns := make([]splice.Column, len(w.columns))
	var eg errgroup.Group
	eg.SetLimit(runtime.GOMAXPROCS(0))
	for i, c := range w.columns {
		guard.Go(&eg, func() error {
			encoded, err := c.encoder.Finish()
			columns[i] = splice.Column{Encoded: encoded, Pages: c.pages}
			return err
		})
	}
	if err := eg.Wait(); err != nil {
		return err
	}
	if err := w.file.WriteEncoded(context.Background(), columns); err != nil {
		return err
	}
	for i, c := range w.columns {
		w.facts.addEncoded(columns[i].Floats)
		c.pages.Reset()
		c.encoder.Reset(c.pages)
	}
	w.rows = 0
	return nil
}

// close ends the file.
func (w *parquetWriter) close() error {
	err := w.endGroup()
	if err == nil {
		w.footer, err = w.file.Close()
	}
	return errors.Join(err, w.buffer.Flush())
}

// describe tells what the file is like.
func (w *parquetWriter) describe(path string, partition map[int]any) (iceberg.DataFile, error) {
	meta, err := metadata.NewFileMetaData(w.footer, nil)
	if err != nil {
		return nil, fmt.Errorf("describe data file %q: %w", path, err)
	}
	facts := fileFacts{path: path, size: w.file.Size(), meta: meta, nans: w.facts.nans, bounds: w.facts.exact(w.file.Unbounded())}
	return w.out.describe(facts, partition)
}
