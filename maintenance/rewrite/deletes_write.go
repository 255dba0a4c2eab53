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

// deleteWriter writes the positions of groups into new files.
type deleteWriter struct {
	fs     iceio.WriteFileIO
	meta   table.Metadata
	places locations
	byFile bool
	// maxBytes is where a file ends.
	maxBytes int64
	// output is what files have in common but their spec.
	output output
}

func newDeleteWriter(ctx context.Context, p *DeletePlan) (*deleteWriter, error) {
	store, err := p.table.FS(ctx)
	if err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	fs, ok := store.(iceio.WriteFileIO)
	if !ok {
		return nil, fmt.Errorf("%w: the table's file system is read-only", maintenance.ErrUnsupported)
	}
	meta := p.table.Metadata()
	w := &deleteWriter{fs: fs, meta: meta, places: newLocations(meta), byFile: p.byFile, maxBytes: p.Options.writeMaxFileSize()}
	schema := iceberg.NewSchema(
		0,
		iceberg.NestedField{ID: deletePathID, Name: "file_path", Type: iceberg.PrimitiveTypes.String, Required: true, Doc: "Path of a file in which a deleted row is stored"},
		iceberg.NestedField{ID: deletePosID, Name: "pos", Type: iceberg.PrimitiveTypes.Int64, Required: true, Doc: "Ordinal position of a deleted row in the data file"},
	)
	o := output{
		fs: fs, meta: meta, places: w.places, rows: schema, schema: schema, columns: []int{0, 1}, suffix: "-deletes",
		content: iceberg.EntryContentPosDeletes, format: p.Options.Format,
	}
	o.arrow, err = table.SchemaToArrowSchemaWithOptions(schema, table.ArrowSchemaOptions{IncludeFieldIDs: true})
	if err != nil {
		return nil, fmt.Errorf("position delete files cannot be written: %w", err)
	}
	if o.format == iceberg.AvroFile {
		text, err := json.Marshal(schema)
		if err != nil {
			return nil, fmt.Errorf("schema as text: %w", err)
		}
		o.texts = map[string]string{"delete-type": "position", "iceberg.schema": string(text)}
	}
	err = o.prepare(deleteProperties(meta.Properties()))
	w.output = o
	return w, err
}

// positions are deleted positions by data file.
type positions map[string]*dv.RoaringPositionBitmap

// write writes the positions of a group, in order. Its paths are to be removed
// if the group is not committed, whether write fails or not.
func (w *deleteWriter) write(ctx context.Context, name string, g DeleteGroup, deleted positions) (files []iceberg.DataFile, paths []string, err error) {
	spec := w.meta.PartitionSpecByID(int(g.Files[0].File.SpecID()))
	if spec == nil {
		return nil, nil, fmt.Errorf("%w: the table has no partition spec %d", maintenance.ErrUnsupported, g.Files[0].File.SpecID())
	}
	if w.meta.Version() >= 3 {
		return w.vectors(ctx, *spec, name, g, deleted)
	}
	out := w.output
	out.spec = *spec
	partition := g.Files[0].File.Partition()
	to := out.place(name, partition)
	r := &rolling{
		out: &out, partition: partition, sink: to.sink(ctx), done: to.add,
		maxBytes: w.maxBytes, rowBytes: float64(g.Bytes) / float64(max(1, g.Rows)), rowGroup: out.settings.rowGroupBytes,
	}
	defer r.abort()
	for _, path := range slices.Sorted(maps.Keys(deleted)) {
		if err = w.positions(ctx, r, path, deleted[path]); err == nil && w.byFile {
			err = r.finish()
		}
		if err != nil {
			return nil, to.paths, err
		}
	}
	err = r.finish()
	return to.files, to.paths, err
}

// positions writes those of one data file.
func (w *deleteWriter) positions(ctx context.Context, r *rolling, path string, bitmap *dv.RoaringPositionBitmap) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, w.output.arrow)
	defer b.Release()
	files, at := b.Field(0).(*array.StringBuilder), b.Field(1).(*array.Int64Builder)
	flush := func() error {
		if err := ctx.Err(); err != nil || at.Len() == 0 {
			return err
		}
		var rows arrow.RecordBatch = b.NewRecordBatch()
		defer rows.Release()
		return r.write(rows)
	}
	for pos := range bitmap.Positions() {
		files.Append(path)
		at.Append(int64(pos))
		if at.Len() == deleteBatchRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// vectors writes one deletion vector for each data file, all into one Puffin
// file.
func (w *deleteWriter) vectors(ctx context.Context, spec iceberg.PartitionSpec, name string, g DeleteGroup, deleted positions) ([]iceberg.DataFile, []string, error) {
	if len(deleted) == 0 {
		return nil, nil, nil
	}
	partition := g.Files[0].File.Partition()
	vectors := dv.NewDVWriter(w.fs, func(int32) *iceberg.PartitionSpec { return &spec })
	for _, path := range slices.Sorted(maps.Keys(deleted)) {
		vectors.Load(path, deleted[path], int32(spec.ID()), partition)
	}
	path := w.places.path(g.Partition, fmt.Sprintf("%s-%s-00000-deletes.puffin", name, w.output.run))
	written, err := vectors.Flush(ctx, path)
	if err != nil {
		return nil, []string{path}, fmt.Errorf("write deletion vectors %q: %w", path, err)
	}
	files := make([]iceberg.DataFile, len(written))
	for i, df := range written {
		// The library leaves out by what types partition values are encoded.
		b, err := iceberg.NewDataFileBuilder(spec, iceberg.EntryContentPosDeletes, path, iceberg.PuffinFile, partition, logicalTypes(w.meta, spec), nil, df.Count(), df.FileSizeBytes())
		if err != nil {
			return nil, []string{path}, fmt.Errorf("describe deletion vector in %q: %w", path, err)
		}
		files[i] = b.ReferencedDataFile(*df.ReferencedDataFile()).ContentOffset(*df.ContentOffset()).ContentSizeInBytes(*df.ContentSizeInBytes()).Build()
	}
	return files, []string{path}, nil
}

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
