package datafile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// Batches of a Parquet file end by rows, and earlier where these are long, however
// small the file is.
func TestParquetBatches(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Metadata: arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{"1"})},
		{Name: "document", Type: arrow.BinaryTypes.String, Metadata: arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{"2"})},
	}, nil)
	path := filepath.Join(t.TempDir(), "f.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDictionaryDefault(false))
	w, err := pqarrow.NewFileWriter(schema, f, props, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range 400 {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append(strings.Repeat("x", 100_000))
	}
	if err := w.Write(b.NewRecordBatch()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 1<<20 {
		t.Fatal(info.Size(), err)
	}
	builder, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, path, iceberg.ParquetFile, nil, nil, nil, 400, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	task := table.FileScanTask{File: builder.Build(), Length: info.Size()}
	id := iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64}
	document := iceberg.NestedField{ID: 2, Name: "document", Type: iceberg.PrimitiveTypes.String}
	for most, wanted := range map[int64]map[int]iceberg.NestedField{300: {1: id}, batchBytes / 100_000: {1: id, 2: document}} {
		s := store{fs: iceio.LocalFS{}, options: Options{BatchRows: 300}.withDefaults()}
		src, err := s.openParquet(t.Context(), task, wanted, nil)
		if err != nil {
			t.Fatal(err)
		}
		var rows, longest int64
		for {
			batch, _, err := src.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if batch == nil {
				break
			}
			rows, longest = rows+batch.NumRows(), max(longest, batch.NumRows())
		}
		src.close()
		if rows != 400 || longest > most || longest < most-10 {
			t.Errorf("%d columns: %d rows, at most %d at once, want %d", len(wanted), rows, longest, most)
		}
	}
}
