package lint

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every test that docs/hazards.md names is there.
func TestHazardsAreTested(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "hazards.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.isTest() && f.Recv == nil {
				tests[f.Name.Name] = true
			}
		}
	}
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllSubmatch(page, -1)
	if len(named) < 40 {
		t.Errorf("the page names %d tests", len(named))
	}
	for _, m := range named {
		if name := string(m[1]); !tests[name] {
			t.Errorf("there is no test %s", name)
		}
	}
}
