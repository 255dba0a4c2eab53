package metatables_test

import (
	"context"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/golden"
	"github.com/firndb/firn/internal/lakefixture"
)

// TestDataEqualsSpark reads tables with position deletes, deletion vectors and
// many files through iceberg-go's scan, which SELECT stands on.
func TestDataEqualsSpark(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	for _, name := range []string{
		"tutorial.retail_clickstream_events",
		"lakehouse.order_events",
		"analytics.events_mor",
		"analytics.events_dv",
		"analytics.events_eq",
		"analytics.evolved",
		"ops.chain",
		"types.all_types",
	} {
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
