package splice_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// The types that everyType lacks, with maps and lists inside each other.
func TestOtherTypesAreEncoded(t *testing.T) {
	s := arrow.BinaryTypes.String
	deep := arrow.ListOfField(field(32, "element", arrow.ListOfField(field(33, "element", arrow.StructOf(
		field(34, "f", arrow.PrimitiveTypes.Float32, true), field(35, "t", arrow.ListOfField(field(36, "element", s, true)), true),
	), true)), true))
	m := arrow.MapOfFields(field(37, "key", s, false), field(38, "value", arrow.ListOfField(field(39, "element", arrow.FixedWidthTypes.Boolean, true)), true))
	schema := arrow.NewSchema([]arrow.Field{
		field(1, "time", arrow.FixedWidthTypes.Time64us, true),
		field(2, "ns", &arrow.TimestampType{Unit: arrow.Nanosecond}, true),
		field(3, "nsz", &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, true),
		field(4, "us", &arrow.TimestampType{Unit: arrow.Microsecond}, false),
		field(5, "u", extensions.NewUUIDType(), true),
		field(6, "dec38", &arrow.Decimal128Type{Precision: 38, Scale: 10}, true),
		field(7, "eight", &arrow.FixedSizeBinaryType{ByteWidth: 8}, true),
		field(8, "deep", deep, true),
		field(9, "m", m, true),
		field(10, "ms", arrow.ListOfField(field(40, "element", m, true)), true),
	}, nil)
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 12))
		target := newTarget(t, schema, randomSettings(rng, compress.Codecs.Snappy))
		rows := newData(rng).batch(schema, pick(rng, 3, 100, 3000))
		_, got := readFile(t, encodeFile(t, rng, target, rows, rows))
		compareRows(t, retype(got, schema), oneBatch(t, array.NewTableFromRecords(schema, []arrow.RecordBatch{rows, rows})))
	}
}

// encodeOne encodes an array as the only column and returns its chunk and the
// file.
func encodeOne(t *testing.T, a arrow.Array, change func(*splice.Settings)) (format.ColumnChunk, []byte) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{field(1, "c", a.DataType(), true)}, nil)
	s := settings(compress.Codecs.Zstd)
	change(&s)
	out := encodeFile(t, rand.New(rand.NewPCG(1, 1)), newTarget(t, schema, s), array.NewRecordBatch(schema, []arrow.Array{a}, int64(a.Len())))
	_, rows := readFile(t, out)
	checkIndexes(t, out, rows, &checked{})
	return footerOf(t, out).RowGroups[0].Columns[0], out
}

func doubles(values ...float64) arrow.Array {
	b := array.NewFloat64Builder(allocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func texts(values ...string) arrow.Array {
	b := array.NewStringBuilder(allocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func decimals(precision int32, values ...int64) arrow.Array {
	b := array.NewDecimal128Builder(allocator, &arrow.Decimal128Type{Precision: precision, Scale: 1})
	for _, v := range values {
		b.Append(decimal128.FromI64(v))
	}
	return b.NewArray()
}

func le64(f float64) string {
	return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)))
}

func le32(n int32) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }

func TestBounds(t *testing.T) {
	nan, negative, long := math.NaN(), math.Copysign(0, -1), strings.Repeat("x", 70)
	for name, tc := range map[string]struct {
		values arrow.Array
		// low and high are the chunk's, the index's unless the latter are given.
		low, high, pageLow, pageHigh string
		none                         bool
	}{
		"numbers":                 {values: doubles(3, -1, 2), low: le64(-1), high: le64(3)},
		"zeros":                   {values: doubles(0, negative), low: le64(negative), high: le64(0)},
		"a zero":                  {values: doubles(0, 0), low: le64(negative), high: le64(0)},
		"a negative zero":         {values: doubles(negative), low: le64(negative), high: le64(0)},
		"NaN":                     {values: doubles(1, nan), none: true},
		"NaN only":                {values: doubles(nan), none: true},
		"infinite":                {values: doubles(math.Inf(1), math.Inf(-1)), low: le64(math.Inf(-1)), high: le64(math.Inf(1))},
		"nine digits":             {values: decimals(9, -5, 7), low: le32(-5), high: le32(7)},
		"twenty digits":           {values: decimals(20, -5, 7), low: "\xff\xff\xff\xff\xff\xff\xff\xff\xfb", high: "\x00\x00\x00\x00\x00\x00\x00\x00\x07"},
		"text":                    {values: texts("b", "", "a\xff"), low: "", high: "b"},
		"bytes are unsigned":      {values: texts("\x7f", "\xc3\xa9"), low: "\x7f", high: "\xc3\xa9"},
		"long text":               {values: texts(long), low: long, high: long, pageLow: long[:64], pageHigh: long[:63] + "y"},
		"long, not of one byte":   {values: texts(strings.Repeat("é", 40)), low: strings.Repeat("é", 40), high: strings.Repeat("é", 40), pageLow: strings.Repeat("é", 32), pageHigh: strings.Repeat("é", 31) + "ê"},
		"long, cut in characters": {values: texts("a" + strings.Repeat("é", 40)), low: "a" + strings.Repeat("é", 40), high: "a" + strings.Repeat("é", 40), pageLow: "a" + strings.Repeat("é", 31), pageHigh: "a" + strings.Repeat("é", 30) + "ê"},
		"long, last character":    {values: texts("a" + strings.Repeat("\U0010ffff", 20)), low: "a" + strings.Repeat("\U0010ffff", 20), high: "a" + strings.Repeat("\U0010ffff", 20), pageLow: "a" + strings.Repeat("\U0010ffff", 15), pageHigh: "b"},
		"long, no text":           {values: texts(strings.Repeat("\xff", 70)), low: strings.Repeat("\xff", 70), high: strings.Repeat("\xff", 70), pageLow: strings.Repeat("\xff", 64)},
		"too long":                {values: texts(strings.Repeat("z", 5000)), none: true, pageLow: strings.Repeat("z", 64), pageHigh: strings.Repeat("z", 63) + "{"},
	} {
		t.Run(name, func(t *testing.T) {
			chunk, out := encodeOne(t, tc.values, func(*splice.Settings) {})
			s := chunk.Meta.Statistics
			if (s.Min == nil) != tc.none || string(s.Min) != tc.low || string(s.Max) != tc.high {
				t.Errorf("chunk: %q to %q", s.Min, s.Max)
			}
			if tc.pageLow == "" {
				tc.pageLow = tc.low
			}
			if tc.pageHigh == "" {
				tc.pageHigh = tc.high
			}
			if tc.none && tc.pageLow == "" {
				if chunk.ColumnIndexLength != 0 {
					t.Error("there is a column index")
				}
				return
			}
			x, err := format.ReadColumnIndex(out[chunk.ColumnIndexOffset:][:chunk.ColumnIndexLength])
			if err != nil || string(x.Min[0]) != tc.pageLow || string(x.Max[0]) != tc.pageHigh {
				t.Errorf("page: %q to %q, %v", x.Min, x.Max, err)
			}
		})
	}
}

// The footer lacks bounds of columns with NaN; what there is to tell comes with
// the chunks.
func TestFloatsAreTold(t *testing.T) {
	for name, tc := range map[string]struct {
		values    []float64
		nans      int64
		low, high string
	}{
		"numbers":  {values: []float64{1, 2}, low: le64(1), high: le64(2)},
		"zero":     {values: []float64{0, 2}, low: le64(0), high: le64(2)},
		"some NaN": {values: []float64{math.NaN(), 2, math.NaN()}, nans: 2, low: le64(2), high: le64(2)},
		"all NaN":  {values: []float64{math.NaN()}, nans: 1},
		"none":     {},
	} {
		t.Run(name, func(t *testing.T) {
			schema := arrow.NewSchema([]arrow.Field{field(7, "c", arrow.PrimitiveTypes.Float64, true)}, nil)
			e, err := newTarget(t, schema, settings(compress.Codecs.Zstd)).NewColumnEncoder(0, &splice.PageBuffer{})
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Append(doubles(tc.values...)); err != nil {
				t.Fatal(err)
			}
			encoded, err := e.Finish()
			if err != nil || len(encoded.Floats) != 1 {
				t.Fatal(encoded, err)
			}
			if f := encoded.Floats[0]; f.FieldID != 7 || f.NaNs != tc.nans || string(f.Low) != tc.low || string(f.High) != tc.high {
				t.Errorf("%+v", f)
			}
		})
	}
}

