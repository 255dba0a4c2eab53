package sqltest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// TestFunctions runs the expressions and queries that Spark was asked, and
// wants its answers and its refusals. differences.txt lists where Firn answers
// otherwise, and why.
func TestFunctions(t *testing.T) {
	dir := filepath.Join(lakefixture.Testdata(t), "functions")
	known := readDifferences(t, filepath.Join(dir, "differences.txt"))
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	session := Start(t, catalog.Hooks{})
	seen := map[string]bool{}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			var answers []Answer
			if err := ReadJSON(path, &answers); err != nil {
				t.Fatal(err)
			}
			for _, answer := range answers {
				seen[answer.Statement] = true
				known.judge(t, answer.Statement, compareQuery(t, session, answer))
			}
		})
	}
	for statement := range known {
		if !seen[statement] {
			t.Errorf("the differences list %q, which Spark was not asked", statement)
		}
	}
}
