package rowkey

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
)

// sample is values in ascending order, as JSON.
type sample struct {
	typ   iceberg.Type
	arrow arrow.DataType
	json  []string
}

func columns() map[string]sample {
	quote := func(values ...string) []string {
		for i, v := range values {
			values[i] = strings.ReplaceAll(fmt.Sprintf("%q", v), `\x00`, `\u0000`)
		}
		return values
	}
	return map[string]sample{
		"boolean":   {typ: iceberg.PrimitiveTypes.Bool, arrow: arrow.FixedWidthTypes.Boolean, json: []string{"false", "true"}},
		"int":       {typ: iceberg.PrimitiveTypes.Int32, arrow: arrow.PrimitiveTypes.Int32, json: []string{"-2147483648", "-1", "0", "1", "255", "256", "2147483647"}},
		"long":      {typ: iceberg.PrimitiveTypes.Int64, arrow: arrow.PrimitiveTypes.Int64, json: []string{"-9223372036854775808", "-1", "0", "1", "9223372036854775807"}},
		"date":      {typ: iceberg.PrimitiveTypes.Date, arrow: arrow.FixedWidthTypes.Date32, json: quote("0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31")},
		"time":      {typ: iceberg.PrimitiveTypes.Time, arrow: arrow.FixedWidthTypes.Time64us, json: quote("00:00:00", "00:00:00.000001", "23:59:59")},
		"timestamp": {typ: iceberg.PrimitiveTypes.Timestamp, arrow: &arrow.TimestampType{Unit: arrow.Microsecond}, json: quote("0001-01-01 00:00:00", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "9999-12-31 23:59:59")},
		"nanos":     {typ: iceberg.PrimitiveTypes.TimestampNs, arrow: &arrow.TimestampType{Unit: arrow.Nanosecond}, json: quote("1969-12-31 23:59:59.999999999", "1970-01-01 00:00:00", "1970-01-01 00:00:00.000000001")},
		"decimal":   {typ: iceberg.DecimalTypeOf(38, 2), arrow: &arrow.Decimal128Type{Precision: 38, Scale: 2}, json: quote("-999999999999999999999999999999999999.99", "-1.00", "-0.01", "0.00", "0.01", "184467440737095516.16", "999999999999999999999999999999999999.99")},
		"string":    {typ: iceberg.PrimitiveTypes.String, arrow: arrow.BinaryTypes.String, json: quote("", "\x00", "\x00\x00", "\x00a", "A", "a", "a\x00", "a\x00b", "aa", "b", "é", "日本", "😀")},
		"large":     {typ: iceberg.PrimitiveTypes.String, arrow: arrow.BinaryTypes.LargeString, json: quote("", "a", "ab", "b")},
		"binary":    {typ: iceberg.PrimitiveTypes.Binary, arrow: arrow.BinaryTypes.Binary, json: quote("", "AA==", "AAE=", "fw==", "gA==", "/w==")},
		"fixed":     {typ: iceberg.FixedTypeOf(2), arrow: &arrow.FixedSizeBinaryType{ByteWidth: 2}, json: quote("AAA=", "AAE=", "/wA=")},
		"uuid":      {typ: iceberg.PrimitiveTypes.UUID, arrow: extensions.NewUUIDType(), json: quote("00000000-0000-0000-0000-000000000001", "7f000000-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")},
	}
}

