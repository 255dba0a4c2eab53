package splice_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// field is a column with an Iceberg field id.
func field(id int, name string, t arrow.DataType, nullable bool) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: nullable, Metadata: arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{strconv.Itoa(id)})}
}

// everyType is a schema with columns of all types that Iceberg stores.
func everyType() *arrow.Schema {
	s := arrow.BinaryTypes.String
	item := arrow.StructOf(field(21, "a", arrow.PrimitiveTypes.Int32, true), field(22, "b", s, false))
	return arrow.NewSchema([]arrow.Field{
		field(1, "id", arrow.PrimitiveTypes.Int64, false),
		field(2, "flag", arrow.FixedWidthTypes.Boolean, true),
		field(3, "n", arrow.PrimitiveTypes.Int32, true),
		field(4, "f", arrow.PrimitiveTypes.Float32, true),
		field(5, "d", arrow.PrimitiveTypes.Float64, true),
		field(6, "s", s, true),
		field(7, "blob", arrow.BinaryTypes.Binary, true),
		field(8, "five", &arrow.FixedSizeBinaryType{ByteWidth: 5}, true),
		field(9, "dec9", &arrow.Decimal128Type{Precision: 9, Scale: 2}, true),
		field(10, "dec18", &arrow.Decimal128Type{Precision: 18, Scale: 3}, false),
		field(11, "dec30", &arrow.Decimal128Type{Precision: 30, Scale: 4}, true),
		field(12, "day", arrow.FixedWidthTypes.Date32, true),
		field(13, "ts", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, true),
		field(14, "list", arrow.ListOfField(field(20, "element", item, true)), true),
		field(15, "ids", arrow.ListOfField(field(23, "element", arrow.PrimitiveTypes.Int64, false)), false),
		field(16, "nested", arrow.StructOf(field(24, "x", arrow.PrimitiveTypes.Float64, true), field(25, "y", arrow.ListOfField(field(26, "element", s, true)), true)), true),
	}, nil)
}

// data makes random rows. Values are few or many, nulls none, some or all, each
// by column.
type data struct {
	rng *rand.Rand
	// distinct and nulls are by field id.
	distinct, nulls map[string]int
}

func newData(rng *rand.Rand) *data {
	return &data{rng: rng, distinct: map[string]int{}, nulls: map[string]int{}}
}

// allocator is that of all tests.
var allocator = memory.DefaultAllocator

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func (d *data) batch(schema *arrow.Schema, rows int) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i, f := range schema.Fields() {
		for range rows {
			d.value(b.Field(i), f)
		}
	}
	return b.NewRecordBatch()
}

func (d *data) value(b array.Builder, f arrow.Field) {
	id, _ := f.Metadata.GetValue("PARQUET:field_id")
	if _, ok := d.distinct[id]; !ok {
		d.distinct[id] = pick(d.rng, 1, 5, 200, 1<<30)
		d.nulls[id] = pick(d.rng, 0, 0, 10, 90, 100)
	}
	if f.Nullable && d.rng.IntN(100) < d.nulls[id] {
		b.AppendNull()
		return
	}
	n := d.rng.IntN(d.distinct[id])
	text := strings.Repeat(strconv.Itoa(n*7919)+"-", 1+n%4)
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(int64(n) * 1_000_003 * int64(1-2*(n%2)))
	case *array.Int32Builder:
		b.Append(int32(n) - 100)
	case *array.BooleanBuilder:
		b.Append(n%2 == 0)
	case *array.Float32Builder:
		b.Append(float32(d.float(n)))
	case *array.Float64Builder:
		b.Append(d.float(n))
	case *array.StringBuilder:
		b.Append(text)
	case *array.BinaryBuilder:
		b.Append([]byte(text)[:n%9%len(text)])
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(text + "--------")[:b.Type().(*arrow.FixedSizeBinaryType).ByteWidth])
	case *array.Decimal128Builder:
		v := decimal128.FromI64(int64(n%9_999_999) * int64(1-2*(n%2)))
		if b.Type().(*arrow.Decimal128Type).Precision > 20 {
			v = v.Mul(decimal128.FromU64(1 << 40))
		}
		b.Append(v)
	case *array.Date32Builder:
		b.Append(arrow.Date32(n % 50_000))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(n) * 1_000_000)
	case *array.Time64Builder:
		b.Append(arrow.Time64(n) % 86_400_000_000)
	case *array.LargeStringBuilder:
		b.Append(text)
	case *extensions.UUIDBuilder:
		b.AppendBytes([16]byte(append(binary.BigEndian.AppendUint64(nil, uint64(n)*0x9e3779b97f4a7c15), "12345678"...)))
	case *array.MapBuilder:
		b.Append(true)
		for i := range d.rng.IntN(4) {
			b.KeyBuilder().(*array.StringBuilder).Append(strconv.Itoa(i))
			d.value(b.ItemBuilder(), b.Type().(*arrow.MapType).ItemField())
		}
	case *array.ListBuilder:
		b.Append(true)
		for range d.rng.IntN(4) {
			d.value(b.ValueBuilder(), b.Type().(*arrow.ListType).ElemField())
		}
	case *array.StructBuilder:
		b.Append(true)
		for i, f := range b.Type().(*arrow.StructType).Fields() {
			d.value(b.FieldBuilder(i), f)
		}
	default:
		panic(b.Type().String())
	}
}

