package datafile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"

	"github.com/firndb/firn/maintenance/internal/avrofile"
)

// Batches of an Avro file end by rows, and earlier where these are long. Names of
// columns may have any letters, as Java's may.
func TestAvroBatches(t *testing.T) {
	field := iceberg.NestedField{ID: 1, Name: "größe", Type: iceberg.PrimitiveTypes.String}
	format, err := avrofile.NewFormat(iceberg.NewSchema(0, field), avrofile.Codec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f.avro")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := format.NewWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 100 {
		b.Append(strings.Repeat("x", 1000*(1+i/90*999)))
	}
	if err := w.Write([]arrow.Array{b.NewArray()}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := openAvro(iceio.LocalFS{}, path, 80, map[int]iceberg.NestedField{1: field}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, want := range []int64{80, 15, 5, 0} {
		batch, _, err := s.next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var rows int64
		if batch != nil {
			rows = batch.NumRows()
		}
		if rows != want {
			t.Errorf("a batch of %d rows, want %d", rows, want)
		}
	}
}
