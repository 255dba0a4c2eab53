package rewrite

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"github.com/firndb/firn/maintenance"
)

// output is what all files of a rewrite have in common.
type output struct {
	fs     iceio.WriteFileIO
	meta   table.Metadata
	places locations
	spec   iceberg.PartitionSpec
	// rows is the schema of the rows as read, schema and arrow that of files,
	// whose columns are those of rows at these indices.
	rows     *iceberg.Schema
	columns  []int
	schema   *iceberg.Schema
	arrow    *arrow.Schema
	settings parquetSettings
	props    *parquet.WriterProperties
	lineage  bool
	nans     []nanColumn
	// stats are the properties that say which statistics data files have.
	stats iceberg.Properties
	run   uuid.UUID
	// sortOrder is the id of the table's sort order that the rows of every file
	// are in.
	sortOrder int
	// keyValues is the files' own metadata.
	keyValues metadata.KeyValueMetadata
	// suffix ends the names of files before ".parquet"; position delete files have
	// one, as in Java.
	suffix string
	// content is what files have: rows or position deletes.
	content iceberg.ManifestEntryContent
}

// newOutput prepares writing files of a spec into a table.
func newOutput(ctx context.Context, tbl *table.Table, specID int) (*output, error) {
	store, err := tbl.FS(ctx)
	if err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	fs, ok := store.(iceio.WriteFileIO)
	if !ok {
		return nil, fmt.Errorf("%w: the table's file system is read-only", maintenance.ErrUnsupported)
	}
	meta := tbl.Metadata()
	o := &output{fs: fs, meta: meta, places: newLocations(meta)}
	spec := meta.PartitionSpecByID(specID)
	if spec == nil {
		return nil, fmt.Errorf("%w: the table has no partition spec %d", maintenance.ErrInvalid, specID)
	}
	o.spec = *spec
	o.rows, o.lineage = lineageSchema(meta)
	if o.schema, o.columns, err = storedSchema(o.rows); err != nil {
		return nil, err
	}
	o.arrow, err = table.SchemaToArrowSchemaWithOptions(o.schema, table.ArrowSchemaOptions{IncludeFieldIDs: true})
	if err != nil {
		return nil, fmt.Errorf("%w: schema cannot be written: %w", maintenance.ErrUnsupported, err)
	}
	o.nans = nanColumns(o.schema, o.arrow)
	o.stats = metricsProperties(meta)
	if o.settings, err = newParquetSettings(meta.Properties()); err != nil {
		return nil, err
	}
	if o.props, err = o.settings.forSchema(o.arrow); err != nil {
		return nil, err
	}
	text, err := json.Marshal(o.schema)
	if err != nil {
		return nil, fmt.Errorf("schema as text: %w", err)
	}
	if err := o.keyValues.Append("iceberg.schema", string(text)); err != nil {
		return nil, err
	}
	return o, nil
}

// newWriter begins a Parquet file.
func (o *output) newWriter(w io.Writer) (rowWriter, error) {
	writer, err := o.newRowWriter(w)
	if err != nil {
		return nil, err
	}
	for i, key := range o.keyValues.Keys() {
		if err := writer.AppendKeyValueMetadata(key, o.keyValues.Values()[i]); err != nil {
			return nil, err
		}
	}
	return writer, nil
}

// rolling writes the rows of one partition into files and begins a new one
// when the open one has reached its size.
type rolling struct {
	out       *output
	partition map[int]any
	maxBytes  int64
	rowBytes  float64
	rowGroup  int64

	// sink opens what a file is written to.
	sink func() (path string, w io.WriteCloser, err error)
	// done takes a finished file.
	done func(iceberg.DataFile) error

	open *parquetFile
	rows int64
}

// parquetFile is a Parquet file being written.
type parquetFile struct {
	path   string
	file   *countingWriter
	writer rowWriter
	rows   int64
	// groupRows are the rows of the open row group, whose pages are mostly not
	// written yet.
	groupRows int64
	nans      []int64
}

// countingWriter counts what is written. It has no Close: the Parquet writer
// would call it, and a local file must not be closed twice.
type countingWriter struct {
	file io.WriteCloser
	n    int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	w.n += int64(n)
	return n, err
}

