package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		want         []Statement
	}{
		{"nothing", " \n;; -- a\n/* b; */ ;", nil},
		{"last without semicolon", "SELECT 1;\n\nSELECT 2", []Statement{{"SELECT 1", 1}, {"SELECT 2", 3}}},
		{"strings", `SELECT ';', "a;''b", 'it''s;', 'q\';';` + "\nSELECT `x;y`;", []Statement{{`SELECT ';', "a;''b", 'it''s;', 'q\';'`, 1}, {"SELECT `x;y`", 2}}},
		{"comments", "-- first; not a statement\nSELECT 1 -- one; still\n + 2 /* ; */;\n# end;\n", []Statement{{"SELECT 1 -- one; still\n + 2 /* ; */", 2}}},
		{"open string", "SELECT 'a;\n", []Statement{{"SELECT 'a;", 1}}},
		{"open comment", "SELECT 1; /* a;", []Statement{{"SELECT 1", 1}}},
		{"minus", "SELECT 1-1;", []Statement{{"SELECT 1-1", 1}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Split(tc.script)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("SELECT ';'; -- x\nCALL a.system.b(c => map('d', '2'))")
	f.Fuzz(func(t *testing.T, script string) {
		line := 0
		for _, s := range Split(script) {
			if strings.TrimSpace(s.Text) == "" {
				t.Fatalf("empty statement in %q", script)
			}
			if s.Line < line {
				t.Fatalf("line %d after %d in %q", s.Line, line, script)
			}
			line = s.Line
		}
	})
}
