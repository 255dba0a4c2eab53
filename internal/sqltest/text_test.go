package sqltest

import (
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/firndb/firn/internal/lakefixture"
)

func value(s string) Value { return sql.NullString{String: s, Valid: true} }

func TestText(t *testing.T) {
	r := Result{Columns: []string{"a", "b"}, Rows: [][]Value{
		{value("z\ty"), {}},
		{value(`b\`), value("one\ntwo\x00")},
	}}
	for _, test := range []struct {
		format format
		want   string
	}{
		{format{}, "a\tb\nz\\ty\tNULL\nb\\\\\tone\\ntwo\\x00"},
		{format{sorted: true, headless: true}, "b\\\\\tone\\ntwo\\x00\nz\\ty\tNULL"},
		{format{hidden: []string{"a", "b"}}, "a\tb\n…\tNULL\n…\t…"},
	} {
		if got := test.format.text(r); got != test.want {
			t.Errorf("%+v: %q, want %q", test.format, got, test.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	err := &mysql.MySQLError{Number: 1146, SQLState: [5]byte([]byte("42S02")), Message: "no such table"}
	if got := errorText(err); got != "1146 (42S02): no such table" {
		t.Errorf("%q", got)
	}
	if got := errorText(errors.New("broken pipe")); !strings.HasPrefix(got, "not an answer") {
		t.Errorf("%q", got)
	}
}

func TestRequestsText(t *testing.T) {
	got := requestsText([]lakefixture.Request{
		{Op: "GET", Key: "wh/a/t/metadata/00001-x.metadata.json"},
		{Op: "GET", Key: "wh/a/t/metadata/snap-1.avro"},
		{Op: "GET", Key: "wh/a/t/metadata/b-m0.avro"},
		{Op: "GET", Key: "wh/a/t/metadata/c-m0.avro"},
		{Op: "DELETE-MANY", Count: 3},
	})
	want := "1 × DELETE-MANY\n2 × GET manifest\n1 × GET manifest list\n1 × GET metadata"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestSparkValues(t *testing.T) {
	const nested = `{"type":"struct","fields":[{"name":"day","type":"date"},{"name":"bounds","type":
		{"type":"map","keyType":"integer","valueType":"binary"}},{"name":"list","type":{"type":"array","elementType":"boolean"}}]}`
	for _, test := range []struct{ typ, spark, wire, want string }{
		{`"string"`, `"a\tb"`, "a\tb", `"a\tb"`},
		{`"long"`, `9007199254740993`, "9007199254740993", "9007199254740993"},
		{`"boolean"`, `true`, "1", "true"},
		{`"timestamp"`, `"2026-01-09T10:00:00.000000Z"`, "2026-01-09 10:00:00", "2026-01-09 10:00:00.000000"},
		{`"timestamp_ntz"`, `"2026-01-09T10:00:00.120000"`, "2026-01-09 10:00:00.12", "2026-01-09 10:00:00.120000"},
		{`"double"`, `1.50`, "1.5", "1.5"},
		{`"double"`, `{"$float":"NaN"}`, "NaN", "NaN"},
		{`"decimal(10,2)"`, `"1.50"`, "1.50", "1.50"},
		{`"binary"`, `{"$bin":"00ff"}`, "\x00\xff", "x00ff"},
		{`"variant"`, `{"$variant":"{\"b\":1,\"a\":2}"}`, `{"a": 2, "b": 1}`, `{"a":2,"b":1}`},
		{
			nested, `{"day":"2026-01-09","bounds":{"$map":[[2,{"$bin":"00ff"}],[10,null]]},"list":[true,null]}`,
			`{"list":[true,null],"bounds":{"10":null,"2":"00ff"},"day":"2026-01-09"}`,
			"{day:2026-01-09,bounds:{10=NULL,2=x00ff},list:[true,NULL]}",
		},
	} {
		var typ SparkType
		if err := json.Unmarshal([]byte(test.typ), &typ); err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(strings.NewReader(test.spark))
		decoder.UseNumber()
		var spark any
		if err := decoder.Decode(&spark); err != nil {
			t.Fatal(err)
		}
		if got, err := typ.FromSpark(spark); got != test.want || err != nil {
			t.Errorf("from Spark: %q, %v, want %q", got, err, test.want)
		}
		if got, err := typ.FromWire(value(test.wire)); got != test.want || err != nil {
			t.Errorf("from the wire: %q, %v, want %q", got, err, test.want)
		}
		if got, err := typ.FromWire(Value{}); got != "NULL" || err != nil {
			t.Errorf("NULL: %q, %v", got, err)
		}
	}
}

func TestSparkValuesThatDiffer(t *testing.T) {
	var typ SparkType
	if err := json.Unmarshal([]byte(`{"type":"struct","fields":[{"name":"a","type":"long"}]}`), &typ); err != nil {
		t.Fatal(err)
	}
	for _, wire := range []string{`{}`, `{"b":1}`, `{"a":1,"b":2}`, `[1]`, `nonsense`} {
		if got, err := typ.FromWire(value(wire)); err == nil {
			t.Errorf("%s: taken as %q", wire, got)
		}
	}
}

func TestParseSparkType(t *testing.T) {
	typ, err := ParseSparkType("map<int,struct<a:array<decimal(10,2)>,b:struct<>,c:binary>>")
	if err != nil {
		t.Fatal(err)
	}
	fields := typ.Element.Fields
	if typ.Name != "map" || typ.Key.Name != "int" || len(fields) != 3 || fields[0].Type.Element.Name != "decimal(10,2)" ||
		fields[1].Type.Name != "struct" || fields[2].Name != "c" || fields[2].Type.Name != "binary" {
		t.Errorf("%+v", typ)
	}
	for _, bad := range []string{"map<int>", "array<int", "struct<int>", "decimal(10", "int>", "array<int,int>"} {
		if typ, err := ParseSparkType(bad); err == nil {
			t.Errorf("%q: taken as %+v", bad, typ)
		}
	}
}
