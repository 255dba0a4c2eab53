package metatables

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

// keptTable is a table whose column 2 was renamed and promoted and whose
// column 3 was added after the delete files of these tests were written.
func keptTable(t *testing.T) *table.Table {
	t.Helper()
	schema := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 2, Name: "amount", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 3, Name: "tags", Type: &iceberg.ListType{ElementID: 4, Element: iceberg.PrimitiveTypes.String}},
	)
	metadata, err := table.NewMetadata(schema, iceberg.UnpartitionedSpec, table.UnsortedSortOrder, "file:///nowhere", iceberg.Properties{table.PropertyFormatVersion: "2"})
	if err != nil {
		t.Fatal(err)
	}
	return table.New(table.Identifier{"ns", "t"}, metadata, "file:///nowhere/v1.metadata.json", nil, nil)
}

func withID(name string, typ arrow.DataType, id string) arrow.Field {
	return arrow.Field{Name: name, Type: typ, Nullable: true, Metadata: arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{id})}
}

// writeParquet writes rows in the JSON form that Arrow reads.
func writeParquet(t *testing.T, fields []arrow.Field, rows string) string {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Release()
	path := filepath.Join(t.TempDir(), "deletes.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(schema, f, nil, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// readDeletes reads a delete file and shows its rows as position_deletes has
// them.
func readDeletes(t *testing.T, tbl *table.Table, path string, format iceberg.FileFormat) ([]string, error) {
	t.Helper()
	builder, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentPosDeletes, path, format, nil, nil, nil, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := deleteColumns(tbl)
	if err != nil {
		t.Fatal(err)
	}
	reader := deleteReader{tbl, iceio.LocalFS{}}
	var lines []string
	for batch, err := range streamed(context.Background(), memory.DefaultAllocator, columns[:3],
		inOrder(context.Background(), [][]iceberg.DataFile{{builder.Build()}}, reader.read)) {
		if err != nil {
			return nil, err
		}
		content, err := batch.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.Trim(string(content), "[]\n"), "\n")...)
		batch.Release()
	}
	return lines, nil
}

func TestDeletedRowsThatAreKept(t *testing.T) {
	old := arrow.StructOf(withID("id", arrow.PrimitiveTypes.Int64, "1"), withID("sum", arrow.PrimitiveTypes.Int32, "2"))
	path := writeParquet(t, []arrow.Field{
		withID("file_path", arrow.BinaryTypes.String, "2147483546"), withID("pos", arrow.PrimitiveTypes.Int64, "2147483545"), withID("row", old, "2147483544"),
	}, `[{"file_path": "a", "pos": 3, "row": {"id": 1, "sum": 10}}, {"file_path": "a", "pos": 4, "row": null}, {"file_path": "b", "pos": 0, "row": {"id": null, "sum": 12}}]`)
	got, err := readDeletes(t, keptTable(t), path, iceberg.ParquetFile)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"file_path":"a","pos":3,"row":{"amount":10,"id":1,"tags":null}}`,
		`{"file_path":"a","pos":4,"row":null}`,
		`{"file_path":"b","pos":0,"row":{"amount":12,"id":null,"tags":null}}`,
	}
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], ",")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestDeleteFilesThatCannotBeRead(t *testing.T) {
	path, pos := withID("file_path", arrow.BinaryTypes.String, "2147483546"), withID("pos", arrow.PrimitiveTypes.Int64, "2147483545")
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("PAR1 garbage PAR1"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		path   string
		format iceberg.FileFormat
		want   string
	}{
		"no path":         {writeParquet(t, []arrow.Field{pos}, `[{"pos": 1}]`), iceberg.ParquetFile, "no text column file_path"},
		"no position":     {writeParquet(t, []arrow.Field{path}, `[{"file_path": "a"}]`), iceberg.ParquetFile, "no long column pos"},
		"orc":             {garbage, iceberg.OrcFile, "format ORC cannot be read"},
		"garbage":         {garbage, iceberg.ParquetFile, garbage},
		"garbage in avro": {garbage, iceberg.AvroFile, garbage},
		"garbage in dv":   {garbage, iceberg.PuffinFile, garbage},
		"gone":            {garbage + "x", iceberg.ParquetFile, "no such file"},
		"rows in avro":    {writeAvro(t), iceberg.AvroFile, "deleted rows that an Avro file keeps"},
	} {
		if _, err := readDeletes(t, keptTable(t), test.path, test.format); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// writeAvro writes a delete file that keeps a deleted row.
func writeAvro(t *testing.T) string {
	t.Helper()
	schema, err := avro.Parse(`{"type": "record", "name": "delete", "fields": [
		{"name": "file_path", "type": "string"}, {"name": "pos", "type": "long"},
		{"name": "row", "type": ["null", {"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "deletes.avro")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ocf.NewWriter(f, schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Encode(map[string]any{"file_path": "a", "pos": int64(1), "row": map[string]any{"id": int64(1)}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
