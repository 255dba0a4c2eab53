package lint

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unfinished is what a comment of finished code does not say.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XXX|HACK)\b|//no` + `lint`)

func TestNothingIsUnfinished(t *testing.T) {
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			for _, comment := range group.List {
				if found := unfinished.FindString(comment.Text); found != "" {
					t.Errorf("%s: %s", s.line(comment.Pos()), found)
				}
			}
		}
	}
}

func TestNothingPanicsOrSkips(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch f := call.Fun.(type) {
			case *ast.Ident:
				if f.Name == "panic" && !s.isTest() {
					t.Errorf("%s: panic: return an error", s.line(call.Pos()))
				}
			case *ast.SelectorExpr:
				skips := []string{"Skip", "Skipf", "SkipNow"}
				if x, ok := f.X.(*ast.Ident); ok && s.isTest() && (x.Name == "t" || x.Name == "b" || x.Name == "f") && slices.Contains(skips, f.Sel.Name) {
					t.Errorf("%s: %s: a test that does not run proves nothing", s.line(call.Pos()), f.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestProcessIsEndedByMainOnly(t *testing.T) {
	for _, s := range sources(t) {
		if s.isTest() || s.file.Name.Name == "main" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			f, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := f.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch name := x.Name + "." + f.Sel.Name; name {
			case "os.Exit", "log.Fatal", "log.Fatalf", "log.Panic":
				t.Errorf("%s: %s: return an error", s.line(f.Pos()), name)
			case "os.Getenv", "os.LookupEnv", "os.Environ":
				t.Errorf("%s: %s: only cmd reads the environment", s.line(f.Pos()), name)
			}
			return true
		})
	}
}

// A panic in a goroutine of an errgroup would end the process.
func TestGroupsAreGuarded(t *testing.T) {
	for _, s := range sources(t) {
		if !slices.Contains(s.imports, "golang.org/x/sync/errgroup") || s.isTest() || s.dir() == "guard" || strings.HasPrefix(s.path, "bench/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "Go" && f.Sel.Name != "TryGo" {
				return true
			}
			if x, ok := f.X.(*ast.Ident); !ok || x.Name != "guard" {
				t.Errorf("%s: a goroutine of a group that is not guarded", s.line(call.Pos()))
			}
			return true
		})
	}
}
