package sqltest

import (
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/golden"
)

// TestGoldenTables reads tables and their metadata tables by the names that
// every part of the engine accepts, as prepared statements, and wants what Spark
// reads. [TestConformance] sends Spark's own statements, as text.
func TestGoldenTables(t *testing.T) {
	session := Start(t, catalog.Hooks{})
	for _, name := range []string{
		"tutorial.retail_clickstream_events", "analytics.events_mor", "analytics.events_dv", "lakehouse.order_events",
	} {
		file := golden.Load(t, name)
		namespace, table, _ := strings.Cut(name, ".")
		t.Run(name+"/data", func(t *testing.T) {
			comparePrepared(t, session, "`lake."+namespace+"`.`"+table+"`", file.Data)
		})
		for _, kind := range []string{"history", "snapshots", "refs", "manifests", "entries", "files"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				comparePrepared(t, session, "`lake."+namespace+"`.`"+table+"$"+kind+"`", file.MetadataTables[kind])
			})
		}
	}
}

func comparePrepared(t *testing.T, session *Session, table string, want golden.Result) {
	t.Helper()
	if len(want.Columns) == 0 {
		t.Fatal("the golden file has no such answer")
	}
	got, err := session.Query(t.Context(), "SELECT * FROM "+table, true)
	if err != nil {
		t.Fatal(errorText(err))
	}
	if found := differFrom(got, want); found != "" {
		t.Error(found)
	}
}
