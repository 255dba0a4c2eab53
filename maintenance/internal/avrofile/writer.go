package avrofile

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/firndb/firn/maintenance"
)

const (
	// MaxBlock is how many bytes a block of a file may have, compressed or not.
	MaxBlock = 256 << 20
	// mostRow is how long a row may be: what is not compressible becomes longer.
	mostRow = MaxBlock / 2
	// blockBytes is how many bytes of rows make a block, as in Java
	// (DataFileConstants.DEFAULT_SYNC_INTERVAL).
	blockBytes = 64_000
)

// Format is what Avro files of a schema have in common. It may be used by several
// writers at once.
type Format struct {
	schema *avro.Schema
	text   string
	fields []binder
	codec  Codec
	meta   map[string][]byte
}

// NewFormat prepares writing files of a schema, with metadata. The error wraps
// maintenance.ErrUnsupported if Avro has no such schema.
func NewFormat(schema *iceberg.Schema, codec Codec, meta map[string]string) (*Format, error) {
	f := &Format{codec: codec, meta: map[string][]byte{}}
	for key, value := range meta {
		f.meta[key] = []byte(value)
	}
	texts, fields, err := (&former{defined: map[string]bool{}}).fields(schema.Fields())
	if err != nil {
		return nil, err
	}
	f.text, f.fields = recordText("table", texts, ""), fields
	// Java admits the letters of all languages in names.
	if f.schema, err = avro.Parse(f.text, avro.WithLaxNames(nil)); err != nil {
		return nil, fmt.Errorf("%w: schema cannot be written as Avro: %w", maintenance.ErrUnsupported, err)
	}
	return f, nil
}

// Schema is the schema of files as Avro's JSON.
func (f *Format) Schema() string { return f.text }

// Writer writes a file.
type Writer struct {
	format *Format
	to     *counter
	file   *ocf.Writer
	rows   int64
	row    []byte
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// NewWriter begins a file.
func (f *Format) NewWriter(w io.Writer) (*Writer, error) {
	to := &counter{w: w}
	options := []ocf.WriterOpt{ocf.WithSchema(f.text), ocf.WithMetadata(f.meta), ocf.WithBlockBytes(blockBytes)}
	if f.codec.Codec != nil {
		options = append(options, ocf.WithCodec(f.codec))
	}
	file, err := ocf.NewWriter(to, f.schema, options...)
	return &Writer{format: f, to: to, file: file}, err
}

// Write appends rows, given as the arrays of the schema's columns. A row that is
// longer than readers would take is refused with an error that wraps
// maintenance.ErrUnsupported.
func (w *Writer) Write(columns []arrow.Array) error {
	row, err := bindAll(w.format.fields, columns)
	if err != nil || len(columns) == 0 {
		return err
	}
	for i := range columns[0].Len() {
		if w.row, err = row(w.row[:0], i); err != nil {
			return err
		}
		if len(w.row) > mostRow {
			return fmt.Errorf("%w: a row of %d bytes is longer than %d, the most that is written as Avro", maintenance.ErrUnsupported, len(w.row), mostRow)
		}
		if _, err := w.file.Write(w.row); err != nil {
			return err
		}
		w.rows++
	}
	return nil
}

// Rows is how many rows have been written.
func (w *Writer) Rows() int64 { return w.rows }

// Size is how many bytes the finished blocks take with what is before them.
func (w *Writer) Size() int64 { return w.to.n }

// Close ends the file. It does not close what it is written to.
func (w *Writer) Close() error { return w.file.Close() }
