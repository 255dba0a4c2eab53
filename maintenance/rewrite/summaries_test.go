package rewrite_test

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance/rewrite"
)

// Of field reports, 128: summaries that named every one of 400,000 partitions made
// a metadata file of 300 MB, which every query read. A summary names partitions if
// there are no more than the table asks for, which by default is none.
func TestPartitionSummariesAreLimited(t *testing.T) {
	for limit, want := range map[string]int{"": 0, "3": 0, "4": 4, "1000": 4} {
		t.Run("limit "+limit, func(t *testing.T) {
			lake := lakefixture.Open(t, catalog.Hooks{})
			ident := table.Identifier{"tutorial", "retail_clickstream_events"}
			if limit != "" {
				update := table.NewSetPropertiesUpdate(map[string]string{table.WritePartitionSummaryLimitKey: limit})
				if _, _, err := lake.Catalog.Commit(context.Background(), ident, nil, []table.Update{update}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := rewriteTable(t, lake.Catalog, strings.Join(ident, "."), "", nil, map[string]string{rewrite.OptionRewriteAll: "true"}); err != nil {
				t.Fatal(err)
			}
			tbl, err := lake.Catalog.Load(t.Context(), ident)
			if err != nil {
				t.Fatal(err)
			}
			summary := tbl.CurrentSnapshot().Summary.Properties
			named := 0
			for key := range summary {
				if strings.HasPrefix(key, "partitions.") {
					named++
				}
			}
			if named != want || (summary["partition-summaries-included"] == "true") != (want > 0) || summary["changed-partition-count"] != "4" {
				t.Errorf("%d partitions are named, want %d: %v", named, want, summary)
			}
		})
	}
}