func encode(t *testing.T, typ iceberg.Type, a arrow.Array, f Field) Keys {
	t.Helper()
	f.ID = 1
	if f.Transform == nil {
		f.Transform = iceberg.IdentityTransform{}
	}
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "c", Type: typ})
	e, err := NewEncoder(schema, []Field{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "c", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
	k, err := e.Encode(batch)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// wantOrder wants keys to compare as numbers do.
func wantOrder(t *testing.T, k Keys, ranks []int) {
	t.Helper()
	for i, a := range ranks {
		for j, b := range ranks {
			if got := bytes.Compare(k.At(i), k.At(j)); got != cmp.Compare(a, b) {
				t.Errorf("rows %d and %d compare as %d, want %d: %x %x", i, j, got, cmp.Compare(a, b), k.At(i), k.At(j))
			}
		}
	}
}

func TestTypes(t *testing.T) {
	for name, c := range columns() {
		t.Run(name, func(t *testing.T) {
			text := "[null, " + strings.Join(c.json, ", ") + "]"
			a, _, err := array.FromJSON(memory.DefaultAllocator, c.arrow, strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			up, down := make([]int, a.Len()), make([]int, a.Len())
			for i := range up {
				up[i], down[i] = i, -i
			}
			wantOrder(t, encode(t, c.typ, a, Field{}), up)
			up[0] = a.Len()
			wantOrder(t, encode(t, c.typ, a, Field{NullsLast: true}), up)
			down[0] = -a.Len()
			wantOrder(t, encode(t, c.typ, a, Field{Descending: true}), down)
			down[0] = a.Len()
			wantOrder(t, encode(t, c.typ, a, Field{Descending: true, NullsLast: true}), down)
		})
	}
}

// TestFloats has what JSON cannot say.
func TestFloats(t *testing.T) {
	values := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64, 1, math.Inf(1), math.NaN(), math.Float64frombits(0xfff8000000000001)}
	ranks := []int{0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8}
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	wantOrder(t, encode(t, iceberg.PrimitiveTypes.Float64, b.NewArray(), Field{}), ranks)
	b32 := array.NewFloat32Builder(memory.DefaultAllocator)
	b32.AppendValues([]float32{float32(math.Inf(-1)), -1, float32(math.Copysign(0, -1)), 0, 1, float32(math.NaN())}, nil)
	wantOrder(t, encode(t, iceberg.PrimitiveTypes.Float32, b32.NewArray(), Field{}), []int{0, 1, 2, 2, 3, 4})
}

// Java's truncation of integers wraps around below the least one, and so does the
// order of what Spark sorts by it.
func TestTruncateWraps(t *testing.T) {
	truncate := Field{Transform: iceberg.TruncateTransform{Width: 10000}}
	ints := array.NewInt32Builder(memory.DefaultAllocator)
	ints.AppendValues([]int32{math.MinInt32, 0, math.MaxInt32 - 5000, math.MaxInt32}, nil)
	wantOrder(t, encode(t, iceberg.PrimitiveTypes.Int32, ints.NewArray(), truncate), []int{2, 0, 1, 3})
	longs := array.NewInt64Builder(memory.DefaultAllocator)
	longs.AppendValues([]int64{math.MinInt64, 0, math.MaxInt64}, nil)
	wantOrder(t, encode(t, iceberg.PrimitiveTypes.Int64, longs.NewArray(), truncate), []int{2, 0, 1})
}

func TestTransforms(t *testing.T) {
	ints := array.NewInt64Builder(memory.DefaultAllocator)
	ints.AppendValues([]int64{-11, -10, -1, 0, 9, 10}, nil)
	ints.AppendNull()
	wantOrder(t, encode(t, iceberg.PrimitiveTypes.Int64, ints.NewArray(), Field{Transform: iceberg.TruncateTransform{Width: 10}}), []int{0, 1, 1, 2, 2, 3, -1})
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	texts.AppendValues([]string{"éa", "éb", "f", ""}, nil)
	wantOrder(t, encode(t, iceberg.PrimitiveTypes.String, texts.NewArray(), Field{Transform: iceberg.TruncateTransform{Width: 1}}), []int{2, 2, 1, 0})
	prices := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 9, Scale: 2})
	for _, n := range []int64{-1, 0, 49, 50, 149} {
		prices.Append(decimal128.FromI64(n))
	}
	wantOrder(t, encode(t, iceberg.DecimalTypeOf(9, 2), prices.NewArray(), Field{Transform: iceberg.TruncateTransform{Width: 50}}), []int{0, 1, 1, 2, 3})
	days := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"})
	for _, hour := range []int{-25, -1, 0, 23, 24, 24 * 400} {
		days.Append(arrow.Timestamp(int64(hour) * 3_600_000_000))
	}
	times := days.NewArray()
	for _, tc := range []struct {
		transform iceberg.Transform
		ranks     []int
	}{
		{iceberg.DayTransform{}, []int{-2, -1, 0, 0, 1, 400}},
		{iceberg.HourTransform{}, []int{-25, -1, 0, 23, 24, 9600}},
		{iceberg.MonthTransform{}, []int{-1, -1, 0, 0, 0, 13}},
		{iceberg.YearTransform{}, []int{-1, -1, 0, 0, 0, 1}},
	} {
		wantOrder(t, encode(t, iceberg.PrimitiveTypes.TimestampTz, times, Field{Transform: tc.transform}), tc.ranks)
	}
	// By the specification the hash of 34 is 2017239379.
	numbers := array.NewInt64Builder(memory.DefaultAllocator)
	numbers.AppendValues([]int64{34, 0}, nil)
	k := encode(t, iceberg.PrimitiveTypes.Int64, numbers.NewArray(), Field{Transform: iceberg.BucketTransform{NumBuckets: 1000}})
	if want := []byte{1, 0x80, 0, 379 >> 8, 379 & 255}; !bytes.Equal(k.At(0), want) {
		t.Errorf("bucket of 34: %x, want %x", k.At(0), want)
	}
}
