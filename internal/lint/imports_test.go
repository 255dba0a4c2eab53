package lint

import (
	"slices"
	"strings"
	"testing"
)

// layers are the module's packages from the bottom up. A package imports only
// packages of lower layers; a name stands for the folder and all below it.
var layers = [][]string{
	{"compat", "guard", "spelling"},
	{"dialect/predicate"},
	{"catalog"},
	{"maintenance/internal/column", "maintenance/internal/filebuf", "maintenance/internal/gather", "maintenance/internal/parquet/format", "maintenance/internal/parquet/hybrid", "maintenance/internal/scratch", "maintenance/internal/zcurve"},
	{"maintenance/internal/parquet/codec", "maintenance/internal/rowkey"},
	{"maintenance/internal"},
	{"maintenance/sortorder", "maintenance/manifest"},
	{"maintenance"},
	{"maintenance/rewrite"},
	{"maintenance/chain"},
	{"dialect", "procedures", "metatables"},
	{"server/nested"},
	{"server/functions"},
	{"server/columnar"},
	{"server"},
	{"config"},
	{"shell"},
	{"demo"},
	{"cmd"},
}

// Families of libraries.
const (
	engine  = "github.com/dolthub/"
	iceberg = "github.com/apache/iceberg-go"
)

// forbidden says which libraries a package must not need, not even through
// another package of the module.
var forbidden = map[string][]string{
	"catalog":           {engine},
	"maintenance":       {engine},
	"procedures":        {engine},
	"metatables":        {engine},
	"dialect":           {iceberg},
	"server/nested":     {iceberg},
	"server/functions":  {iceberg},
	"dialect/predicate": {iceberg, engine},
}

// layerOf is the number of a package's layer; -1 if it has none.
func layerOf(dir string) int {
	for ; dir != "."; dir = dirOf(dir) {
		if i := slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, dir) }); i >= 0 {
			return i
		}
	}
	return -1
}

func TestLayers(t *testing.T) {
	for dir, imports := range importsOf(sources(t), false) {
		internal := strings.HasPrefix(dir, "internal/")
		if layerOf(dir) < 0 && !internal && dir != "docs" && !strings.HasPrefix(dir, "docs/") && !strings.HasPrefix(dir, "bench/") {
			t.Errorf("%s: the package belongs to no layer", dir)
		}
		for _, path := range imports {
			imported, ours := strings.CutPrefix(path, modulePath+"/")
			switch {
			case !ours || internal:
			case strings.HasPrefix(imported, "internal/"):
				t.Errorf("%s imports %s: test harnesses are for tests", dir, imported)
			case layerOf(imported) >= layerOf(dir) && !related(dir, imported) && layerOf(dir) >= 0:
				t.Errorf("%s imports %s, which is not below it", dir, imported)
			}
		}
	}
}

// related says that one package is a folder of the other.
func related(a, b string) bool {
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

func TestForbiddenLibraries(t *testing.T) {
	imports := importsOf(sources(t), false)
	for dir, libraries := range forbidden {
		for path, via := range needs(imports, dir) {
			for _, library := range libraries {
				if strings.HasPrefix(path, library) {
					t.Errorf("%s needs %s: %s", dir, path, via)
				}
			}
		}
	}
}

// needs maps everything that a package imports, directly or through packages
// of the module, to the way it gets there.
func needs(imports map[string][]string, dir string) map[string]string {
	all := map[string]string{}
	var walk func(dir, via string)
	walk = func(dir, via string) {
		for _, path := range imports[dir] {
			if _, ok := all[path]; ok {
				continue
			}
			all[path] = via + " → " + path
			if inner, ours := strings.CutPrefix(path, modulePath+"/"); ours {
				walk(inner, all[path])
			}
		}
	}
	walk(dir, dir)
	return all
}

func TestNeedsIsTransitive(t *testing.T) {
	imports := map[string][]string{
		"a": {modulePath + "/b", "fmt"},
		"b": {modulePath + "/c", modulePath + "/a"},
		"c": {engine + "x"},
	}
	if _, ok := needs(imports, "a")[engine+"x"]; !ok {
		t.Error("an import two packages away is not seen")
	}
	if _, ok := needs(imports, "c")["fmt"]; ok {
		t.Error("an import of an importing package is seen")
	}
}