// sizeCheckRows is after how many rows the size is looked at, as in Java's
// RollingFileWriter. Far from its end more rows are written at once.
const (
	sizeCheckRows = 1000
	mostRows      = 16 * sizeCheckRows
)

// stride is how many rows are written before the size is looked at again.
func (r *rolling) stride() int64 {
	if r.open == nil || r.rowBytes <= 0 {
		return sizeCheckRows
	}
	left := float64(r.maxBytes-r.size()) / 4 / r.rowBytes
	return min(max(int64(left)/sizeCheckRows, 1), mostRows/sizeCheckRows) * sizeCheckRows
}

// write appends a batch, cut where files end.
func (r *rolling) write(batch arrow.RecordBatch) error {
	for at := int64(0); at < batch.NumRows(); {
		n := min(r.stride(), batch.NumRows()-at)
		if err := r.append(batch, at, at+n); err != nil {
			return err
		}
		at += n
		if r.open != nil && r.size() >= r.maxBytes {
			if err := r.finish(); err != nil {
				return err
			}
		}
	}
	return nil
}

// size estimates how long the open file would be now: what is written, and for
// the open row group the larger of its finished pages and its rows at the
// average so far.
func (r *rolling) size() int64 {
	f := r.open
	pending := max(int64(float64(f.groupRows)*r.rowBytes), f.writer.RowGroupTotalCompressedBytes())
	return f.file.n + pending
}

func (r *rolling) append(batch arrow.RecordBatch, from, to int64) error {
	if r.open == nil {
		if err := r.begin(); err != nil {
			return err
		}
	}
	f := r.open
	if f.groupRows > 0 && f.writer.RowGroupTotalBytesWritten() >= r.rowGroup {
		if err := f.writer.NewBufferedRowGroupChecked(); err != nil {
			return fmt.Errorf("write %q: %w", f.path, err)
		}
		f.groupRows = 0
	}
	part := batch.NewSlice(from, to)
	defer part.Release()
	columns := make([]arrow.Array, len(r.out.columns))
	for i, at := range r.out.columns {
		columns[i] = part.Column(at)
	}
	// The columns are right but the reader's schema lacks field ids.
	rec := array.NewRecordBatch(r.out.arrow, columns, part.NumRows())
	defer rec.Release()
	if err := f.writer.WriteBuffered(rec); err != nil {
		return fmt.Errorf("write %q: %w", f.path, err)
	}
	countNaNs(r.out.nans, rec, f.nans)
	f.rows += rec.NumRows()
	// The library ends row groups at their bound of rows by itself.
	f.groupRows = (f.groupRows+rec.NumRows()-1)%r.out.settings.rowGroupRows + 1
	r.rows += rec.NumRows()
	return nil
}

// begin opens the next file.
func (r *rolling) begin() error {
	path, file, err := r.sink()
	if err != nil {
		return err
	}
	counting := &countingWriter{file: file}
	writer, err := r.out.newWriter(counting)
	if err != nil {
		abort(file)
		return fmt.Errorf("write %q: %w", path, err)
	}
	r.open = &parquetFile{path: path, file: counting, writer: writer, nans: make([]int64, len(r.out.nans))}
	return nil
}

// finish closes the open file and describes it.
func (r *rolling) finish() error {
	f := r.open
	r.open = nil
	if f == nil {
		return nil
	}
	err := f.writer.Close()
	if err == nil {
		err = f.file.file.Close()
	}
	if err != nil {
		return fmt.Errorf("close data file %q: %w", f.path, err)
	}
	meta, err := f.writer.FileMetadata()
	if err != nil {
		return fmt.Errorf("describe data file %q: %w", f.path, err)
	}
	df, err := r.out.describe(fileFacts{path: f.path, size: f.file.n, meta: meta, nans: f.nans}, r.partition)
	if err != nil {
		return err
	}
	if df.Count() != f.rows {
		return fmt.Errorf("%w: data file %q has %d rows, but %d were written to it", maintenance.ErrCorrupt, f.path, df.Count(), f.rows)
	}
	r.rowBytes = float64(f.file.n) / float64(f.rows)
	return r.done(df)
}

// abort closes the open file without describing it; its path stays known for
// removal.
func (r *rolling) abort() {
	if r.open != nil {
		abort(r.open.file.file)
		r.open = nil
	}
}
