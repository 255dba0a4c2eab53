package avrofile

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/variant"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// everyType is a schema with fields of all types, required and not.
func everyType(t *testing.T) *iceberg.Schema {
	t.Helper()
	id := 0
	next := func() int {
		id++
		return id
	}
	types := []iceberg.Type{
		iceberg.PrimitiveTypes.Bool, iceberg.PrimitiveTypes.Int32, iceberg.PrimitiveTypes.Int64,
		iceberg.PrimitiveTypes.Float32, iceberg.PrimitiveTypes.Float64, iceberg.PrimitiveTypes.Date, iceberg.PrimitiveTypes.Time,
		iceberg.PrimitiveTypes.Timestamp, iceberg.PrimitiveTypes.TimestampTz, iceberg.PrimitiveTypes.TimestampNs, iceberg.PrimitiveTypes.TimestampTzNs,
		iceberg.PrimitiveTypes.String, iceberg.PrimitiveTypes.Binary, iceberg.PrimitiveTypes.UUID, iceberg.FixedTypeOf(3),
		iceberg.DecimalTypeOf(1, 0), iceberg.DecimalTypeOf(9, 2), iceberg.DecimalTypeOf(10, 10), iceberg.DecimalTypeOf(18, 3), iceberg.DecimalTypeOf(19, 0), iceberg.DecimalTypeOf(38, 10),
		iceberg.VariantType{},
	}
	var fields []iceberg.NestedField
	add := func(typ iceberg.Type) {
		n := next()
		fields = append(fields, iceberg.NestedField{ID: n, Name: fmt.Sprintf("c %d", n), Type: typ, Required: n%2 == 0})
	}
	for i, typ := range types {
		add(typ)
		add(typ)
		if i%4 != 0 {
			continue
		}
		add(&iceberg.ListType{ElementID: next(), Element: typ, ElementRequired: i%8 == 0})
		if i > 0 {
			add(&iceberg.MapType{KeyID: next(), KeyType: types[i-1], ValueID: next(), ValueType: typ, ValueRequired: i%8 == 0})
		}
	}
	item := &iceberg.StructType{FieldList: []iceberg.NestedField{
		{ID: next(), Name: "a", Type: iceberg.PrimitiveTypes.Int32}, {ID: next(), Name: "b", Type: iceberg.DecimalTypeOf(9, 2), Required: true},
	}}
	add(item)
	add(&iceberg.ListType{ElementID: next(), Element: &iceberg.StructType{FieldList: []iceberg.NestedField{
		{ID: next(), Name: "m", Type: &iceberg.MapType{
			KeyID: next(), KeyType: iceberg.PrimitiveTypes.String, ValueID: next(),
			ValueType: &iceberg.ListType{ElementID: next(), Element: iceberg.PrimitiveTypes.String},
		}},
	}}})
	return iceberg.NewSchema(0, fields...)
}

// randomRows makes rows. Nulls are none, some or all, by column.
func randomRows(t *testing.T, rng *rand.Rand, schema *iceberg.Schema, rows int) arrow.RecordBatch {
	t.Helper()
	as, err := table.SchemaToArrowSchema(schema, nil, true, rng.IntN(2) == 0)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, as)
	defer b.Release()
	for i, f := range as.Fields() {
		nulls := []int{0, 30, 100}[rng.IntN(3)]
		for range rows {
			appendRandom(t, rng, b.Field(i), f.Nullable, nulls)
		}
	}
	return b.NewRecordBatch()
}

func appendRandom(t *testing.T, rng *rand.Rand, to array.Builder, nullable bool, nulls int) {
	if nullable && rng.IntN(100) < nulls {
		to.AppendNull()
		return
	}
	n := rng.Int64() >> rng.IntN(64) * int64(1-2*rng.IntN(2))
	text := strings.Repeat(strconv.FormatInt(n, 36)+"é", rng.IntN(3))
	switch b := to.(type) {
	case *array.BooleanBuilder:
		b.Append(n%2 == 0)
	case *array.Int32Builder:
		b.Append(int32(n))
	case *array.Int64Builder:
		b.Append(n)
	case *array.Float32Builder:
		b.Append(float32(randomFloat(rng)))
	case *array.Float64Builder:
		b.Append(randomFloat(rng))
	case *array.Date32Builder:
		b.Append(arrow.Date32(n))
	case *array.Time64Builder:
		b.Append(arrow.Time64(uint64(n) % 86_400_000_000))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(n))
	case *array.StringBuilder:
		b.Append(text)
	case *array.LargeStringBuilder:
		b.Append(text)
	case *array.BinaryBuilder:
		b.Append([]byte(text))
	case *array.FixedSizeBinaryBuilder:
		b.Append(binary.BigEndian.AppendUint64(nil, uint64(n))[:b.Type().(*arrow.FixedSizeBinaryType).ByteWidth])
	case *extensions.UUIDBuilder:
		b.AppendBytes([16]byte(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(n)), 7)))
	case *array.Decimal128Builder:
		b.Append(randomDecimal(rng, b.Type().(*arrow.Decimal128Type).Precision))
	case *extensions.VariantBuilder:
		var v variant.Builder
		if err := v.AppendString(text); err != nil {
			t.Fatal(err)
		}
		value, err := v.Build()
		if err != nil {
			t.Fatal(err)
		}
		b.Append(value)
	default:
		appendNested(t, rng, to, nulls)
	}
}

func appendNested(t *testing.T, rng *rand.Rand, to array.Builder, nulls int) {
	switch b := to.(type) {
	case *array.StructBuilder:
		b.Append(true)
		for i, f := range b.Type().(*arrow.StructType).Fields() {
			appendRandom(t, rng, b.FieldBuilder(i), f.Nullable, nulls)
		}
	case *array.MapBuilder:
		b.Append(true)
		item := b.Type().(*arrow.MapType).ItemField()
		// The reader forgets keys that are the same.
		for range rng.IntN(2) {
			appendRandom(t, rng, b.KeyBuilder(), false, 0)
			appendRandom(t, rng, b.ItemBuilder(), item.Nullable, nulls)
		}
	case *array.ListBuilder:
		b.Append(true)
		for range rng.IntN(4) {
			appendRandom(t, rng, b.ValueBuilder(), b.Type().(*arrow.ListType).ElemField().Nullable, nulls)
		}
	case *array.LargeListBuilder:
		b.Append(true)
		for range rng.IntN(4) {
			appendRandom(t, rng, b.ValueBuilder(), b.Type().(*arrow.LargeListType).ElemField().Nullable, nulls)
		}
	default:
		t.Fatalf("no values for %s", to.Type())
	}
}

func randomFloat(rng *rand.Rand) float64 {
	return []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, rng.NormFloat64()}[rng.IntN(7)]
}

// randomDecimal is often one of the ends.
func randomDecimal(rng *rand.Rand, digits int32) decimal128.Num {
	most := decimal128.GetMaxValue(digits)
	v := []decimal128.Num{most, decimal128.FromI64(0), decimal128.FromI64(rng.Int64N(10)), decimal128.FromI64(1)}[rng.IntN(4)]
	if rng.IntN(2) == 0 {
		return v.Negate()
	}
	return v
}
