package rewrite

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/avrofile"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// output is what all files of a rewrite have in common.
type output struct {
	fs     iceio.WriteFileIO
	meta   table.Metadata
	places locations
	spec   iceberg.PartitionSpec
	// rows is the schema of the rows as read, schema and arrow that of files,
	// whose columns are those of rows at these indices.
	rows    *iceberg.Schema
	columns []int
	schema  *iceberg.Schema
	arrow   *arrow.Schema
	// format is that of files, settings and avro what they are like.
	format   iceberg.FileFormat
	settings parquetSettings
	avro     *avrofile.Format
	// model is an empty file with the schema and metadata of all; target is made
	// of it.
	model   []byte
	target  *splice.Target
	lineage bool
	nans    []int
	// stats are the properties that say which statistics data files have.
	stats iceberg.Properties
	run   uuid.UUID
	// sortOrder is the id of the table's sort order that the rows of every file
	// are in.
	sortOrder int
	// texts are the files' own metadata.
	texts map[string]string
	// suffix ends the names of files before their format; position delete files have
	// one, as in Java.
	suffix string
	// content is what files have: rows or position deletes.
	content iceberg.ManifestEntryContent
}

// newOutput prepares writing files of a spec and a format into a table.
func newOutput(ctx context.Context, tbl *table.Table, specID int, format iceberg.FileFormat) (*output, error) {
	store, err := tbl.FS(ctx)
	if err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	fs, ok := store.(iceio.WriteFileIO)
	if !ok {
		return nil, fmt.Errorf("%w: the table's file system is read-only", maintenance.ErrUnsupported)
	}
	meta := tbl.Metadata()
	o := &output{fs: fs, meta: meta, places: newLocations(meta), format: format}
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
	o.nans = floatColumns(o.schema.Fields())
	o.stats = metricsProperties(meta)
	text, err := json.Marshal(o.schema)
	if err != nil {
		return nil, fmt.Errorf("schema as text: %w", err)
	}
	o.texts = map[string]string{"iceberg.schema": string(text)}
	return o, o.prepare(meta.Properties())
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

	open *openFile
	rows int64
}

// openFile is a file being written.
type openFile struct {
	path    string
	file    io.WriteCloser
	encoder encoder
	rows    int64
}

const (
	// mostRows is how many rows are written at most before the size is looked at
	// again. Java looks every 1,000 rows (RollingFileWriter); here that is so if
	// they are not longer than checkBytes in memory.
	mostRows   = 16_000
	checkRows  = 1000
	checkBytes = 512 << 10
)

// stride is how many rows of a batch are written before the size is looked at
// again: the fewer, the nearer the end of the row group or file is.
func (r *rolling) stride(batch arrow.RecordBatch, at int64) int64 {
	left := min(r.maxBytes-r.open.encoder.size(), r.open.encoder.left())
	return max(1, rowsWithin(batch, at, mostRows, left/4), rowsWithin(batch, at, checkRows, checkBytes))
}

// rowsWithin is how many of the next rows of a batch are not longer than bytes.
func rowsWithin(batch arrow.RecordBatch, at, rows, bytes int64) int64 {
	rows = min(batch.NumRows()-at, rows)
	return int64(sort.Search(int(rows), func(n int) bool { return rowsBytes(batch, int(at), int(at)+n+1) > bytes }))
}

// write appends a batch, cut where files end.
func (r *rolling) write(batch arrow.RecordBatch) error {
	for at := int64(0); at < batch.NumRows(); {
		if r.open == nil {
			if err := r.begin(); err != nil {
				return err
			}
		}
		n := r.stride(batch, at)
		if err := r.append(batch, at, at+n); err != nil {
			return err
		}
		at += n
		if r.open.encoder.size() >= r.maxBytes {
			if err := r.finish(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rolling) append(batch arrow.RecordBatch, from, to int64) error {
	f := r.open
	columns := make([]arrow.Array, len(r.out.columns))
	for i, at := range r.out.columns {
		columns[i] = array.NewSlice(batch.Column(at), from, to)
		defer columns[i].Release()
	}
	if err := f.encoder.write(columns); err != nil {
		return fmt.Errorf("write %q: %w", f.path, err)
	}
	f.rows += to - from
	r.rows += to - from
	return nil
}

// begin opens the next file.
func (r *rolling) begin() error {
	path, file, err := r.sink()
	if err != nil {
		return err
	}
	encoder, err := r.out.newEncoder(file, r.rowBytes, r.rowGroup)
	if err != nil {
		abort(file)
		return fmt.Errorf("write %q: %w", path, err)
	}
	r.open = &openFile{path: path, file: file, encoder: encoder}
	return nil
}

// finish closes the open file and describes it.
func (r *rolling) finish() error {
	f := r.open
	r.open = nil
	if f == nil {
		return nil
	}
	err := f.encoder.close()
	if err != nil {
		abort(f.file)
	} else {
		err = f.file.Close()
	}
	if err != nil {
		return fmt.Errorf("close data file %q: %w", f.path, err)
	}
	df, err := f.encoder.describe(f.path, r.partition)
	if err != nil {
		return err
	}
	if df.Count() != f.rows {
		return fmt.Errorf("%w: data file %q has %d rows, but %d were written to it", maintenance.ErrCorrupt, f.path, df.Count(), f.rows)
	}
	r.rowBytes = float64(df.FileSizeBytes()) / float64(f.rows)
	return r.done(df)
}

// abort closes the open file without describing it; its path stays known for
// removal.
func (r *rolling) abort() {
	if r.open != nil {
		abort(r.open.file)
		r.open = nil
	}
}
