package metatables

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/datafile"
)

// written is a value as Arrow shows it after appendValue.
func written(t *testing.T, typ iceberg.Type, v any) (string, error) {
	t.Helper()
	schema, err := table.SchemaToArrowSchema(iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "v", Type: typ}), nil, false, false)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewBuilder(memory.DefaultAllocator, schema.Field(0).Type)
	defer b.Release()
	if err := datafile.AppendValue(b, v); err != nil {
		return "", err
	}
	a := b.NewArray()
	defer a.Release()
	return a.ValueStr(0), nil
}

func TestBounds(t *testing.T) {
	p := iceberg.PrimitiveTypes
	for _, test := range []struct {
		typ   iceberg.Type
		bound string
		want  string
	}{
		{p.Bool, "\x01", "true"},
		{p.Int32, "\xff\xff\xff\xff", "-1"},
		{p.Int64, "\x02\x00\x00\x00\x00\x00\x00\x80", "-9223372036854775806"},
		{p.Int64, "\xfe\xff\xff\xff", "-2"}, // from before the column was promoted
		{p.Float32, "\x00\x00\xc0\x3f", "1.5"},
		{p.Float64, "\x00\x00\xc0\x3f", "1.5"},
		{p.Date, "\xff\xff\xff\xff", "1969-12-31"},
		{p.Time, "\x40\x42\x0f\x00\x00\x00\x00\x00", "00:00:01.000000"},
		{p.TimestampTz, "\xff\xff\xff\xff\xff\xff\xff\xff", "1969-12-31T23:59:59.999999Z"},
		{p.TimestampNs, "\x01\x00\x00\x00\x00\x00\x00\x00", "1970-01-01T00:00:00.000000001"},
		{p.Timestamp, "\xff\xff\xff\xff", "1969-12-31T00:00:00"},
		{p.TimestampNs, "\x01\x00\x00\x00", "1970-01-02T00:00:00"},
		{p.String, "", ""},
		{p.String, "ü", "ü"},
		{p.Binary, "\x00\xff", "AP8="},
		{iceberg.FixedTypeOf(2), "\x00\xff", "AP8="},
		{p.UUID, "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", "00112233-4455-6677-8899-aabbccddeeff"},
		{iceberg.DecimalTypeOf(9, 2), "\xff\x38", "-2"},
		{iceberg.DecimalTypeOf(38, 10), "\x01", "1e-10"},
		{iceberg.UnknownType{}, "\x01", "(null)"},
	} {
		v, err := boundValue(test.typ, []byte(test.bound))
		if err != nil {
			t.Errorf("%s %x: %v", test.typ, test.bound, err)
			continue
		}
		if got, err := written(t, test.typ, v); err != nil || got != test.want {
			t.Errorf("%s %x: got %s, %v; want %s", test.typ, test.bound, got, err, test.want)
		}
	}
}

func TestValuesThatDoNotFit(t *testing.T) {
	p := iceberg.PrimitiveTypes
	for typ, v := range map[iceberg.Type]any{p.Int32: "1", p.Bool: int32(1), p.String: []byte("1"), p.Date: 1.5, p.Float64: int64(1)} {
		if got, err := written(t, typ, v); err == nil {
			t.Errorf("%T was written as %s: %s", v, typ, got)
		}
	}
	if _, err := boundValue(p.Int64, []byte{1, 2, 3}); err == nil {
		t.Error("three bytes are no long")
	}
}

// FuzzBound: no bytes, of whatever file, are more than an error.
func FuzzBound(f *testing.F) {
	p := iceberg.PrimitiveTypes
	types := []iceberg.Type{
		p.Bool, p.Int32, p.Int64, p.Float32, p.Float64, p.Date, p.Time, p.Timestamp, p.TimestampTz, p.TimestampNs, p.TimestampTzNs,
		p.String, p.Binary, p.UUID, iceberg.FixedTypeOf(3), iceberg.DecimalTypeOf(38, 10), iceberg.DecimalTypeOf(9, 2),
		iceberg.UnknownType{},
	}
	for i := range types {
		for _, bound := range []string{"", "\x01", "\x01\x02\x03\x04", "12345678", "0123456789abcdef", "0123456789abcdefg"} {
			f.Add(i, []byte(bound))
		}
	}
	f.Fuzz(func(t *testing.T, i int, bound []byte) {
		typ := types[uint(i)%uint(len(types))]
		v, err := boundValue(typ, bound)
		if err != nil {
			return
		}
		_, early := v.(iceberg.Date) // may be too early or late for nanoseconds
		if _, err := written(t, typ, v); err != nil && !(early && typ == p.TimestampNs) {
			t.Errorf("%s %x is the value %v, which cannot be written: %v", typ, bound, v, err)
		}
	})
}

