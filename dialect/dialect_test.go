package dialect

import (
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestDialect shows what statements become. The command "rewrite" gives what
// the engine's grammar gets.
func TestDialect(t *testing.T) {
	datadriven.Walk(t, filepath.Join("..", "testdata", "dialect", "rewrite"), func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "rewrite" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			return describe(d.Input) + "\n"
		})
	})
}
