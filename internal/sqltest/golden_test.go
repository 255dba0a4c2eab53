package sqltest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// TestGoldenTables wants every column of the data and of the metadata tables
// to be what Spark reads, row for row.
func TestGoldenTables(t *testing.T) {
	session := Start(t, catalog.Hooks{})
	for _, name := range []string{
		"tutorial.retail_clickstream_events", "analytics.events_mor", "analytics.events_dv", "lakehouse.order_events",
	} {
		t.Run(name, func(t *testing.T) {
			var golden Golden
			if err := ReadJSON(filepath.Join(lakefixture.Testdata(t), "golden", name+".json"), &golden); err != nil {
				t.Fatal(err)
			}
			t.Run("data", func(t *testing.T) { compareTable(t, session, name, "", golden.Data) })
			for _, kind := range []string{"history", "snapshots", "refs", "manifests", "entries", "files"} {
				t.Run(kind, func(t *testing.T) { compareTable(t, session, name, kind, golden.MetadataTables[kind]) })
			}
		})
	}
}

// compareTable reads a table by its dotted name as text, and by the name that
// every part of the engine accepts as a prepared statement.
func compareTable(t *testing.T, session *Session, name, kind string, golden Answer) {
	namespace, table, _ := strings.Cut(name, ".")
	dotted, quoted := "lake."+name, "`lake."+namespace+"`.`"+table+"`"
	if kind != "" {
		dotted, quoted = dotted+"."+kind, "`lake."+namespace+"`.`"+table+"$"+kind+"`"
	}
	t.Run("text", func(t *testing.T) { compare(t, session, dotted, false, golden) })
	t.Run("prepared", func(t *testing.T) { compare(t, session, quoted, true, golden) })
}

// compare selects every column but readable_metrics.
func compare(t *testing.T, session *Session, table string, prepared bool, golden Answer) {
	t.Helper()
	columns := golden.columns("readable_metrics")
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = golden.Schema.Fields[column].Name
	}
	statement := fmt.Sprintf("SELECT `%s` FROM %s", strings.Join(names, "`, `"), table)
	got, err := session.Query(t.Context(), statement, prepared)
	if err != nil {
		t.Fatalf("%s: %s", statement, errorText(err))
	}
	if !slices.Equal(got.Columns, names) {
		t.Errorf("columns %q, want %q", got.Columns, names)
	}
	want, err := golden.lines(columns)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 && golden.RowCount > 0 {
		t.Fatal("the golden file has no rows")
	}
	lines, err := golden.wireLines(got, columns)
	if err != nil {
		t.Fatal(err)
	}
	missing, extra := lakefixture.Diff(want, lines)
	for i := range max(len(missing), len(extra)) {
		if i == 3 {
			t.Errorf("… %d missing, %d extra of %d rows", len(missing), len(extra), len(want))
			return
		}
		if i < len(missing) {
			t.Errorf("missing: %s", missing[i])
		}
		if i < len(extra) {
			t.Errorf("extra:   %s", extra[i])
		}
	}
}