func TestPartitionKey(t *testing.T) {
	typ := &iceberg.StructType{FieldList: []iceberg.NestedField{
		{ID: 1000, Name: "a", Type: iceberg.PrimitiveTypes.Int64}, {ID: 1001, Name: "b", Type: iceberg.PrimitiveTypes.String},
	}}
	same := [][2]map[int]any{
		{{1000: int32(1)}, {1000: int64(1), 1001: nil}},
		{{1000: int64(1), 1002: "x"}, {1000: int64(1)}},
	}
	for _, pair := range same {
		if a, b := partitionKey(typ, pair[0], 1), partitionKey(typ, pair[1], 1); a != b {
			t.Errorf("%s and %s", a, b)
		}
	}
	different := [][2]map[int]any{
		{{1001: nil}, {1001: "<nil>"}},
		{{1001: ""}, {1001: nil}},
		{{1000: int64(1)}, {1001: "1"}},
		{{1001: `a" ;string "b`}, {1001: "a"}},
	}
	if partitionKey(typ, nil, 1) == partitionKey(typ, nil, 2) {
		t.Error("specs of one and of two fields have the same partition")
	}
	for _, pair := range different {
		if a, b := partitionKey(typ, pair[0], 1), partitionKey(typ, pair[1], 1); a == b {
			t.Errorf("%v and %v have the same key %s", pair[0], pair[1], a)
		}
	}
}

// TestBoundText: what Java's transforms show to people.
func TestBoundText(t *testing.T) {
	p, identity := iceberg.PrimitiveTypes, iceberg.IdentityTransform{}
	for _, test := range []struct {
		typ       iceberg.Type
		transform iceberg.Transform
		bound     string
		want      any
	}{
		{p.Float32, identity, "\x00\x00\x80\x3f", "1.0"},
		{p.Float32, identity, "\xcd\xcc\xcc\x3d", "0.1"},
		{p.Float64, identity, "\x00\x00\x80\x3f", "1.0"},
		{p.Float64, identity, "\x00\x00\x00\x00\xd0\x12\x63\x41", "1.0E7"},
		{p.Float64, identity, "\x9c\x75\x00\x88\x3c\xe4\x37\x7e", "1.0E300"},
		{p.Float64, identity, "\x2d\x43\x1c\xeb\xe2\x36\x1a\x3f", "1.0E-4"},
		{p.Float64, identity, "\x00\x00\x00\x00\x00\x00\x00\x80", "-0.0"},
		{p.Float64, identity, "\x00\x00\x00\x00\x00\x00\xf0\xff", "-Infinity"},
		{p.Int64, identity, "\xff\xff\xff\xff", "-1"},
		{p.Date, iceberg.DayTransform{}, "\xff\xff\xff\xff", "1969-12-31"},
		{p.Int32, iceberg.HourTransform{}, "\xff\xff\xff\xff", "1969-12-31-23"},
		{p.Int32, iceberg.BucketTransform{NumBuckets: 4}, "\x03\x00\x00\x00", "3"},
		{p.Binary, iceberg.TruncateTransform{Width: 2}, "\x01\x02", "AQI="},
		{iceberg.UnknownType{}, identity, "\x01", nil},
	} {
		bound := []byte(test.bound)
		if got, err := boundText(test.typ, test.transform, &bound); err != nil || got != test.want {
			t.Errorf("%s of %s %x: got %v, %v; want %v", test.transform, test.typ, bound, got, err, test.want)
		}
	}
	if got, err := boundText(p.Int32, identity, nil); got != nil || err != nil {
		t.Errorf("no bound: got %v, %v", got, err)
	}
}
