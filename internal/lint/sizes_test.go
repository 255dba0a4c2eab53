package lint

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// Bounds of the design. A test function may be longer than others: a table of
// cases is one thing, however long.
const (
	maxFileLines     = 500
	maxFunctionLines = 60
)

func TestFileSizes(t *testing.T) {
	for _, s := range sources(t) {
		if lines := strings.Count(s.text, "\n"); lines > maxFileLines {
			t.Errorf("%s: %d lines, at most %d: split it by subject", s.path, lines, maxFileLines)
		}
	}
}

func TestFunctionSizes(t *testing.T) {
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if lines := s.line(f.End()).Line - s.line(f.Pos()).Line + 1; lines > maxFunctionLines {
				t.Errorf("%s: function %s has %d lines, at most %d", s.line(f.Pos()), f.Name.Name, lines, maxFunctionLines)
			}
		}
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	docs := map[string]bool{}
	for _, s := range sources(t) {
		docs[s.dir()] = docs[s.dir()] || strings.HasSuffix(s.path, "doc.go") && s.file.Doc != nil
		// A command's documentation stands in its main file.
		if s.file.Name.Name == "main" && s.file.Doc != nil {
			docs[s.dir()] = true
		}
	}
	for dir, documented := range docs {
		if !documented {
			t.Errorf("%s: no doc.go with a package comment", dir)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.isTest() || s.file.Name.Name == "main" {
			continue
		}
		for _, decl := range s.file.Decls {
			if name, ok := undocumented(decl); ok {
				t.Errorf("%s: exported %s has no comment", s.line(decl.Pos()), name)
			}
		}
	}
}

// undocumented finds a function or a type that is exported and not commented.
// Methods are left out: most of them are an interface's, documented there.
func undocumented(decl ast.Decl) (string, bool) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Name.Name, d.Recv == nil && d.Name.IsExported() && d.Doc == nil
	case *ast.GenDecl:
		if d.Doc != nil {
			return "", false
		}
		i := slices.IndexFunc(d.Specs, func(spec ast.Spec) bool {
			typ, ok := spec.(*ast.TypeSpec)
			return ok && typ.Name.IsExported() && typ.Doc == nil
		})
		if i >= 0 {
			return d.Specs[i].(*ast.TypeSpec).Name.Name, true
		}
	}
	return "", false
}
