package avrofile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/twmb/avro/ocf"

	"github.com/firndb/firn/maintenance"
)

// Files that Java wrote have their Iceberg schema beside that of Avro, which is to
// be the same, letter for letter.
func TestSchemasAreJavas(t *testing.T) {
	seen := map[string]bool{}
	for _, root := range []string{"lake/wh", "reading/wh"} {
		err := filepath.WalkDir(filepath.Join("../../../testdata", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".avro" || !strings.Contains(path, "/data/") {
				return err
			}
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			r, err := ocf.NewReader(f)
			if err != nil {
				return err
			}
			defer r.Close()
			var schema iceberg.Schema
			if err := json.Unmarshal(r.Metadata()["iceberg.schema"], &schema); err != nil {
				return err
			}
			format, err := NewFormat(&schema, Codec{}, nil)
			if err != nil {
				return err
			}
			if want := string(r.Metadata()["avro.schema"]); format.Schema() != want {
				t.Errorf("%s:\ngot  %s\nJava %s", path, format.Schema(), want)
			}
			seen[format.Schema()] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) < 6 {
		t.Errorf("only %d schemas", len(seen))
	}
}

func TestNames(t *testing.T) {
	// Those of Java's AvroSchemaUtil.makeCompatibleName.
	for name, want := range map[string]string{
		"a": "a", "_x": "_x", "a1": "a1", "1a": "_1a", "a b": "a_x20b", "a.b-c": "a_x2Eb_x2Dc", "größe": "größe",
		"数": "数", "😀": "_xD83D_xDE00", "a😀1": "a_xD83D_xDE001", "%": "_x25",
	} {
		if got := nameOf(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// What is not in files of the lake: types that Spark does not write, and names
// that Avro does not have.
func TestSchemaOfOtherTypes(t *testing.T) {
	str, long := iceberg.PrimitiveTypes.String, iceberg.PrimitiveTypes.Int64
	schema := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "a b", Type: iceberg.PrimitiveTypes.UUID, Required: true, Doc: `"x" <y>`},
		iceberg.NestedField{ID: 2, Name: "u", Type: iceberg.PrimitiveTypes.UUID},
		iceberg.NestedField{ID: 3, Name: "f", Type: iceberg.FixedTypeOf(5), Required: true},
		iceberg.NestedField{ID: 4, Name: "t", Type: iceberg.PrimitiveTypes.Time, Required: true},
		iceberg.NestedField{ID: 5, Name: "n", Type: iceberg.PrimitiveTypes.TimestampNs, Required: true},
		iceberg.NestedField{ID: 6, Name: "z", Type: iceberg.PrimitiveTypes.TimestampTzNs, Required: true},
		iceberg.NestedField{ID: 7, Name: "m", Required: true, Type: &iceberg.MapType{
			KeyID: 8, ValueID: 9, ValueRequired: true,
			KeyType: &iceberg.StructType{FieldList: []iceberg.NestedField{{ID: 10, Name: "x", Type: long, Required: true}}}, ValueType: str,
		}},
		iceberg.NestedField{ID: 11, Name: "v", Type: &iceberg.ListType{ElementID: 12, Element: iceberg.VariantType{}, ElementRequired: true}, Required: true},
	)
	f, err := NewFormat(schema, Codec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"record","name":"table","fields":[` +
		`{"name":"a_x20b","type":{"type":"fixed","name":"uuid_fixed","size":16,"logicalType":"uuid"},"doc":"\"x\" <y>","iceberg-field-name":"a b","field-id":1},` +
		`{"name":"u","type":["null","uuid_fixed"],"default":null,"field-id":2},` +
		`{"name":"f","type":{"type":"fixed","name":"fixed_5","size":5},"field-id":3},` +
		`{"name":"t","type":{"type":"long","logicalType":"time-micros"},"field-id":4},` +
		`{"name":"n","type":{"type":"long","logicalType":"timestamp-nanos","adjust-to-utc":false},"field-id":5},` +
		`{"name":"z","type":{"type":"long","logicalType":"timestamp-nanos","adjust-to-utc":true},"field-id":6},` +
		`{"name":"m","type":{"type":"array","items":{"type":"record","name":"k8_v9","fields":[` +
		`{"name":"key","type":{"type":"record","name":"r8","fields":[{"name":"x","type":"long","field-id":10}]},"field-id":8},` +
		`{"name":"value","type":"string","field-id":9}]},"logicalType":"map"},"field-id":7},` +
		`{"name":"v","type":{"type":"array","items":{"type":"record","name":"r12","fields":[{"name":"metadata","type":"bytes"},{"name":"value","type":"bytes"}],"logicalType":"variant"},"element-id":12},"field-id":11}]}`
	if got := f.Schema(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSchemasThatAvroLacks(t *testing.T) {
	long := iceberg.PrimitiveTypes.Int64
	for want, fields := range map[string][]iceberg.NestedField{
		`fields "a b" and "a_x20b" are both named "a_x20b" in Avro`: {{ID: 1, Name: "a b", Type: long}, {ID: 2, Name: "a_x20b", Type: long}},
		`field "x": unsupported: type unknown cannot`:               {{ID: 1, Name: "x", Type: iceberg.UnknownType{}}},
	} {
		_, err := NewFormat(iceberg.NewSchema(0, fields...), Codec{}, nil)
		if !errors.Is(err, maintenance.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
