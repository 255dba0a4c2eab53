package sqltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHealthPage keeps docs/health.md and the script with its answers together:
// each statement of the page is in the script, word for word.
func TestHealthPage(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../../docs/health.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.FromSlash("../../testdata/queries/health.test"))
	if err != nil {
		t.Fatal(err)
	}
	statements := 0
	for i, block := range strings.Split(string(page), "```") {
		text, ok := strings.CutPrefix(block, "sql\n")
		if i%2 == 0 || !ok {
			continue
		}
		statements++
		tried := strings.ReplaceAll(strings.TrimSuffix(text, ";\n"), "lake.sales.orders", "lake.analytics.events_mor")
		if !strings.Contains(string(script), "\n"+tried+"\n----\n") {
			t.Errorf("not in the script:\n%s", tried)
		}
	}
	if want := strings.Count(string(script), "\n----\n"); statements != want {
		t.Errorf("the page has %d statements, the script %d", statements, want)
	}
}
