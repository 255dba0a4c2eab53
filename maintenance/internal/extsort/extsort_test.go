package extsort

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// testSchema has a column of every layout.
func testSchema() *arrow.Schema {
	nullable := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	return arrow.NewSchema([]arrow.Field{
		nullable("key", arrow.BinaryTypes.String),
		nullable("number", arrow.PrimitiveTypes.Int64),
		nullable("place", arrow.PrimitiveTypes.Int32),
		nullable("flag", arrow.FixedWidthTypes.Boolean),
		nullable("large", arrow.BinaryTypes.LargeBinary),
		nullable("price", &arrow.Decimal128Type{Precision: 38, Scale: 2}),
		nullable("fixed", &arrow.FixedSizeBinaryType{ByteWidth: 3}),
		nullable("uuid", extensions.NewUUIDType()),
		nullable("list", arrow.ListOf(arrow.BinaryTypes.String)),
		nullable("struct", arrow.StructOf(nullable("x", arrow.PrimitiveTypes.Float64), nullable("y", arrow.ListOf(arrow.PrimitiveTypes.Int32)))),
		nullable("map", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)),
		nullable("none", arrow.Null),
	}, nil)
}

// sortSchema is what is sorted by.
func sortSchema() *iceberg.Schema {
	return iceberg.NewSchema(
		0,
		iceberg.NestedField{ID: 1, Name: "key", Type: iceberg.PrimitiveTypes.String},
		iceberg.NestedField{ID: 2, Name: "number", Type: iceberg.PrimitiveTypes.Int64},
	)
}

// fill appends a random value or NULL.
func fill(r *rand.Rand, b array.Builder) {
	if r.IntN(5) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(strings.Repeat("ab\x00c", r.IntN(4)) + strings.Repeat("\x00", r.IntN(3)))
	case *array.Int64Builder:
		b.Append(int64(r.IntN(7)) - 3)
	case *array.Int32Builder:
		b.Append(r.Int32())
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.BinaryBuilder:
		b.Append(bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(9)))
	case *array.Decimal128Builder:
		b.Append(decimal128.New(r.Int64(), r.Uint64()))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte{1, 2, byte(r.IntN(256))})
	case *extensions.UUIDBuilder:
		b.Append(uuid.UUID{byte(r.IntN(256))})
	case *array.Float64Builder:
		b.Append(r.NormFloat64())
	case *array.ListBuilder:
		b.Append(true)
		for range r.IntN(4) {
			fill(r, b.ValueBuilder())
		}
	case *array.MapBuilder:
		b.Append(true)
		for range r.IntN(3) {
			b.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint(r.IntN(100)))
			fill(r, b.ItemBuilder())
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			fill(r, b.FieldBuilder(i))
		}
	case *array.NullBuilder:
		b.AppendNull()
	default:
		panic(fmt.Sprintf("no values for %T", b))
	}
}

// randomBatch is a slice of a batch, so that offsets are tried.
func randomBatch(r *rand.Rand, rows int) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, testSchema())
	defer b.Release()
	skip := r.IntN(9)
	for range rows + skip {
		for _, f := range b.Fields() {
			fill(r, f)
		}
	}
	return b.NewRecordBatch().NewSlice(int64(skip), int64(rows+skip))
}

func texts(b arrow.RecordBatch) []string {
	lines := make([]string, b.NumRows())
	for _, c := range b.Columns() {
		for i := range lines {
			lines[i] += c.ValueStr(i) + "|"
		}
	}
	return lines
}

func encoder(t *testing.T) *rowkey.Encoder {
	t.Helper()
	e, err := rowkey.NewEncoder(sortSchema(), []rowkey.Field{
		{ID: 1, Transform: iceberg.IdentityTransform{}, Descending: true},
		{ID: 2, Transform: iceberg.IdentityTransform{}, NullsLast: true},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// sortAll feeds batches to the collectors in turn parts and returns the rows in
// order.
func sortAll(ctx context.Context, s *Sorter, batches []arrow.RecordBatch) ([]string, error) {
	per := (len(batches) + s.Collectors - 1) / s.Collectors
	for i, b := range batches {
		if err := s.Collector(i/per).Add(ctx, b); err != nil {
			return nil, err
		}
	}
	var got []string
	for chunk, err := range s.Merge(ctx) {
		if err != nil {
			return nil, err
		}
		got = append(got, texts(chunk.Batch)...)
	}
	return got, nil
}

// TestSort compares with a stable sort of all rows at once, in memory and with
// more runs than are merged at once.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, memory := range []int64{1 << 30, 1 << 16, 1} {
		for _, batches := range []int{0, 1, 5, 30} {
			t.Run(fmt.Sprint(memory, " ", batches), func(t *testing.T) {
				var in []arrow.RecordBatch
				for range batches {
					in = append(in, randomBatch(r, r.IntN(60)))
				}
				scratch, err := Folder(t.TempDir(), 0, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				s := New(Config{Encoder: encoder(t), Scratch: func() (*Scratch, error) { return scratch, nil }, Memory: memory, Collectors: 2, Rows: 100, Parallel: 2})
				s.fanIn = 4
				got, err := sortAll(t.Context(), s, in)
				if err != nil {
					t.Fatal(err)
				}
				if want := reference(t, in); !slices.Equal(got, want) {
					t.Errorf("rows or order differ: %d rows, want %d", len(got), len(want))
				}
				if (memory == 1 && batches > 2) != (scratch.used > 0) && memory != 1<<16 {
					t.Errorf("%d bytes of scratch space", scratch.used)
				}
				if err := s.Close(); err != nil || scratch.used != 0 {
					t.Errorf("%d bytes of scratch space are left: %v", scratch.used, err)
				}
			})
		}
	}
}

// reference sorts rows by their keys.
func reference(t *testing.T, in []arrow.RecordBatch) []string {
	t.Helper()
	type row struct {
		key  []byte
		text string
	}
	var rows []row
	for _, b := range in {
		keys, err := encoder(t).Encode(b)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts(b) {
			rows = append(rows, row{keys.At(i), text})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return bytes.Compare(a.key, b.key) })
	var out []string
	for _, r := range rows {
		out = append(out, r.text)
	}
	return out
}

// TestOrderOfLongKeys has keys that differ only where prefixes do not reach.
func TestOrderOfLongKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var keys rowkey.Keys
	var want []string
	for range 5000 {
		key := strings.Repeat("x", 70+r.IntN(2)) + fmt.Sprint(r.IntN(300))
		if r.IntN(3) == 0 {
			key = key[:r.IntN(len(key))]
		}
		keys.Data = append(keys.Data, key...)
		keys.Ends = append(keys.Ends, uint32(len(keys.Data)))
		want = append(want, key)
	}
	slices.Sort(want)
	for i, it := range order([]rowkey.Keys{keys}) {
		if got := string(keys.At(int(it.row))); got != want[i] {
			t.Fatalf("row %d is %q, want %q", i, got, want[i])
		}
	}
}

func TestScratchCeiling(t *testing.T) {
	s := New(Config{
		Encoder: encoder(t), Memory: 1, Collectors: 1, Rows: 100,
		Scratch: func() (*Scratch, error) { return Folder(t.TempDir(), 1000, time.Now()) },
	})
	defer s.Close()
	r := rand.New(rand.NewPCG(5, 6))
	var in []arrow.RecordBatch
	for range 20 {
		in = append(in, randomBatch(r, 50))
	}
	if _, err := sortAll(t.Context(), s, in); !errors.Is(err, maintenance.ErrRefused) || !strings.Contains(err.Error(), "1000 bytes") {
		t.Errorf("got %v", err)
	}
}
