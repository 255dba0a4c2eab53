package metatables_test

import (
	"context"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/golden"
	"github.com/firndb/firn/internal/lakefixture"
)

// otherData are the tables whose rows a scan does not give as Spark does, and
// why.
func otherData() map[string]string {
	return map[string]string{
		"ops.formats_avro":  "the scan reads Parquet data files only",
		"ops.formats_mixed": "the scan reads Parquet data files only, and none with Hadoop's LZ4",
		"ops.formats_orc":   "the scan reads Parquet data files only",
		"types.time_type":   "Spark does not read times of day",
		"types.v3_nanos":    "Spark does not read nanoseconds",
		"types.v3_types":    "Arrow's JSON of a variant has Z for +00:00, and null for an empty array",
	}
}

// TestDataEqualsSpark reads the tables' own rows through iceberg-go's scan,
// which rewriting stands on: position and equality deletes, deletion vectors,
// evolved specs and schemas, every type.
func TestDataEqualsSpark(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	for _, name := range golden.Tables(t) {
		if _, other := otherData()[name]; other {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tbl := load(t, lake, name)
			want := golden.Load(t, name).Data
			_, batches, err := tbl.Scan().ToArrowRecords(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			want.CheckSchema(t, golden.Schema(tbl.Schema()))
			want.CheckRows(t, golden.Rows(t, batches))
		})
	}
}
