package filter

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/cockroachdb/datadriven"
)

// schema has a column of every primitive type, named after it.
func schema() *iceberg.Schema {
	p := iceberg.PrimitiveTypes
	names := map[string]iceberg.Type{}
	var fields []iceberg.NestedField
	add := func(name string, t iceberg.Type, required bool) {
		names[name] = t
		fields = append(fields, iceberg.NestedField{ID: len(fields) + 1, Name: name, Type: t, Required: required})
	}
	add("id", p.Int64, true)
	add("event_id", p.String, false)
	add("user_id", p.Int64, false)
	add("ingest_batch", p.Int32, false)
	add("event_type", p.String, false)
	add("session_id", p.String, false)
	add("price", iceberg.DecimalTypeOf(10, 2), false)
	add("event_time", p.TimestampTz, false)
	add("event_date", p.Date, false)
	add("flag", p.Bool, false)
	add("f32", p.Float32, false)
	add("f64", p.Float64, false)
	add("ntz", p.Timestamp, false)
	add("ns", iceberg.TimestampNsType{}, false)
	add("tzns", iceberg.TimestampTzNsType{}, false)
	add("tod", p.Time, false)
	add("u", p.UUID, false)
	add("fx", iceberg.FixedTypeOf(4), false)
	add("bin", p.Binary, false)
	add("big", iceberg.DecimalTypeOf(38, 0), false)
	add("Weird Col-1.x", p.String, false)
	add("v", iceberg.VariantType{}, false)
	add("nothing", iceberg.UnknownType{}, false)
	add("info", &iceberg.StructType{FieldList: []iceberg.NestedField{
		{ID: 100, Name: "a", Type: p.Int32, Required: true},
		{ID: 101, Name: "Deep", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{{ID: 102, Name: "b", Type: p.String}}}},
	}}, false)
	add("tags", &iceberg.ListType{ElementID: 103, Element: p.String}, false)
	add("m", &iceberg.MapType{KeyID: 104, KeyType: p.String, ValueID: 105, ValueType: p.Int32}, false)
	return iceberg.NewSchema(0, fields...)
}

// options are those of the tests: the clock stands at a quarter past ten.
func options(zone string) Options {
	z, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	return Options{
		Now:   time.Date(2026, 1, 12, 10, 15, 0, 0, time.UTC),
		Zone:  z,
		Table: []string{"lake", "tutorial", "retail_clickstream_events"},
	}
}

// TestWhere runs testdata/where: each line of a block is a condition, and the
// answer the expression it becomes, bound to the schema, or the error.
func TestWhere(t *testing.T) {
	s := schema()
	datadriven.Walk(t, "testdata/where", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			zone := "UTC"
			if d.HasArg("zone") {
				d.ScanArgs(t, "zone", &zone)
			}
			opts := options(zone)
			opts.CaseSensitive = d.HasArg("case-sensitive")
			var out []string
			for line := range strings.Lines(d.Input) {
				out = append(out, answer(t, strings.TrimSuffix(line, "\n"), s, opts))
			}
			return strings.Join(out, "\n") + "\n"
		})
	})
}

func answer(t *testing.T, text string, s *iceberg.Schema, opts Options) string {
	e, err := Parse(text, s, opts)
	if err != nil {
		if errors.Is(err, ErrSyntax) == errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: error %v is of no class, or of both", text, err)
		}
		return "error: " + err.Error()
	}
	// References are spelled as in the schema, so that they bind either way.
	bound, err := iceberg.BindExpr(s, e, true)
	if err != nil {
		t.Errorf("%s: %s does not bind: %v", text, e, err)
		return ""
	}
	printed, err := show(bound)
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return printed
}

// TestNamesThatDifferInCase checks that neither of two such columns is taken
// for the other.
func TestNamesThatDifferInCase(t *testing.T) {
	s := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "a", Type: iceberg.PrimitiveTypes.Int32},
		iceberg.NestedField{ID: 2, Name: "A", Type: iceberg.PrimitiveTypes.Int32})
	if e, err := Parse("a = 1", s, Options{}); !errors.Is(err, ErrSyntax) {
		t.Errorf("in any case: %v, %v", e, err)
	}
	e, err := Parse("A = 1", s, Options{CaseSensitive: true})
	if want := iceberg.EqualTo(iceberg.Reference("A"), int32(1)); err != nil || !e.Equals(want) {
		t.Errorf("as spelled: %v, %v", e, err)
	}
}

// TestDefaultZone checks that a condition without a zone is meant in UTC.
func TestDefaultZone(t *testing.T) {
	e, err := Parse("event_time > '2026-01-09'", schema(), Options{})
	at := time.Date(2026, 1, 9, 0, 0, 0, 0, time.UTC)
	if want := iceberg.GreaterThan(iceberg.Reference("event_time"), iceberg.Timestamp(at.UnixMicro())); err != nil || !e.Equals(want) {
		t.Errorf("got %v, %v", e, err)
	}
}
