package metatables_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/metatables"
)

const (
	benchManifests = 10
	benchFiles     = 2000 // in each manifest
	benchColumns   = 20
)

// BenchmarkFiles reads the files table of 20,000 data files with statistics of
// 20 columns, from a local disk.
func BenchmarkFiles(b *testing.B) {
	tbl := manyFiles(b)
	files, _ := metatables.Find("files")
	for name, columns := range map[string][]string{
		"all": nil, "counted": {}, "sizes": {"file_path", "file_size_in_bytes", "partition"}, "bounds": {"lower_bounds", "upper_bounds"},
		"metrics": {"readable_metrics"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rows := int64(0)
				for batch, err := range files.Read(context.Background(), tbl, metatables.Request{Columns: columns}) {
					if err != nil {
						b.Fatal(err)
					}
					rows += batch.NumRows()
					batch.Release()
				}
				if rows != benchManifests*benchFiles {
					b.Fatal(rows)
				}
			}
		})
	}
}

// manyFiles is a table of one snapshot, written to a folder.
func manyFiles(b *testing.B) *table.Table {
	dir := b.TempDir()
	var fields []iceberg.NestedField
	for i := range benchColumns {
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: fmt.Sprintf("column_%d", i+1), Type: iceberg.PrimitiveTypes.Int64})
	}
	schema := iceberg.NewSchema(0, fields...)
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "part", Transform: iceberg.IdentityTransform{}})
	var manifests []iceberg.ManifestFile
	for m := range benchManifests {
		manifests = append(manifests, benchManifest(b, filepath.Join(dir, fmt.Sprintf("m%d.avro", m)), spec, schema, m))
	}
	list := filepath.Join(dir, "list.avro")
	var content bytes.Buffer
	sequence := int64(1)
	if err := iceberg.WriteManifestList(2, &content, 1, nil, &sequence, 0, manifests); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(list, content.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	base, err := table.NewMetadata(schema, &spec, table.UnsortedSortOrder, dir, iceberg.Properties{table.PropertyFormatVersion: "2"})
	if err != nil {
		b.Fatal(err)
	}
	metadata, err := table.MetadataBuilderFromBase(base, filepath.Join(dir, "v1.metadata.json"))
	if err != nil {
		b.Fatal(err)
	}
	schemaID := 0
	snapshot := table.Snapshot{SnapshotID: 1, SequenceNumber: 1, TimestampMs: base.LastUpdatedMillis(), ManifestList: list, SchemaID: &schemaID, Summary: &table.Summary{Operation: table.OpAppend}}
	if err := metadata.AddSnapshot(&snapshot); err != nil {
		b.Fatal(err)
	}
	if err := metadata.SetSnapshotRef(table.MainBranch, 1, table.BranchRef); err != nil {
		b.Fatal(err)
	}
	built, err := metadata.Build()
	if err != nil {
		b.Fatal(err)
	}
	open := func(context.Context) (iceio.IO, error) { return iceio.LocalFS{}, nil }
	return table.New(table.Identifier{"ns", "t"}, built, filepath.Join(dir, "v1.metadata.json"), open, nil)
}

func benchManifest(b *testing.B, path string, spec iceberg.PartitionSpec, schema *iceberg.Schema, m int) iceberg.ManifestFile {
	counts, bounds := map[int]int64{}, map[int][]byte{}
	for i := range benchColumns {
		counts[i+1], bounds[i+1] = 1000, []byte{1, 2, 3, 4, 5, 6, 7, 0}
	}
	id := int64(1)
	var entries []iceberg.ManifestEntry
	for i := range benchFiles {
		file, err := iceberg.NewDataFileBuilder(spec, iceberg.EntryContentData, fmt.Sprintf("s3://lake/wh/ns/t/data/part=%d/file-%d-%d.parquet", i%100, m, i),
			iceberg.ParquetFile, map[int]any{1000: int64(i % 100)}, nil, nil, 1000, 100000)
		if err != nil {
			b.Fatal(err)
		}
		file.ColumnSizes(counts).ValueCounts(counts).NullValueCounts(counts).LowerBoundValues(bounds).UpperBoundValues(bounds).SplitOffsets([]int64{4})
		entries = append(entries, iceberg.NewManifestEntryBuilder(iceberg.EntryStatusADDED, &id, file.Build()).Build())
	}
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	manifest, err := iceberg.WriteManifest(path, f, 2, spec, schema, 1, entries)
	if err != nil {
		b.Fatal(err)
	}
	return manifest
}
