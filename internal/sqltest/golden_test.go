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
			var file Golden
			if err := ReadJSON(filepath.Join(lakefixture.Testdata(t), "golden", name+".json"), &file); err != nil {
				t.Fatal(err)
			}
			t.Run("data", func(t *testing.T) { differences{}.judge(t, name, compareTable(t, session, name, "", file.Data)) })
			for _, kind := range []string{"history", "snapshots", "refs", "manifests", "entries", "files"} {
				t.Run(kind, func(t *testing.T) {
					differences{}.judge(t, name, compareTable(t, session, name, kind, file.MetadataTables[kind]))
				})
			}
		})
	}
}

// compareTable reads a table by its dotted name as text, and by the name that
// every part of the engine accepts as a prepared statement. It returns how the
// answers differ from Spark's, empty if they do not.
func compareTable(t *testing.T, session *Session, name, kind string, answer Answer) string {
	t.Helper()
	namespace, table, _ := strings.Cut(name, ".")
	dotted, quoted := "lake."+name, "`lake."+namespace+"`.`"+table+"`"
	if kind != "" {
		dotted, quoted = dotted+"."+kind, "`lake."+namespace+"`.`"+table+"$"+kind+"`"
	}
	if found := compare(t, session, dotted, false, answer); found != "" {
		return "as text: " + found
	}
	if found := compare(t, session, quoted, true, answer); found != "" {
		return "as a prepared statement: " + found
	}
	return ""
}

// compare selects every column but readable_metrics.
func compare(t *testing.T, session *Session, table string, prepared bool, answer Answer) string {
	t.Helper()
	columns := answer.columns("readable_metrics")
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = answer.Schema.Fields[column].Name
	}
	statement := "SELECT " + quoteAll(names) + " FROM " + table
	got, err := session.Query(t.Context(), statement, prepared)
	if err != nil {
		return statement + ": " + errorText(err)
	}
	if !slices.Equal(got.Columns, names) {
		return fmt.Sprintf("columns %q, want %q", got.Columns, names)
	}
	want, err := answer.lines(columns)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 && answer.RowCount > 0 {
		t.Fatal("the golden file has no rows")
	}
	lines, err := answer.wireLines(got, columns)
	if err != nil {
		return err.Error()
	}
	return diffText(want, lines)
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return strings.Join(quoted, ", ")
}

// diffText shows the first rows that only one side has.
func diffText(want, got []string) string {
	missing, extra := lakefixture.Diff(want, got)
	var lines []string
	for _, row := range missing[:min(len(missing), 3)] {
		lines = append(lines, "missing: "+row)
	}
	for _, row := range extra[:min(len(extra), 3)] {
		lines = append(lines, "extra:   "+row)
	}
	if len(lines) > 0 {
		lines = append(lines, fmt.Sprintf("%d missing, %d extra of %d rows", len(missing), len(extra), len(want)))
	}
	return strings.Join(lines, "\n")
}
