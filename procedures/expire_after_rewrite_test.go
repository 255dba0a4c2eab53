package procedures_test

import (
	"testing"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/procedures"
)

// TestExpireAfterRewrite removes what a rewrite has replaced: Spark's scenario
// "after compaction", with Firn's rewrite in the place of Spark's.
func TestExpireAfterRewrite(t *testing.T) {
	l := lakefixture.Open(t, catalog.Hooks{})
	table := procedures.Arg{Name: "table", Value: "tutorial.retail_clickstream_events"}
	if _, _, err := call(t.Context(), lakeEnv(l), "rewrite_data_files", table, procedures.Arg{Name: "options", Value: map[string]string{"rewrite-all": "true"}}); err != nil {
		t.Fatal(err)
	}
	old := procedures.Arg{Name: "older_than", Value: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	rows, _, err := call(t.Context(), lakeEnv(l), "expire_snapshots", table, old)
	if err != nil {
		t.Fatal(err)
	}
	compareRows(t, rows, [][]any{{10.0, 0.0, 0.0, 10.0, 10.0, 0.0}})
	l.Check(t, "tutorial", "retail_clickstream_events")
	again, _, err := call(t.Context(), lakeEnv(l), "expire_snapshots", table, old)
	if err != nil {
		t.Fatal(err)
	}
	compareRows(t, again, [][]any{{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}})
}
