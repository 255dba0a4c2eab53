package rewrite

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/table/dv"

	"github.com/firndb/firn/maintenance"
)

// The reserved ids of the columns of position delete files ("Reserved Field IDs"
// of the specification).
const (
	deletePathID = math.MaxInt32 - 101
	deletePosID  = math.MaxInt32 - 102
)

// deleteBatchRows is how many positions are written at once.
const deleteBatchRows = 8192

// deleteWriter writes deleted positions into new files.
type deleteWriter struct {
	fs     iceio.WriteFileIO
	meta   table.Metadata
	places locations
	// byFile says that each file is about one data file.
	byFile bool
	// maxBytes is where a file ends.
	maxBytes int64
	// held is how many bytes deletion vectors may take until they are written; 0
	// means that all of a group go into one file.
	held int64
	// output is what files have in common but their spec.
	output output
}

func newDeleteWriter(ctx context.Context, tbl *table.Table, o Options) (*deleteWriter, error) {
	store, err := tbl.FS(ctx)
	if err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	fs, ok := store.(iceio.WriteFileIO)
	if !ok {
		return nil, fmt.Errorf("%w: the table's file system is read-only", maintenance.ErrUnsupported)
	}
	meta := tbl.Metadata()
	w := &deleteWriter{fs: fs, meta: meta, places: newLocations(meta), maxBytes: o.writeMaxFileSize()}
	if w.byFile, err = deletesByFile(meta.Properties()); err != nil {
		return nil, err
	}
	schema := iceberg.NewSchema(
		0,
		iceberg.NestedField{ID: deletePathID, Name: "file_path", Type: iceberg.PrimitiveTypes.String, Required: true, Doc: "Path of a file in which a deleted row is stored"},
		iceberg.NestedField{ID: deletePosID, Name: "pos", Type: iceberg.PrimitiveTypes.Int64, Required: true, Doc: "Ordinal position of a deleted row in the data file"},
	)
	out := output{
		fs: fs, meta: meta, places: w.places, rows: schema, schema: schema, columns: []int{0, 1}, suffix: "-deletes",
		content: iceberg.EntryContentPosDeletes, format: o.Format,
	}
	out.arrow, err = table.SchemaToArrowSchemaWithOptions(schema, table.ArrowSchemaOptions{IncludeFieldIDs: true})
	if err != nil {
		return nil, fmt.Errorf("position delete files cannot be written: %w", err)
	}
	if out.format == iceberg.AvroFile {
		text, err := json.Marshal(schema)
		if err != nil {
			return nil, fmt.Errorf("schema as text: %w", err)
		}
		out.texts = map[string]string{"delete-type": "position", "iceberg.schema": string(text)}
	}
	err = out.prepare(deleteProperties(meta.Properties()))
	w.output = out
	return w, err
}

// positions are deleted positions by data file.
type positions map[string]*dv.RoaringPositionBitmap

// write writes the positions of a group, in order. Its paths are to be removed
// if the group is not committed, whether write fails or not.
func (w *deleteWriter) write(ctx context.Context, name string, g DeleteGroup, deleted positions) (files []iceberg.DataFile, paths []string, err error) {
	sink, err := w.sink(ctx, name, g.Files[0].File, float64(g.Bytes)/float64(max(1, g.Rows)))
	if err != nil {
		return nil, nil, err
	}
	defer sink.abort()
	for _, path := range slices.Sorted(maps.Keys(deleted)) {
		if err = sink.add(ctx, path, deleted[path]); err != nil {
			break
		}
	}
	if err == nil {
		err = sink.finish(ctx)
	}
	files, paths = sink.written()
	return files, paths, err
}

// deleteSink writes the positions of data files of one partition, which come in
// the order of their paths.
type deleteSink interface {
	add(ctx context.Context, path string, deleted *dv.RoaringPositionBitmap) error
	finish(ctx context.Context) error
	// abort gives up what is not finished.
	abort()
	// written are the finished files, and the paths of all that have been begun.
	written() (files []iceberg.DataFile, paths []string)
}

// sink writes into the partition of a file of the table. A position is taken to
// need rowBytes bytes; 0 means that nobody knows.
func (w *deleteWriter) sink(ctx context.Context, name string, of iceberg.DataFile, rowBytes float64) (deleteSink, error) {
	spec := w.meta.PartitionSpecByID(int(of.SpecID()))
	if spec == nil {
		return nil, fmt.Errorf("%w: the table has no partition spec %d", maintenance.ErrUnsupported, of.SpecID())
	}
	if w.meta.Version() >= 3 {
		return newVectorSink(w, *spec, name, of.Partition()), nil
	}
	out := w.output
	out.spec = *spec
	to := out.place(name, of.Partition())
	return &fileSink{place: to, byFile: w.byFile, rolling: rolling{
		out: &out, partition: of.Partition(), sink: to.sink(ctx), done: to.add,
		maxBytes: w.maxBytes, rowBytes: rowBytes, rowGroup: out.settings.rowGroupBytes,
	}}, nil
}

// fileSink writes position delete files.
type fileSink struct {
	rolling rolling
	place   *place
	byFile  bool
}

func (s *fileSink) add(ctx context.Context, path string, deleted *dv.RoaringPositionBitmap) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, s.rolling.out.arrow)
	defer b.Release()
	files, at := b.Field(0).(*array.StringBuilder), b.Field(1).(*array.Int64Builder)
	flush := func() error {
		if err := ctx.Err(); err != nil || at.Len() == 0 {
			return err
		}
		var rows arrow.RecordBatch = b.NewRecordBatch()
		defer rows.Release()
		return s.rolling.write(rows)
	}
	for pos := range deleted.Positions() {
		files.Append(path)
		at.Append(int64(pos))
		if at.Len() == deleteBatchRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	err := flush()
	if err == nil && s.byFile {
		err = s.rolling.finish()
	}
	return err
}

func (s *fileSink) finish(context.Context) error { return s.rolling.finish() }

func (s *fileSink) abort() { s.rolling.abort() }

func (s *fileSink) written() ([]iceberg.DataFile, []string) { return s.place.files, s.place.paths }

// describeDeletes makes the manifest's description of a position delete file: as
// Java's PositionDeleteWriter, without counts of its two columns and without the
// data file that it is about, which the bounds of the paths tell.
func describeDeletes(stats iceberg.DataFile, b *iceberg.DataFileBuilder) iceberg.DataFile {
	b.ColumnSizes(stats.ColumnSizes())
	b.LowerBoundValues(stats.LowerBoundValues())
	b.UpperBoundValues(stats.UpperBoundValues())
	b.SplitOffsets(stats.SplitOffsets())
	return b.Build()
}
