package catalog_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// open returns a new catalog on SQLite with the table A.B.T.
func open(t *testing.T, uri string, hooks catalog.Hooks) *catalog.Set {
	t.Helper()
	dir := t.TempDir()
	set, err := catalog.NewSet([]catalog.Config{{
		Name: "Lake", Aliases: []string{"spark_catalog"},
		Properties: map[string]string{"type": "sql", "uri": uri + filepath.Join(dir, "deep", "catalog.db"), "warehouse": "file://" + dir},
	}}, "", hooks)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	c, err := set.Get(ctx, "lake")
	if err != nil {
		t.Fatal(err)
	}
	for _, ns := range []table.Identifier{{"A"}, {"A", "B"}, {"z"}} {
		if err := c.Iceberg().CreateNamespace(ctx, ns, nil); err != nil {
			t.Fatal(err)
		}
	}
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64})
	if _, err := c.Iceberg().CreateTable(ctx, table.Identifier{"A", "B", "T"}, schema); err != nil {
		t.Fatal(err)
	}
	return set
}

func TestNamesMatchInAnyCase(t *testing.T) {
	ctx := context.Background()
	for _, uri := range []string{"sqlite:///", "file:"} {
		set := open(t, uri, catalog.Hooks{})
		c, err := set.Get(ctx, "SPARK_Catalog")
		if err != nil {
			t.Fatal(err)
		}
		if !c.Is("lake") || !c.Is("Spark_Catalog") || c.Is("a") {
			t.Error("the catalog does not know its names")
		}
		tbl, err := c.Load(ctx, table.Identifier{"a", "b", "t"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tbl.Identifier(), "."); got != "A.B.T" {
			t.Errorf("got %q", got)
		}
		namespaces, err := c.Namespaces(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want := []table.Identifier{{"A"}, {"A", "B"}, {"z"}}
		if !slices.EqualFunc(namespaces, want, func(a, b table.Identifier) bool { return slices.Equal(a, b) }) {
			t.Errorf("namespaces: got %q, want %q", namespaces, want)
		}
	}
}

func TestMissingThingsHaveTheirClass(t *testing.T) {
	ctx := context.Background()
	set := open(t, "file:", catalog.Hooks{})
	if _, err := set.Get(ctx, "nope"); !errors.Is(err, catalog.ErrNoSuchCatalog) {
		t.Errorf("catalog: %v", err)
	}
	c, err := set.Get(ctx, "lake")
	if err != nil {
		t.Fatal(err)
	}
	for _, ident := range []table.Identifier{{"A", "B", "no"}, {"no", "T"}, {"T"}} {
		if _, err := c.Load(ctx, ident); !errors.Is(err, catalog.ErrNoSuchTable) {
			t.Errorf("table %q: %v", ident, err)
		}
	}
	if _, err := c.Namespace(ctx, table.Identifier{"no"}); !errors.Is(err, catalog.ErrNoSuchNamespace) {
		t.Errorf("namespace: %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	ctx := context.Background()
	for name, configs := range map[string][]catalog.Config{
		"none":  nil,
		"clash": {{Name: "a"}, {Name: "b", Aliases: []string{"A"}}},
	} {
		if _, err := catalog.NewSet(configs, "", catalog.Hooks{}); !errors.Is(err, catalog.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := catalog.NewSet([]catalog.Config{{Name: "a"}}, "b", catalog.Hooks{}); !errors.Is(err, catalog.ErrConfig) {
		t.Errorf("default: %v", err)
	}
	for _, uri := range []string{"", "postgresql://localhost/x", "sqlite:///", "file:x?%zz"} {
		_, err := catalog.Open(ctx, catalog.Config{Name: "a", Properties: map[string]string{"type": "sql", "uri": uri}}, catalog.Hooks{})
		if !errors.Is(err, catalog.ErrConfig) || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("uri %q: %v", uri, err)
		}
	}
}

func TestPinsGiveOneVersion(t *testing.T) {
	ctx := context.Background()
	set := open(t, "file:", catalog.Hooks{})
	c, err := set.Get(ctx, "lake")
	if err != nil {
		t.Fatal(err)
	}
	ident := table.Identifier{"A", "B", "T"}
	pins := catalog.NewPins()
	before, err := pins.Load(ctx, c, ident)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Commit(ctx, ident, nil, []table.Update{table.NewSetPropertiesUpdate(iceberg.Properties{"k": "v"})}); err != nil {
		t.Fatal(err)
	}
	again, err := pins.Load(ctx, c, ident)
	if err != nil {
		t.Fatal(err)
	}
	if again != before {
		t.Error("the second load of a pinned table saw another version")
	}
	fresh, err := c.Load(ctx, ident)
	if err != nil {
		t.Fatal(err)
	}
	if fresh.Properties()["k"] != "v" {
		t.Error("a load without pins did not see the commit")
	}
}

type countingIO struct {
	iceio.IO
	opened *int
}

func (c countingIO) Open(name string) (iceio.File, error) {
	*c.opened++
	return c.IO.Open(name)
}

func TestHooksStandBetween(t *testing.T) {
	ctx := context.Background()
	var opened, commits int
	set := open(t, "file:", catalog.Hooks{
		IO: func(fs iceio.IO) iceio.IO { return countingIO{fs, &opened} },
		Commit: func(ctx context.Context, ident table.Identifier, reqs []table.Requirement, updates []table.Update, next catalog.CommitFunc) (table.Metadata, string, error) {
			commits++
			return next(ctx, ident, reqs, updates)
		},
	})
	c, err := set.Get(ctx, "lake")
	if err != nil {
		t.Fatal(err)
	}
	ident := table.Identifier{"A", "B", "T"}
	tbl, err := c.Load(ctx, ident)
	if err != nil {
		t.Fatal(err)
	}
	fs, err := tbl.FS(ctx)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fs.Open(tbl.MetadataLocation())
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, _, err := c.Commit(ctx, ident, nil, []table.Update{table.NewSetPropertiesUpdate(iceberg.Properties{"k": "v"})}); err != nil {
		t.Fatal(err)
	}
	if opened != 1 || commits != 1 {
		t.Errorf("opened %d, commits %d; want 1 and 1", opened, commits)
	}
}

// flat is a catalog with one level of namespaces, as Glue and Hive have.
type flat struct {
	icecat.Catalog
	kind icecat.Type
}

func (f flat) CatalogType() icecat.Type { return f.kind }

func (f flat) ListNamespaces(ctx context.Context, parent table.Identifier) ([]table.Identifier, error) {
	if len(parent) > 0 {
		return nil, errors.New("hierarchical namespace is not supported")
	}
	return []table.Identifier{{"one"}, {"Two"}}, nil
}

func TestCatalogsOfOneLevelAreNotAskedForMore(t *testing.T) {
	for _, kind := range []icecat.Type{icecat.Glue, icecat.Hive} {
		c := catalog.New("c", flat{kind: kind}, catalog.Hooks{})
		namespaces, err := c.Namespaces(t.Context())
		if err != nil || len(namespaces) != 2 {
			t.Errorf("%s: namespaces %q, %v", kind, namespaces, err)
		}
		if ns, err := c.Namespace(t.Context(), table.Identifier{"two"}); err != nil || ns[0] != "Two" {
			t.Errorf("%s: namespace %q, %v", kind, ns, err)
		}
		if _, err := c.Namespace(t.Context(), table.Identifier{"one", "t"}); !errors.Is(err, catalog.ErrNoSuchNamespace) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestMissingDatabases: a mistyped path is an error and makes no file, unless the
// uri asks for one.
func TestMissingDatabases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mistyped", "catalog.db")
	open := func(uri string) error {
		_, err := catalog.Open(context.Background(), catalog.Config{Name: "a", MustExist: true, Properties: map[string]string{
			"type": "sql", "uri": uri, "warehouse": "file:///nowhere",
		}}, catalog.Hooks{})
		return err
	}
	for _, uri := range []string{"sqlite:///" + path, "file:" + path, "file:" + path + "?mode=rw", "sqlite:///" + t.TempDir()} {
		if err := open(uri); !errors.Is(err, catalog.ErrConfig) {
			t.Errorf("%s: got %v", uri, err)
		}
	}
	if err := open("file:" + path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "?mode=rwc") {
		t.Errorf("got %v, want the path and how to make the database", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
	for _, uri := range []string{"sqlite:///" + path + "?mode=rwc", "file:" + path, "sqlite:///:memory:"} {
		if err := open(uri); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
}