// What is not of the column's type, or null where that may not be, is refused.
func TestOtherArraysAreRefused(t *testing.T) {
	micros, nanos := &arrow.TimestampType{Unit: arrow.Microsecond}, &arrow.TimestampType{Unit: arrow.Nanosecond}
	list := func(t arrow.DataType) arrow.DataType { return arrow.ListOfField(field(2, "element", t, true)) }
	for name, tc := range map[string]struct{ column, values arrow.DataType }{
		"width":     {arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32},
		"unit":      {micros, nanos},
		"scale":     {&arrow.Decimal128Type{Precision: 9, Scale: 2}, &arrow.Decimal128Type{Precision: 9, Scale: 3}},
		"precision": {&arrow.Decimal128Type{Precision: 9, Scale: 2}, &arrow.Decimal128Type{Precision: 10, Scale: 2}},
		"bytes":     {arrow.BinaryTypes.String, arrow.BinaryTypes.Binary},
		"length":    {&arrow.FixedSizeBinaryType{ByteWidth: 5}, &arrow.FixedSizeBinaryType{ByteWidth: 6}},
		"nested":    {list(arrow.PrimitiveTypes.Int64), arrow.PrimitiveTypes.Int64},
		"flat":      {arrow.PrimitiveTypes.Int64, list(arrow.PrimitiveTypes.Int64)},
		"element":   {list(arrow.PrimitiveTypes.Int64), list(arrow.PrimitiveTypes.Int32)},
		"field":     {arrow.StructOf(field(2, "a", micros, true)), arrow.StructOf(field(2, "b", micros, true))},
		"fields":    {arrow.StructOf(field(2, "a", micros, true)), arrow.StructOf(field(2, "a", micros, true), field(3, "b", micros, true))},
	} {
		t.Run(name, func(t *testing.T) {
			if err := appendTo(t, field(1, "c", tc.column, true), array.MakeArrayOfNull(allocator, tc.values, 3)); !errors.Is(err, splice.ErrUnfit) {
				t.Errorf("error is %v", err)
			}
		})
	}
	for name, typ := range map[string]arrow.DataType{"number": arrow.PrimitiveTypes.Int64, "list": list(arrow.PrimitiveTypes.Int64)} {
		if err := appendTo(t, field(1, name, typ, false), array.MakeArrayOfNull(allocator, typ, 3)); !errors.Is(err, splice.ErrUnfit) {
			t.Errorf("null %s: error is %v", name, err)
		}
	}
}

func appendTo(t *testing.T, f arrow.Field, a arrow.Array) error {
	t.Helper()
	e, err := newTarget(t, arrow.NewSchema([]arrow.Field{f}, nil), settings(compress.Codecs.Zstd)).NewColumnEncoder(0, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Append(a)
}

// An error of what pages are written to, or read from, is returned.
func TestErrorsOfEncodingAreReturned(t *testing.T) {
	values := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field(1, "c", arrow.BinaryTypes.String, true)}, nil), []arrow.Array{texts("a", "b", "c")}, 3)
	target := newTarget(t, values.Schema(), settings(compress.Codecs.Zstd))
	e, err := target.NewColumnEncoder(0, &faulty{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Append(values.Column(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Finish(); !errors.Is(err, errFull) {
		t.Errorf("error is %v", err)
	}
	e.Reset(&bytes.Buffer{})
	if err := e.Append(values.Column(0)); err != nil {
		t.Fatal(err)
	}
	encoded, err := e.Finish()
	if err != nil {
		t.Fatal(err)
	}
	w, err := target.NewWriter(&bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteEncoded(context.Background(), []splice.Column{{Encoded: encoded, Pages: bytes.NewReader(nil)}}); err == nil {
		t.Error("pages were read where there are none")
	}
}
