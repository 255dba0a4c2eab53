package server

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/firndb/firn/server/nested"
)

func TestNestedValuesInQueries(t *testing.T) {
	c := serve(t, Config{})
	const files = "lake.lakehouse.order_events.files"
	c.want("SELECT partition, COUNT(*) AS file_count FROM "+files+" GROUP BY partition ORDER BY file_count DESC, partition LIMIT 3",
		`{"event_time_day": "2026-02-02", "customer_id_bucket": 2} | 10`,
		`{"event_time_day": "2026-02-01", "customer_id_bucket": 0} | 9`,
		`{"event_time_day": "2026-02-01", "customer_id_bucket": 1} | 9`)
	c.want("SELECT partition.event_time_day, COUNT(*) FROM "+files+" WHERE partition.event_time_day < DATE '2026-02-03' GROUP BY partition.event_time_day ORDER BY partition.event_time_day DESC",
		"2026-02-02 | 35", "2026-02-01 | 31")
	c.want("SELECT DISTINCT partition.customer_id_bucket FROM "+files+" ORDER BY 1", "0", "1", "2", "3")
	c.want("SELECT MAX(partition.customer_id_bucket) + 1, COUNT(DISTINCT partition) FROM "+files, "4 | 24")
	c.want("SELECT d, n FROM (SELECT f.partition.event_time_day AS d, COUNT(*) AS n FROM "+files+" f GROUP BY 1) x ORDER BY n DESC, d LIMIT 1", "2026-02-02 | 35")
	c.want("SELECT COUNT(*) FROM "+files+` WHERE partition = '{"event_time_day": "2026-02-02", "customer_id_bucket": 2}'`, "10")
	c.want("SELECT COUNT(*) FROM "+files+" a JOIN "+files+" b ON a.file_path = b.file_path WHERE a.partition = b.partition", "193")
	c.want("SELECT JSON_EXTRACT(partition, '$.customer_id_bucket') FROM "+files+" WHERE partition.customer_id_bucket = 3 LIMIT 1", "3")
	c.want("SELECT partition FROM "+files+" UNION SELECT partition FROM "+files+" ORDER BY 1 LIMIT 1", `{"event_time_day": "2026-02-01", "customer_id_bucket": 0}`)
	c.want("SELECT c_struct.n.x, C_STRUCT.B, c_map['k2'], c_map_i[1][0], c_arr[0], get(c_arr, 9), c_arr_s[0].k FROM lake.types.all_types WHERE id = 1", "1.5 | bee | 2 | x | 1 | NULL | a")
	c.want("SELECT map('a', 1, 'b', 2), map('a', true), array('x', NULL), FIELD('b', 'a', 'b')", `{"a": 1, "b": 2} | {"a": true} | ["x", null] | 2`)
	c.want("SELECT summary['total-records'] + 1 FROM lake.ops.chain.snapshots ORDER BY committed_at LIMIT 1", "11")
}

func TestNestedJSON(t *testing.T) {
	str, day := iceberg.PrimitiveTypes.String, iceberg.PrimitiveTypes.Date
	typ, err := newStructType(&iceberg.StructType{FieldList: []iceberg.NestedField{
		{ID: 1, Name: "z\"ü", Type: str},
		{ID: 2, Name: "a", Type: iceberg.DecimalTypeOf(38, 10)},
		{ID: 3, Name: "d", Type: day},
		{ID: 4, Name: "t", Type: iceberg.PrimitiveTypes.TimestampTz},
		{ID: 5, Name: "m", Type: &iceberg.MapType{KeyID: 6, KeyType: day, ValueID: 7, ValueType: iceberg.PrimitiveTypes.Float64}},
		{ID: 8, Name: "l", Type: &iceberg.ListType{ElementID: 9, Element: iceberg.PrimitiveTypes.Binary}},
		{ID: 10, Name: "b", Type: iceberg.PrimitiveTypes.Bool},
		{ID: 11, Name: "c", Type: iceberg.PrimitiveTypes.Time},
	}})
	if err != nil {
		t.Fatal(err)
	}
	m, l := typ.Parts[4].SQL.(*nested.Type), typ.Parts[5].SQL.(*nested.Type)
	at := time.Date(2026, 1, 9, 10, 0, 0, 500, time.UTC)
	v := &nested.Value{Type: typ, Cells: []any{
		"<&>\n", decimal.RequireFromString("1234567890123456789012345678.1234567890"), at, at,
		&nested.Value{Type: m, Cells: []any{at, 1.5, at.AddDate(0, 0, 1), math.NaN()}},
		&nested.Value{Type: l, Cells: []any{[]byte{0xab, 0}, nil}},
		int8(1), types.Timespan(3_600_000_001),
	}}
	want := `{"z\"ü": "<&>\n", "a": 1234567890123456789012345678.1234567890, "d": "2026-01-09", "t": "2026-01-09 10:00:00.000000", ` +
		`"m": {"2026-01-09": 1.5, "2026-01-10": "NaN"}, "l": ["ab00", null], "b": true, "c": "01:00:00.000001"}`
	if got := v.String(); got != want || !json.Valid([]byte(got)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNestedOrder(t *testing.T) {
	typ, err := newStructType(&iceberg.StructType{FieldList: []iceberg.NestedField{
		{ID: 1, Name: "a", Type: iceberg.PrimitiveTypes.Int32},
		{ID: 2, Name: "b", Type: iceberg.PrimitiveTypes.String},
	}})
	if err != nil {
		t.Fatal(err)
	}
	inOrder := []any{
		nil,
		&nested.Value{Type: typ, Cells: []any{nil, nil}},
		&nested.Value{Type: typ, Cells: []any{nil, "x"}},
		&nested.Value{Type: typ, Cells: []any{int32(2), nil}},
		&nested.Value{Type: typ, Cells: []any{int32(2), "a"}},
		&nested.Value{Type: typ, Cells: []any{int32(10), "a"}},
	}
	for i, a := range inOrder {
		for j, b := range inOrder {
			n, err := typ.Compare(t.Context(), a, b)
			if err != nil || (n < 0) != (i < j) || (n == 0) != (i == j) {
				t.Errorf("comparing %v with %v gives %d, %v", a, b, n, err)
			}
		}
	}
}
