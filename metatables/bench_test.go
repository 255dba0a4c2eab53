package metatables_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/metatables"
)

const (
	benchManifests = 10
	benchFiles     = 2000 // in each manifest
	benchColumns   = 20
)

// BenchmarkFiles reads metadata tables of 20,000 data files with statistics of
// 20 columns, from a local disk and from the cache.
func BenchmarkFiles(b *testing.B) {
	tbl := manyFiles(b)
	for name, bench := range map[string]struct {
		table string
		req   metatables.Request
		rows  int64
	}{
		"all":        {"files", metatables.Request{}, benchManifests * benchFiles},
		"counted":    {"files", metatables.Request{Columns: []string{}}, benchManifests * benchFiles},
		"sizes":      {"files", metatables.Request{Columns: []string{"file_path", "file_size_in_bytes", "partition"}}, benchManifests * benchFiles},
		"bound":      {"files", metatables.Request{Columns: []string{"readable_metrics"}, Fields: []string{"readable_metrics.column_3.lower_bound"}}, benchManifests * benchFiles},
		"partition":  {"files", metatables.Request{Filter: iceberg.EqualTo(iceberg.Reference("partition.part"), int64(7))}, benchManifests * benchFiles / 100},
		"partitions": {"partitions", metatables.Request{}, 100},
	} {
		m, _ := metatables.Find(bench.table)
		for _, warm := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/warm=%t", name, warm), func(b *testing.B) {
				req := bench.req
				if warm {
					req.Cache = metatables.NewCache(256 << 20)
					benchRead(b, m, tbl, req, bench.rows)
				}
				b.ReportAllocs()
				for b.Loop() {
					benchRead(b, m, tbl, req, bench.rows)
				}
			})
		}
	}
}

func benchRead(b *testing.B, m metatables.Table, tbl *table.Table, req metatables.Request, want int64) {
	b.Helper()
	rows := int64(0)
	for batch, err := range m.Read(context.Background(), tbl, req) {
		if err != nil {
			b.Fatal(err)
		}
		rows += batch.NumRows()
		batch.Release()
	}
	if rows != want {
		b.Fatal(rows)
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
	return writtenTable(b, dir, schema, spec, manifests)
}

func benchManifest(b *testing.B, path string, spec iceberg.PartitionSpec, schema *iceberg.Schema, m int) iceberg.ManifestFile {
	counts, bounds := map[int]int64{}, map[int][]byte{}
	for i := range benchColumns {
		counts[i+1], bounds[i+1] = 1000, []byte{1, 2, 3, 4, 5, 6, 7, 0}
	}
	id := int64(7)
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
	manifest, err := iceberg.WriteManifest(path, f, 3, spec, schema, 7, entries)
	if err != nil {
		b.Fatal(err)
	}
	return manifest
}
