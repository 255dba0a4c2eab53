package splice_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// TestEncodedLetsItsEncoderGo keeps a chunk: the encoder, with its compressors and
// dictionary, must not stay in memory with it.
func TestEncodedLetsItsEncoderGo(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	target, pages := newTarget(t, schema, settings(compress.Codecs.Zstd)), &splice.PageBuffer{}
	encoded, encoder, out := func() (*splice.Encoded, weak.Pointer[splice.ColumnEncoder], weak.Pointer[splice.PageBuffer]) {
		values := array.NewStringBuilder(memory.DefaultAllocator)
		values.AppendStringValues([]string{"x", "y", "x"}, nil)
		e, err := target.NewColumnEncoder(0, pages)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Append(values.NewArray()); err != nil {
			t.Fatal(err)
		}
		encoded, err := e.Finish()
		if err != nil {
			t.Fatal(err)
		}
		// The writer within the encoder is reached through where it writes.
		last := &splice.PageBuffer{}
		e.Reset(last)
		return encoded, weak.Make(e), weak.Make(last)
	}()
	for range 3 {
		runtime.GC()
	}
	if encoder.Value() != nil || out.Value() != nil {
		t.Error("the encoder is still in memory")
	}
	runtime.KeepAlive(encoded)
}
