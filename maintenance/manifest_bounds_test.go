package maintenance

import (
	"bytes"
	"testing"

	"github.com/apache/iceberg-go"
)

// A list says of a manifest with the partition of the empty text that its least
// value is that, not that it has only nulls.
func TestEmptyPartitionBounds(t *testing.T) {
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "name", Type: iceberg.PrimitiveTypes.String})
	spec := iceberg.NewPartitionSpecID(0, iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "name", Transform: iceberg.IdentityTransform{}})
	for _, version := range []int{1, 2, 3} {
		var file, list bytes.Buffer
		w, err := iceberg.NewManifestWriter(version, &file, spec, schema, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "b"} {
			b, err := iceberg.NewDataFileBuilder(spec, iceberg.EntryContentData, "s3://b/"+name, iceberg.ParquetFile, map[int]any{1000: name}, nil, nil, 5, 10)
			if err != nil {
				t.Fatal(err)
			}
			snapshot := int64(7)
			if err := w.Add(iceberg.NewManifestEntry(iceberg.EntryStatusADDED, &snapshot, nil, nil, b.Build())); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		m, err := w.ToManifestFile("s3://b/m.avro", int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		sequence, first := int64(3), int64(0)
		if err := iceberg.WriteManifestList(version, &list, 7, nil, &sequence, first, []iceberg.ManifestFile{withEmptyBounds(m)}); err != nil {
			t.Fatal(err)
		}
		read, err := iceberg.ReadManifestList(&list)
		if err != nil {
			t.Fatal(err)
		}
		got := read[0]
		if s := got.Partitions()[0]; s.LowerBound == nil || len(*s.LowerBound) != 0 || s.UpperBound == nil || string(*s.UpperBound) != "b" {
			t.Errorf("version %d: bounds %v and %v", version, s.LowerBound, s.UpperBound)
		}
		if got.AddedDataFiles() != 2 || got.AddedRows() != 10 || got.SnapshotID() != 7 || version > 1 && got.MinSequenceNum() != 3 {
			t.Errorf("version %d: %v", version, got)
		}
	}
}
