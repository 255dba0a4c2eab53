package rewrite_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance/sortorder"
)

// TestSparkOrdersRowsAsTheKeysDo takes the rows of files that Spark has sorted, in
// their order, and wants their keys to ascend.
func TestSparkOrdersRowsAsTheKeysDo(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(lakefixture.Testdata(t), "golden_calls", "rewrite_data_files.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Scenarios []struct {
			Steps []struct {
				Statement string
				Rows      []json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	lake := lakefixture.Open(t, catalog.Hooks{})
	tbl, err := lake.Catalog.Load(t.Context(), []string{"tutorial", "retail_clickstream_events"})
	if err != nil {
		t.Fatal(err)
	}
	orders := regexp.MustCompile(`sort_order => '([^']*)'`)
	tried := 0
	for _, s := range golden.Scenarios {
		order := orders.FindStringSubmatch(s.Steps[0].Statement)
		last := s.Steps[len(s.Steps)-1]
		if order == nil || len(s.Steps[0].Rows) == 0 || !strings.HasPrefix(last.Statement, "SELECT _pos,") {
			continue
		}
		// Of the columns only these were recorded.
		text := strings.ReplaceAll(order[1], ", event_id DESC NULLS LAST", "")
		if strings.Contains(text, "event_type") {
			continue
		}
		parsed, err := sortorder.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := parsed.Bind(tbl.Metadata())
		if err != nil {
			t.Fatal(err)
		}
		batch, schema := recorded(t, last.Rows)
		keys, err := keysOf(t, schema, bound).Encode(batch)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < keys.Len(); i++ {
			if bytes.Compare(keys.At(i-1), keys.At(i)) > 0 {
				t.Errorf("%s: row %d: %x before %x", text, i, keys.At(i-1), keys.At(i))
				break
			}
		}
		tried++
	}
	if tried < 7 {
		t.Errorf("only %d orders were tried", tried)
	}
}

// recorded makes a batch of recorded rows: _pos, user_id, event_time, price.
func recorded(t *testing.T, rows []json.RawMessage) (arrow.RecordBatch, *iceberg.Schema) {
	t.Helper()
	price := &arrow.Decimal128Type{Precision: 10, Scale: 2}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "user_id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "event_time", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "price", Type: price, Nullable: true},
	}, nil))
	defer b.Release()
	for _, row := range rows {
		var cells [4]any
		if err := json.Unmarshal(row, &cells); err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, cells[2].(string))
		if err != nil {
			t.Fatal(err)
		}
		b.Field(0).(*array.Int64Builder).Append(int64(cells[1].(float64)))
		b.Field(1).(*array.TimestampBuilder).Append(arrow.Timestamp(at.UnixMicro()))
		text, ok := cells[3].(string)
		if !ok {
			b.Field(2).AppendNull()
			continue
		}
		n, err := decimal128.FromString(text, price.Precision, price.Scale)
		if err != nil {
			t.Fatal(err)
		}
		b.Field(2).(*array.Decimal128Builder).Append(n)
	}
	return b.NewRecordBatch(), iceberg.NewSchema(
		0,
		iceberg.NestedField{ID: 2, Name: "user_id", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 7, Name: "event_time", Type: iceberg.PrimitiveTypes.TimestampTz},
		iceberg.NestedField{ID: 6, Name: "price", Type: iceberg.DecimalTypeOf(10, 2)},
	)
}