func (d *data) float(n int) float64 {
	switch n % 11 {
	case 3:
		return math.Copysign(0, -1)
	case 4:
		return 0
	case 5:
		return math.Inf(1 - 2*(n%2))
	case 6:
		return math.NaN()
	}
	return float64(n)/3 - 50
}

// style is how a file is written.
type style struct {
	codec   compress.Compression
	rows    int
	options []parquet.WriterProperty
}

func randomStyle(rng *rand.Rand, codecs ...compress.Compression) style {
	s := style{codec: pick(rng, codecs...), rows: pick(rng, 50, 300, 1<<20)}
	version := pick(rng, parquet.DataPageV1, parquet.DataPageV2)
	if s.codec == compress.Codecs.Brotli {
		// The library cannot read its own empty version 2 pages of this codec.
		version = parquet.DataPageV1
	}
	s.options = []parquet.WriterProperty{
		parquet.WithCompression(s.codec),
		parquet.WithMaxRowGroupLength(int64(s.rows)),
		parquet.WithDictionaryDefault(rng.IntN(3) > 0),
		parquet.WithDictionaryPageSizeLimit(pick[int64](rng, 300, 5000, 1<<20)),
		parquet.WithDataPageSize(pick[int64](rng, 100, 3000, 1<<20)),
		parquet.WithBatchSize(pick[int64](rng, 10, 100, 20000)),
		parquet.WithDataPageVersion(version),
		parquet.WithPageIndexEnabled(rng.IntN(2) == 0),
		parquet.WithStoreDecimalAsInteger(true),
		parquet.WithCreatedBy("test"),
	}
	if rng.IntN(3) == 0 {
		for path, encodings := range map[string][]parquet.Encoding{
			"id": {parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.ByteStreamSplit},
			"s":  {parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray},
			"d":  {parquet.Encodings.ByteStreamSplit},
			"n":  {parquet.Encodings.DeltaBinaryPacked},
		} {
			s.options = append(s.options, parquet.WithDictionaryFor(path, false), parquet.WithEncodingFor(path, pick(rng, encodings...)))
		}
	}
	return s
}

// file writes batches as a Parquet file.
func (s style) file(t testing.TB, schema *arrow.Schema, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(s.options...), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.WriteBuffered(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(out.Bytes())
}

// stricter is a schema some of whose fields may no longer be null.
func stricter(rng *rand.Rand, s *arrow.Schema) *arrow.Schema {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		fields[i] = stricterField(rng, f)
	}
	return arrow.NewSchema(fields, nil)
}

func stricterField(rng *rand.Rand, f arrow.Field) arrow.Field {
	f.Nullable = f.Nullable && rng.IntN(2) == 0
	switch t := f.Type.(type) {
	case *arrow.ListType:
		f.Type = arrow.ListOfField(stricterField(rng, t.ElemField()))
	case *arrow.StructType:
		var fields []arrow.Field
		for _, child := range t.Fields() {
			fields = append(fields, stricterField(rng, child))
		}
		f.Type = arrow.StructOf(fields...)
	}
	return f
}

// retype gives rows the types of a schema that differs in what may be null.
func retype(rows arrow.RecordBatch, s *arrow.Schema) arrow.RecordBatch {
	var of func(d arrow.ArrayData, t arrow.DataType) arrow.ArrayData
	of = func(d arrow.ArrayData, t arrow.DataType) arrow.ArrayData {
		var children []arrow.ArrayData
		for i, child := range d.Children() {
			if nested, ok := t.(arrow.NestedType); ok {
				child = of(child, nested.Fields()[i].Type)
			}
			children = append(children, child)
		}
		return array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
	}
	columns := make([]arrow.Array, rows.NumCols())
	for i := range columns {
		columns[i] = array.MakeFromData(of(rows.Column(i).Data(), s.Field(i).Type))
	}
	return array.NewRecordBatch(s, columns, rows.NumRows())
}
