package procedures_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/cockroachdb/datadriven" // declares the flag -rewrite
	"github.com/google/go-cmp/cmp"

	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/procedures"
)

// TestReferenceIsCurrent compares docs/procedures.md with the declarations;
// with -rewrite it writes the file.
func TestReferenceIsCurrent(t *testing.T) {
	path := filepath.Join(lakefixture.Testdata(t), "..", "docs", "procedures.md")
	want := procedures.Markdown(procedures.All())
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("run go test ./procedures -run TestReferenceIsCurrent -rewrite (-want +got)\n%s", diff)
	}
}
