package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modulePath is the import path of the module.
const modulePath = "github.com/firndb/firn"

// source is one Go file of the module.
type source struct {
	path    string // slashes, relative to the module
	text    string
	file    *ast.File
	fset    *token.FileSet
	imports []string
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }
func (s source) dir() string  { return dirOf(s.path) }

// line is where pos is, for people.
func (s source) line(pos token.Pos) token.Position {
	p := s.fset.Position(pos)
	p.Filename = s.path
	return p
}

// dirOf is the folder of a slashed path, "." for the module's own.
func dirOf(path string) string { return filepath.ToSlash(filepath.Dir(path)) }

// sources parses every Go file of the module.
func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (name == "testdata" || name == "bin" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		s, err := parse(root, path)
		all = append(all, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no sources found")
	}
	return all
}

func parse(root, path string) (source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return source{}, err
	}
	relative, err := filepath.Rel(root, path)
	if err != nil {
		return source{}, err
	}
	s := source{path: filepath.ToSlash(relative), text: string(text), fset: token.NewFileSet()}
	s.file, err = parser.ParseFile(s.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	for _, spec := range s.file.Imports {
		s.imports = append(s.imports, strings.Trim(spec.Path.Value, `"`))
	}
	return s, nil
}

// importsOf maps each package folder to what its files import, sorted. Tests
// count when withTests says so.
func importsOf(all []source, withTests bool) map[string][]string {
	imports := map[string][]string{}
	for _, s := range all {
		if s.isTest() && !withTests {
			continue
		}
		imports[s.dir()] = append(imports[s.dir()], s.imports...)
	}
	for dir := range imports {
		slices.Sort(imports[dir])
		imports[dir] = slices.Compact(imports[dir])
	}
	return imports
}
