package avrofile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/firndb/firn/maintenance"
)

// write makes a file of batches.
func write(t *testing.T, f *Format, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := f.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	var rows int64
	for _, batch := range batches {
		if err := w.Write(batch.Columns()); err != nil {
			t.Fatal(err)
		}
		rows += batch.NumRows()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Size() != int64(file.Len()) || w.Rows() != rows {
		t.Errorf("%d rows of %d bytes, but %d of %d were written", w.Rows(), w.Size(), rows, file.Len())
	}
	return file.Bytes()
}

var logical = regexp.MustCompile(`,"logicalType":"[^"]*"`)

// read reads a file with the library, without logical types.
func read(t *testing.T, file []byte, f *Format) []map[string]any {
	t.Helper()
	plain, err := avro.Parse(logical.ReplaceAllString(f.Schema(), ""), avro.WithLaxNames(nil))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ocf.NewReader(bytes.NewReader(file), ocf.WithReaderSchema(plain), ocf.WithSchemaOpts(avro.WithLaxNames(nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var rows []map[string]any
	for {
		var row map[string]any
		err := r.Decode(&row)
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
}

// valueOf is a value of an array as the library decodes it.
func valueOf(t *testing.T, typ iceberg.Type, a arrow.Array, row int) any {
	if a.IsNull(row) {
		return nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(row)
	case *array.Int32:
		return a.Value(row)
	case *array.Date32:
		return int32(a.Value(row))
	case *array.Int64:
		return a.Value(row)
	case *array.Time64:
		return int64(a.Value(row))
	case *array.Timestamp:
		return int64(a.Value(row))
	case *array.Float32:
		return a.Value(row)
	case *array.Float64:
		return a.Value(row)
	case *array.String:
		return a.Value(row)
	case *array.LargeString:
		return a.Value(row)
	case *array.Binary:
		return a.Value(row)
	case *array.LargeBinary:
		return a.Value(row)
	case *array.FixedSizeBinary:
		return a.Value(row)
	case *extensions.UUIDArray:
		id := a.Value(row)
		return id[:]
	case *array.Decimal128:
		width := decimalBytes(typ.(iceberg.DecimalType).Precision())
		n := a.Value(row).BigInt()
		if n.Sign() < 0 {
			n.Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*width)))
		}
		return n.FillBytes(make([]byte, width))
	case *extensions.VariantArray:
		v, err := a.Value(row)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]any{"metadata": v.Metadata().Bytes(), "value": v.Bytes()}
	}
	return nestedOf(t, typ, a, row)
}

func nestedOf(t *testing.T, typ iceberg.Type, a arrow.Array, row int) any {
	switch typ := typ.(type) {
	case *iceberg.StructType:
		out := map[string]any{}
		for i, f := range typ.FieldList {
			out[nameOf(f.Name)] = valueOf(t, f.Type, a.(*array.Struct).Field(i), row)
		}
		return out
	case *iceberg.ListType:
		out := []any{}
		from, to := a.(array.ListLike).ValueOffsets(row)
		for i := from; i < to; i++ {
			out = append(out, valueOf(t, typ.Element, a.(array.ListLike).ListValues(), int(i)))
		}
		return out
	case *iceberg.MapType:
		m := a.(*array.Map)
		from, to := m.ValueOffsets(row)
		texts, entries := map[string]any{}, []any{}
		for i := from; i < to; i++ {
			key, value := valueOf(t, typ.KeyType, m.Keys(), int(i)), valueOf(t, typ.ValueType, m.Items(), int(i))
			if text, ok := key.(string); ok {
				texts[text] = value
			}
			entries = append(entries, map[string]any{"key": key, "value": value})
		}
		if _, ok := typ.KeyType.(iceberg.StringType); ok {
			return texts
		}
		return entries
	}
	t.Fatalf("values of type %s are a %T", typ, a)
	return nil
}

// equal takes NaN to be equal to itself, and empty values to others.
func equal(a, b any) bool {
	switch x := a.(type) {
	case float32:
		y, ok := b.(float32)
		return ok && math.Float32bits(x) == math.Float32bits(y)
	case float64:
		y, ok := b.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	case []byte:
		y, ok := b.([]byte)
		return ok && bytes.Equal(x, y)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key := range x {
			if !equal(x[key], y[key]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// Values of all types, in arrays that are parts of others too, are read as they
// were by another reader.
func TestRandomRows(t *testing.T) {
	schema := everyType(t)
	for i, codec := range []string{"uncompressed", "gzip", "ZSTD", "snappy"} {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		c, err := NewCodec(codec, "")
		if err != nil {
			t.Fatal(err)
		}
		f, err := NewFormat(schema, c, map[string]string{"a": "b"})
		if err != nil {
			t.Fatal(err)
		}
		var batches []arrow.RecordBatch
		for range 8 {
			batch := randomRows(t, rng, schema, 1+rng.IntN(200))
			from := rng.Int64N(batch.NumRows())
			batches = append(batches, batch, batch.NewSlice(from, batch.NumRows()))
		}
		rows := read(t, write(t, f, batches...), f)
		for _, batch := range batches {
			for row := range int(batch.NumRows()) {
				for col, field := range schema.Fields() {
					got, want := rows[row][nameOf(field.Name)], valueOf(t, field.Type, batch.Column(col), row)
					if !equal(got, want) {
						t.Fatalf("%s, %s %s: wrote %v, read %v", codec, field.Name, field.Type, want, got)
					}
				}
			}
			rows = rows[batch.NumRows():]
		}
		if len(rows) > 0 {
			t.Errorf("%d rows more", len(rows))
		}
	}
}

// Blocks end after as many bytes as in Java, and the size is that of finished ones.
func TestBlocks(t *testing.T) {
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "s", Type: iceberg.PrimitiveTypes.String, Required: true})
	f, err := NewFormat(schema, Codec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := f.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.Append(strings.Repeat("x", 997))
	row := []arrow.Array{b.NewArray()}
	header := w.Size()
	var sizes []int64
	for range 200 {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
		if n := len(sizes); n == 0 || sizes[n-1] != w.Size()-header {
			sizes = append(sizes, w.Size()-header)
		}
	}
	// A row takes 999 bytes; 65 make a block, which has two lengths and a marker.
	if want := []int64{0, 65*999 + 21, 2 * (65*999 + 21), 3 * (65*999 + 21)}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("sizes %v, want %v", sizes, want)
	}
	if int64(file.Len()) != w.Size() {
		t.Errorf("%d bytes are written, not %d", file.Len(), w.Size())
	}
}

func TestWhatIsNotWritten(t *testing.T) {
	text, number := array.NewStringBuilder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	text.Append(strings.Repeat("x", mostRow))
	number.Append(1)
	number.AppendNull()
	long := number.NewArray()
	decimals := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 38, Scale: 1})
	if err := decimals.AppendValueFromString("1000.0"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		typ    iceberg.Type
		values arrow.Array
		class  error
		want   string
	}{
		{iceberg.PrimitiveTypes.String, text.NewArray(), maintenance.ErrUnsupported, fmt.Sprintf("a row of %d bytes is longer", mostRow+5)},
		{iceberg.PrimitiveTypes.Int64, long, maintenance.ErrCorrupt, `"c" is null, which it may not be`},
		{iceberg.PrimitiveTypes.Int32, long, maintenance.ErrUnsupported, "values of Arrow type int64 are not of the column's type"},
		{iceberg.PrimitiveTypes.Timestamp, long, maintenance.ErrUnsupported, "int64"},
		{iceberg.FixedTypeOf(3), long, maintenance.ErrUnsupported, "int64"},
		{&iceberg.StructType{}, long, maintenance.ErrUnsupported, "int64"},
		{iceberg.DecimalTypeOf(4, 1), decimals.NewArray(), maintenance.ErrCorrupt, "1000.0 has more digits than a decimal(4, 1)"},
	} {
		f, err := NewFormat(iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "c", Type: tc.typ, Required: true}), Codec{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := f.NewWriter(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write([]arrow.Array{tc.values}); !errors.Is(err, tc.class) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", tc.typ, err, tc.want)
		}
	}
}

func TestCodecs(t *testing.T) {
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "s", Type: iceberg.PrimitiveTypes.String})
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 20_000 {
		b.Append(strings.Repeat(fmt.Sprint(i*7919%1009), 1+i%5))
	}
	values := b.NewArray()
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "s", Type: values.DataType(), Nullable: true}}, nil), []arrow.Array{values}, int64(values.Len()))
	sizes := map[string]int{}
	for _, tc := range [][2]string{{"gzip", ""}, {"gzip", "9"}, {"gzip", "1"}, {"gzip", "0"}, {"gzip", "-1"}, {"zstd", ""}, {"zstd", "19"}, {"snappy", "x"}, {"Uncompressed", "x"}} {
		c, err := NewCodec(tc[0], tc[1])
		if err != nil {
			t.Fatal(err)
		}
		f, err := NewFormat(schema, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		file := write(t, f, batch)
		sizes[tc[0]+tc[1]] = len(file)
		if rows := read(t, file, f); len(rows) != 20_000 {
			t.Errorf("%v: %d rows", tc, len(rows))
		}
	}
	if sizes["gzip"] != sizes["gzip9"] || sizes["gzip"] >= sizes["gzip1"] || sizes["gzip1"] >= sizes["gzip0"] || sizes["zstd19"] >= sizes["zstd"] || sizes["snappyx"] >= sizes["Uncompressedx"] {
		t.Errorf("sizes %v", sizes)
	}
	for want, tc := range map[string][2]string{
		`unsupported: there is no codec "bzip2"; allowed are gzip, zstd, snappy and uncompressed`: {"bzip2", ""},
		`must be 0 to 9 for gzip, or -1 for its default: got "10"`:                                {"gzip", "10"},
		`must be a whole number: got "high"`:                                                      {"gzip", "high"},
		`must be a whole number: got "1.5"`:                                                       {"zstd", "1.5"},
	} {
		if _, err := NewCodec(tc[0], tc[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", tc, err, want)
		}
	}
}

// An error of what a file is written to is that of the writer.
func TestErrorsOfFiles(t *testing.T) {
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "n", Type: iceberg.PrimitiveTypes.Int64})
	batch := randomRows(t, rand.New(rand.NewPCG(3, 4)), schema, 100)
	f, err := NewFormat(schema, Codec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for fails := range 3 {
		to := &failing{after: fails}
		w, err := f.NewWriter(to)
		if err == nil {
			err = w.Write(batch.Columns())
		}
		if err == nil {
			err = w.Close()
		}
		if errors.Is(err, errFull) != (fails < 2) {
			t.Errorf("after %d writes: %v", fails, err)
		}
	}
}

var errFull = errors.New("full")

type failing struct{ after int }

func (f *failing) Write(b []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errFull
	}
	return len(b), nil
}
