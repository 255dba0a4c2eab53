package metatables_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/metatables"
)

// writtenTable is a table of format version 3 with one snapshot that has these
// manifests, in a folder.
func writtenTable(t testing.TB, dir string, schema *iceberg.Schema, spec iceberg.PartitionSpec, manifests []iceberg.ManifestFile) *table.Table {
	t.Helper()
	list := filepath.Join(dir, "list.avro")
	out, err := os.Create(list)
	if err != nil {
		t.Fatal(err)
	}
	sequence := int64(5)
	if err := iceberg.WriteManifestList(3, out, 7, nil, &sequence, 1000, manifests); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	base, err := table.NewMetadata(schema, &spec, table.UnsortedSortOrder, dir, iceberg.Properties{table.PropertyFormatVersion: "3"})
	if err != nil {
		t.Fatal(err)
	}
	metadata, err := table.MetadataBuilderFromBase(base, filepath.Join(dir, "v1.metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	zero, rows := int64(0), int64(1_000_000)
	snapshot := table.Snapshot{
		SnapshotID: 7, SequenceNumber: 5, TimestampMs: base.LastUpdatedMillis(), ManifestList: list,
		Summary: &table.Summary{Operation: table.OpAppend}, FirstRowID: &zero, AddedRows: &rows,
	}
	if err := metadata.AddSnapshot(&snapshot); err != nil {
		t.Fatal(err)
	}
	if err := metadata.SetSnapshotRef(table.MainBranch, 7, table.BranchRef); err != nil {
		t.Fatal(err)
	}
	built, err := metadata.Build()
	if err != nil {
		t.Fatal(err)
	}
	open := func(context.Context) (iceio.IO, error) { return iceio.LocalFS{}, nil }
	return table.New(table.Identifier{"ns", "t"}, built, filepath.Join(dir, "v1.metadata.json"), open, nil)
}

// longManifest has entries of every status, with and without what entries
// inherit.
func longManifest(t *testing.T, dir string, schema *iceberg.Schema, spec iceberg.PartitionSpec, n int) iceberg.ManifestFile {
	t.Helper()
	path := filepath.Join(dir, "long.avro")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var entries []iceberg.ManifestEntry
	for i := range n {
		file, err := iceberg.NewDataFileBuilder(spec, iceberg.EntryContentData, fmt.Sprintf("s3://lake/%d/%d.parquet", i%7, i), iceberg.ParquetFile,
			map[int]any{1000: int64(i % 3)}, nil, nil, int64(i%10+1), int64(1000+i))
		if err != nil {
			t.Fatal(err)
		}
		file.ValueCounts(map[int]int64{1: int64(i), 2: 5}).LowerBoundValues(map[int][]byte{1: {byte(i), byte(i >> 8), 0, 0, 0, 0, 0, 0}})
		if i%11 == 0 {
			file.FirstRowID(int64(i))
		}
		old := int64(3)
		entry := iceberg.NewManifestEntryBuilder(iceberg.EntryStatusADDED, nil, file.Build())
		if i%5 == 1 {
			entry = iceberg.NewManifestEntryBuilder(iceberg.EntryStatusEXISTING, &old, file.Build()).SequenceNum(2).FileSequenceNum(2)
		} else if i%5 == 2 {
			entry = iceberg.NewManifestEntryBuilder(iceberg.EntryStatusDELETED, &old, file.Build()).SequenceNum(1).FileSequenceNum(1)
		}
		entries = append(entries, entry.Build())
	}
	m, err := iceberg.WriteManifest(path, out, 3, spec, schema, 7, entries)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestManyBlocks: entries of a long manifest inherit what iceberg-go has them
// inherit, from one block to the next, whatever is in the cache already.
func TestManyBlocks(t *testing.T) {
	dir := t.TempDir()
	schema := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "a", Type: iceberg.PrimitiveTypes.Int64}, iceberg.NestedField{ID: 2, Name: "b", Type: iceberg.PrimitiveTypes.String})
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "a", Transform: iceberg.IdentityTransform{}})
	tbl := writtenTable(t, dir, schema, spec, []iceberg.ManifestFile{longManifest(t, dir, schema, spec, 10_000)})
	lists, err := tbl.CurrentSnapshot().Manifests(iceio.LocalFS{})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for entry, err := range lists[0].Entries(iceio.LocalFS{}, false) {
		if err != nil {
			t.Fatal(err)
		}
		file := entry.DataFile()
		first := "NULL"
		if id := file.FirstRowID(); id != nil {
			first = fmt.Sprint(*id)
		}
		want = append(want, fmt.Sprint(entry.Status(), entry.SnapshotID(), entry.SequenceNum(), *entry.FileSequenceNum(), file.FilePath(), file.Partition()[1000], first, file.ValueCounts()[1]))
	}
	cache := metatables.NewCache(64 << 20)
	entries := find(t, "entries")
	partly := metatables.Request{Columns: []string{"data_file"}, Fields: []string{"data_file.file_path", "data_file.record_count"}, Cache: cache}
	for _, req := range []metatables.Request{{}, partly, {Cache: cache}, {Cache: cache}, {Cache: metatables.NewCache(100)}} {
		got := entryLines(t, entries, tbl, req)
		if req.Columns == nil && !slices.Equal(got, want) {
			t.Errorf("%d entries, want %d, or they differ", len(got), len(want))
		}
	}
	if s := cache.Stats(); s.Hits != 3 || s.Misses != 3 {
		t.Errorf("%+v", s)
	}
}

// entryLines shows the entries as TestManyBlocks has them; nil if columns are
// missing.
func entryLines(t *testing.T, m metatables.Table, tbl *table.Table, req metatables.Request) []string {
	t.Helper()
	var lines []string
	for batch, err := range m.Read(context.Background(), tbl, req) {
		if err != nil {
			t.Fatal(err)
		}
		leaves := map[string]arrow.Array{}
		for i, f := range batch.Schema().Fields() {
			leafValues(f.Name, batch.Column(i), leaves)
		}
		for i := range int(batch.NumRows()) {
			if req.Columns != nil {
				continue
			}
			text := func(path string) string {
				if leaves[path].IsNull(i) {
					return "NULL"
				}
				return leaves[path].ValueStr(i)
			}
			lines = append(lines, fmt.Sprint(leaves["status"].(*array.Int32).Value(i), leaves["snapshot_id"].(*array.Int64).Value(i),
				leaves["sequence_number"].(*array.Int64).Value(i), leaves["file_sequence_number"].(*array.Int64).Value(i),
				text("data_file.file_path"), leaves["data_file.partition.a"].(*array.Int64).Value(i), text("data_file.first_row_id"),
				leaves["readable_metrics.a.value_count"].(*array.Int64).Value(i)))
		}
		batch.Release()
	}
	return lines
}
