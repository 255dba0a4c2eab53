package golden

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
)

// TestFloats: what Python's repr writes.
func TestFloats(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0.0", 3.5: "3.5", -2: "-2.0", 1e15: "1000000000000000.0", 1e16: "1e+16", 1.5e300: "1.5e+300", 0.0001: "0.0001", 0.00001: "1e-05",
		123456789.125: "123456789.125", math.MaxFloat64: "1.7976931348623157e+308", math.Inf(-1): `{"$float":"-Infinity"}`,
	} {
		if got := floating(f); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := floating(math.Copysign(0, -1)); got != "-0.0" {
		t.Errorf("got %s, want -0.0", got)
	}
	if got := floating(math.NaN()); got != `{"$float":"NaN"}` {
		t.Errorf("got %s", got)
	}
}

func TestDecimals(t *testing.T) {
	for _, test := range []struct {
		unscaled string
		scale    int
		want     string
	}{{"0", 2, "0.00"}, {"-1", 2, "-0.01"}, {"12345", 2, "123.45"}, {"7", 0, "7"}, {"-700", 1, "-70.0"}} {
		if got := decimal(test.unscaled, test.scale); got != test.want {
			t.Errorf("%s, %d: got %s, want %s", test.unscaled, test.scale, got, test.want)
		}
	}
}

// TestTextIsTheSameFromBothSides: a golden row and an Arrow row that say the
// same are the same text.
func TestTextIsTheSameFromBothSides(t *testing.T) {
	var want rowLines
	if err := json.Unmarshal([]byte(`[[1, "ü\n\"<\u2028", {"b": 1.0, "a": null}, {"$map": [["k", [1, 2]]]}, "2026-01-09T10:00:00.000000Z", "0001-01-01"]]`), &want); err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64},
		{Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "r", Type: arrow.StructOf(arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Float32}, arrow.Field{Name: "a", Type: arrow.Null, Nullable: true})},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.ListOf(arrow.PrimitiveTypes.Int32))},
		{Name: "t", Type: arrow.FixedWidthTypes.Timestamp_us},
		{Name: "d", Type: arrow.FixedWidthTypes.Date32},
	}, nil)
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(
		`[{"i": 1, "s": "ü\n\"<\u2028", "r": {"b": 1, "a": null}, "m": [{"key": "k", "value": [1, 2]}], "t": "2026-01-09T10:00:00Z", "d": "0001-01-01"}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Release()
	if got := Lines(batch); !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSchemaIsTheSameFromBothSides(t *testing.T) {
	var r Result
	if err := json.Unmarshal([]byte(`{"schema_json": {"type": "struct", "fields": [
		{"name": "a", "type": "integer", "nullable": false, "metadata": {"comment": "first"}},
		{"name": "b", "type": {"type": "array", "elementType": {"type": "struct", "fields": [{"name": "c", "type": "timestamp_ntz", "nullable": true, "metadata": {}}]}, "containsNull": false}, "nullable": true, "metadata": {}},
		{"name": "d", "type": {"type": "map", "keyType": "string", "valueType": "decimal(9,2)", "valueContainsNull": true}, "nullable": true, "metadata": {}}]}}`), &r); err != nil {
		t.Fatal(err)
	}
	p := iceberg.PrimitiveTypes
	got := Schema(iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "a", Type: p.Int32, Required: true, Doc: "first"},
		iceberg.NestedField{ID: 2, Name: "b", Type: &iceberg.ListType{ElementID: 3, ElementRequired: true, Element: &iceberg.StructType{FieldList: []iceberg.NestedField{{ID: 4, Name: "c", Type: p.Timestamp}}}}},
		iceberg.NestedField{ID: 5, Name: "d", Type: &iceberg.MapType{KeyID: 6, KeyType: p.String, ValueID: 7, ValueType: iceberg.DecimalTypeOf(9, 2)}},
	))
	if want := r.Schema(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// recorder is a test that only notes that it failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

// TestCheckRows: the comparison can fail.
func TestCheckRows(t *testing.T) {
	listed := Result{Rows: rowLines{"[1]", "[1]", "[2]"}}
	// The sum is that of "[1]\n[1]\n[2]".
	summed := Result{RowCount: 3, RowsSHA256: "6dd1689fb9773ca8278951805c448c43d000e61ae6bff8d9c9909c15928a58e0"}
	for _, test := range []struct {
		result Result
		got    []string
		fails  bool
	}{
		{listed, []string{"[1]", "[1]", "[2]"}, false},
		{listed, []string{"[1]", "[2]", "[2]"}, true},
		{listed, []string{"[1]", "[2]"}, true},
		{listed, nil, true},
		{summed, []string{"[1]", "[1]", "[2]"}, false},
		{summed, []string{"[1]", "[2]", "[2]"}, true},
		{Result{Error: &Error{Message: "no"}}, nil, true},
	} {
		r := &recorder{}
		test.result.CheckRows(r, test.got)
		if r.failed != test.fails {
			t.Errorf("%q: failed is %t", test.got, r.failed)
		}
	}
}

func TestTables(t *testing.T) {
	tables := Tables(t)
	if !slices.Contains(tables, "ops.chain") || slices.Contains(tables, "analytics.v_mor") {
		t.Errorf("got %q", tables)
	}
	chain := Load(t, "ops.chain")
	if chain.Table != "ops.chain" || len(chain.MetadataTables["snapshots"].Rows) != 15 || chain.TimeTravel["version_unknown"].Error == nil {
		t.Errorf("got %+v", chain)
	}
}
