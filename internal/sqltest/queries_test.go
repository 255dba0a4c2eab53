package sqltest

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// TestGoldenQueries runs queries over metadata tables and data that people
// run, and wants Spark's rows: in its order where the query has one.
func TestGoldenQueries(t *testing.T) {
	dir := filepath.Join(lakefixture.Testdata(t), "golden")
	known := readDifferences(t, filepath.Join(dir, "differences.txt"))
	var queries []Answer
	if err := ReadJSON(filepath.Join(dir, "_queries.json"), &queries); err != nil {
		t.Fatal(err)
	}
	session := Start(t, catalog.Hooks{})
	for _, q := range queries {
		place := strings.Join(strings.Fields(q.Statement), " ")
		known.judge(t, place, compareQuery(t, session, q))
	}
}

var orderBy = regexp.MustCompile(`(?i)\border\s+by\b`)

// compareQuery returns how the answer to a query differs from Spark's.
func compareQuery(t *testing.T, session *Session, q Answer) string {
	t.Helper()
	fields, err := q.fields()
	if err != nil {
		t.Fatalf("%s: %v", q.Statement, err)
	}
	got, err := session.Query(t.Context(), q.Statement, false)
	switch {
	case err != nil && q.Error != nil:
		return ""
	case err != nil:
		return "refused: " + errorText(err)
	case q.Error != nil:
		return "Spark refuses it: " + firstLine(q.Error.Message)
	case len(got.Columns) != len(fields):
		return fmt.Sprintf("columns %q, Spark %q", got.Columns, q.Columns)
	}
	var want, lines []string
	for _, row := range q.Rows {
		line, err := rowLine(len(row), func(i int) (string, error) { return fields[i].Type.FromSpark(row[i]) })
		if err != nil {
			t.Fatalf("%s: %v", q.Statement, err)
		}
		want = append(want, line)
	}
	for _, row := range got.Rows {
		line, err := rowLine(len(row), func(i int) (string, error) { return fields[i].Type.FromWire(row[i]) })
		if err != nil {
			return err.Error()
		}
		lines = append(lines, line)
	}
	if !orderBy.MatchString(q.Statement) {
		slices.Sort(want)
		slices.Sort(lines)
	}
	if !slices.Equal(want, lines) {
		return fmt.Sprintf("%s\nSpark:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	return ""
}

func rowLine(n int, cell func(i int) (string, error)) (string, error) {
	cells := make([]string, n)
	for i := range cells {
		var err error
		if cells[i], err = cell(i); err != nil {
			return "", fmt.Errorf("column %d: %w", i, err)
		}
	}
	return strings.Join(cells, " | "), nil
}
