package server

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/google/go-cmp/cmp"

	"github.com/firndb/firn/catalog"
)

// requests is a catalog that notes what it is asked, as a REST catalog would be
// by one request each. Like such a catalog, it lists the namespaces of one
// level at a time.
type requests struct {
	icecat.Catalog

	mu    sync.Mutex
	asked []string
}

func (r *requests) ask(what string, ident table.Identifier) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, what+" "+strings.Join(ident, "."))
}

func (r *requests) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := r.asked
	r.asked = nil
	return asked
}

func (r *requests) LoadTable(ctx context.Context, ident table.Identifier) (*table.Table, error) {
	r.ask("load", ident)
	return r.Catalog.LoadTable(ctx, ident)
}

func (r *requests) CheckNamespaceExists(ctx context.Context, ns table.Identifier) (bool, error) {
	r.ask("exists", ns)
	return r.Catalog.CheckNamespaceExists(ctx, ns)
}

func (r *requests) ListNamespaces(ctx context.Context, parent table.Identifier) ([]table.Identifier, error) {
	r.ask("namespaces", parent)
	all, err := r.Catalog.ListNamespaces(ctx, parent)
	var level []table.Identifier
	for _, ns := range all {
		if len(ns) == len(parent)+1 {
			level = append(level, ns)
		}
	}
	return level, err
}

func (r *requests) ListTables(ctx context.Context, ns table.Identifier) iter.Seq2[table.Identifier, error] {
	r.ask("tables", ns)
	return r.Catalog.ListTables(ctx, ns)
}

// counted is a server of the catalog "lake" with the tables ns.t, ns.u, a.b.T
// and nothing else, and what the catalog is asked.
func counted(t *testing.T) (*client, *requests) {
	t.Helper()
	counter := &requests{}
	hooks := catalog.Hooks{Catalog: func(c icecat.Catalog) icecat.Catalog {
		counter.Catalog = c
		return counter
	}}
	dir := t.TempDir()
	set, err := catalog.NewSet([]catalog.Config{{Name: "lake", Aliases: []string{"spark_catalog"}, Properties: map[string]string{
		"type": "sql", "uri": "sqlite:///" + filepath.Join(dir, "catalog.db"), "warehouse": "file://" + dir,
	}}}, "", hooks)
	if err != nil {
		t.Fatal(err)
	}
	c, err := set.Get(t.Context(), "lake")
	if err != nil {
		t.Fatal(err)
	}
	for _, ns := range []table.Identifier{{"ns"}, {"a"}, {"a", "b"}, {"more"}} {
		if err := c.Iceberg().CreateNamespace(t.Context(), ns, nil); err != nil {
			t.Fatal(err)
		}
	}
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64})
	for _, ident := range []table.Identifier{{"ns", "t"}, {"ns", "u"}, {"a", "b", "T"}} {
		if _, err := c.Iceberg().CreateTable(t.Context(), ident, schema); err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, Config{Catalogs: set}), counter
}

func TestCatalogRequests(t *testing.T) {
	c, counter := counted(t)
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"SELECT 1", nil},
		{"SELECT @@version, DATABASE(), USER()", nil},
		{"SET @x = 1", nil},
		{"SHOW PROCEDURES", nil},
		{"SELECT * FROM lake.ns.t", []string{"load ns.t"}},
		{"SELECT * FROM spark_catalog.ns.t", []string{"load ns.t"}},
		{"SELECT COUNT(*) FROM ns.t WHERE id > 1", []string{"load ns.t"}},
		{"SELECT * FROM lake.ns.t x JOIN lake.ns.t y ON x.id = y.id JOIN lake.ns.u z ON z.id = y.id", []string{"load ns.t", "load ns.u"}},
		{"SELECT * FROM lake.a.b.T", []string{"load a.b.T"}},
		{"SELECT * FROM lake.ns.t.refs", []string{"exists ns.t", "load ns.t"}},
		{"SELECT COUNT(*) FROM lake.ns.t.files", []string{"exists ns.t", "load ns.t"}},
		{"SELECT * FROM lake.ns.`t$refs`", []string{"load ns.t$refs", "load ns.t"}},
		{"SELECT * FROM `lake.ns`.t", []string{"exists ns", "load ns.t"}},
		{"DESCRIBE lake.ns.t", []string{"load ns.t"}},
		{"SHOW CREATE TABLE lake.ns.t", []string{"load ns.t"}},
		{"SHOW DATABASES", []string{"namespaces ", "namespaces a", "namespaces a.b", "namespaces more", "namespaces ns"}},
		{"SHOW TABLES FROM lake.ns", []string{"exists ns", "tables ns"}},
		// Names in another case are looked for in the lists on the way to them.
		{"SELECT * FROM lake.A.B.t", []string{"load A.B.t", "namespaces ", "namespaces a", "load a.b.t", "tables a.b", "load a.b.T"}},
		// A procedure loads the version that it changes, and looks again before
		// it ends.
		{"CALL system.expire_snapshots('lake.ns.t')", []string{"load ns.t", "load ns.t"}},
		{"CALL spark_catalog.system.expire_snapshots('SPARK_catalog.ns.t')", []string{"load ns.t", "load ns.t"}},
		{"USE lake.ns", []string{"exists ns"}},
		{"SELECT * FROM t", []string{"exists ns", "load ns.t"}},
		{"SELECT * FROM t", []string{"load ns.t"}},
		{"SELECT 1", nil},
		{"SELECT * FROM t.refs", []string{"load t.refs", "load ns.t"}},
		{"CALL system.expire_snapshots('t')", []string{"load ns.t", "load ns.t"}},
		{"SELECT * FROM information_schema.routines", nil},
	} {
		counter.take()
		if _, err := queryRows(conn, test.query); err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		got := counter.take()
		if strings.HasPrefix(test.query, "SHOW DATABASES") {
			// The namespaces of a level are asked for their own at once.
			slices.Sort(got)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: requests (-want +got)\n%s", test.query, diff)
		}
	}
}

// TestMissingNamesAreAskedForOnce counts what a statement costs that fails.
func TestMissingNamesAreAskedForOnce(t *testing.T) {
	c, counter := counted(t)
	for query, want := range map[string][]string{
		"SELECT * FROM lake.ns.nope": {"load ns.nope", "namespaces ", "tables ns"},
		"SELECT * FROM mysql.user":   nil,
		"SELECT * FROM lake.no.nope": {"load no.nope", "namespaces ", "exists no"},
	} {
		if err := c.db.PingContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		counter.take()
		if rows, err := queryRows(c.db, query); err == nil {
			t.Errorf("%s: got %v, want an error", query, rows)
		}
		if diff := cmp.Diff(want, counter.take()); diff != "" {
			t.Errorf("%s: requests (-want +got)\n%s", query, diff)
		}
	}
}
