package sqltest

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/golden"
	"github.com/firndb/firn/internal/lakefixture"
)

// TestConformance sends every statement of the golden files as it was sent to
// Spark, and wants the same columns, types, nullability and rows, or a refusal
// where Spark refuses. Places where Firn answers otherwise are in the list of
// differences, each with its reason.
func TestConformance(t *testing.T) {
	known := readPlaces(t, filepath.Join(lakefixture.Testdata(t), "golden", "conformance.txt"))
	session := Start(t, catalog.Hooks{})
	files, ran := golden.Files(t), 0
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			ran++
			for place, want := range golden.Load(t, name).Answers() {
				known.judge(t, place, conform(t, session, want))
			}
		})
	}
	t.Run("_catalog", func(t *testing.T) {
		for _, want := range golden.LoadList(t, "_catalog") {
			known.judge(t, "_catalog/"+want.Statement, conform(t, session, want))
		}
	})
	if ran == len(files) {
		// Not with -run of some.
		known.finish(t)
	}
}

// conform returns how the answer to a statement differs from Spark's, empty if
// it does not.
func conform(t *testing.T, session *Session, want golden.Result) string {
	t.Helper()
	got, err := session.Query(t.Context(), want.Statement, false)
	switch {
	case err != nil && want.Error != nil:
		return ""
	case err != nil:
		return "refused: " + errorText(err)
	case want.Error != nil:
		return "Spark refuses: " + firstLine(want.Error.Message)
	}
	if strings.HasPrefix(want.Statement, "SHOW CREATE ") {
		got = createText(got)
	}
	return differFrom(got, want)
}

// differFrom compares names, types, nullability and rows with an answer of Spark.
func differFrom(got Result, want golden.Result) string {
	var names []string
	for _, c := range want.Columns {
		names = append(names, c.Name)
	}
	if !slices.Equal(got.Columns, names) {
		return fmt.Sprintf("columns %q, Spark %q", got.Columns, names)
	}
	if types := want.WireTypes(); !slices.EqualFunc(got.Types, types, sameType) {
		return fmt.Sprintf("types %q, want %q", got.Types, types)
	}
	lines, err := want.WireLines(got.Rows)
	if err != nil {
		return err.Error()
	}
	return want.RowsDiffer(lines)
}

// sameType takes the text of a uuid for text.
func sameType(got, want string) bool { return strings.Replace(got, "VARCHAR", "TEXT", 1) == want }

// createText is the text of a SHOW CREATE, which stands among MySQL's columns, in
// Spark's only one.
func createText(r Result) Result {
	text := Result{Columns: []string{"createtab_stmt"}, Types: []string{"TEXT NOT NULL"}}
	for _, row := range r.Rows {
		text.Rows = append(text.Rows, row[1:2])
	}
	return text
}

// places are patterns of the places where answers differ, in order, with the
// reasons.
type places struct {
	patterns, reasons []string
	met               map[string]bool
}

func readPlaces(t *testing.T, file string) *places {
	t.Helper()
	p := &places{met: map[string]bool{}}
	reasons := readDifferences(t, file)
	p.patterns = slices.Sorted(maps.Keys(reasons))
	for _, pattern := range p.patterns {
		p.reasons = append(p.reasons, reasons[pattern])
	}
	return p
}

// judge fails the test for a difference that no pattern has.
func (p *places) judge(t *testing.T, place, found string) {
	t.Helper()
	if found == "" {
		return
	}
	known := false
	for _, pattern := range p.patterns {
		if ok, err := path.Match(pattern, place); err != nil {
			t.Fatalf("%q: %v", pattern, err)
		} else if ok {
			p.met[pattern], known = true, true
		}
	}
	if !known {
		t.Errorf("%s\n%s", place, found)
	}
}

// finish fails the test for patterns that no difference has met.
func (p *places) finish(t *testing.T) {
	t.Helper()
	for i, pattern := range p.patterns {
		if !p.met[pattern] {
			t.Errorf("the differences list %q (%s), where all is as Spark's now", pattern, strings.TrimSpace(p.reasons[i]))
		}
	}
}
