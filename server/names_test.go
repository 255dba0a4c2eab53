package server

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/google/go-cmp/cmp"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// twoCatalogs are "main", the default, with the alias "m", and "Other". Each
// has a few empty tables over SQLite and local files.
func twoCatalogs(t *testing.T) *catalog.Set {
	t.Helper()
	config := func(name string, aliases ...string) catalog.Config {
		dir := t.TempDir()
		return catalog.Config{Name: name, Aliases: aliases, Properties: map[string]string{
			"type": "sql", "uri": "sqlite:///" + filepath.Join(dir, "catalog.db"), "warehouse": "file://" + dir,
		}}
	}
	set, err := catalog.NewSet([]catalog.Config{config("main", "m"), config("Other")}, "main", catalog.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "Id", Type: iceberg.PrimitiveTypes.Int64, Required: true})
	for name, idents := range map[string][]table.Identifier{
		"main":  {{"ns", "t"}, {"ns", "files"}, {"ns", "t$snapshots"}, {"Mixed", "Case"}, {"other", "x"}},
		"Other": {{"ns", "only_here"}, {"x", "y"}},
	} {
		c, err := set.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, ident := range idents {
			if ok, err := c.Iceberg().CheckNamespaceExists(t.Context(), ident[:1]); err == nil && !ok {
				if err := c.Iceberg().CreateNamespace(t.Context(), ident[:1], nil); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.Iceberg().CreateTable(t.Context(), ident, schema); err != nil {
				t.Fatal(err)
			}
		}
	}
	return set
}

func TestNames(t *testing.T) {
	c := serve(t, Config{Catalogs: twoCatalogs(t)})
	c.want("SHOW DATABASES", "Other.ns", "Other.x", "information_schema", "main.Mixed", "main.ns", "main.other")
	for _, test := range []struct{ database, name, count string }{
		{"", "main.ns.t", "0"},
		{"", "MAIN.NS.T", "0"},
		{"", "m.ns.t", "0"},
		{"", "ns.t", "0"},
		{"", "mixed.case", "0"},
		{"", "other.ns.only_here", "0"},
		// Both the default catalog's table other.x and a namespace of the other
		// catalog could be meant: the table exists.
		{"", "other.x", "0"},
		{"main.ns", "t", "0"},
		{"m.ns", "t", "0"},
		{"ns", "t", "0"},
		{"ns", "t.snapshots", "0"},
		{"ns", "`t$refs`", "0"},
		{"", "ns.t.refs", "0"},
		{"", "main.ns.t.refs", "0"},
		{"", "`main.ns.t`.refs", "0"},
		// A real table called files, and its metadata table of that name.
		{"", "main.ns.files", "0"},
		{"", "main.ns.files.files", "0"},
		{"Other.x", "y", "0"},
	} {
		db := c.open("", "", test.database)
		got, err := queryRows(db, "SELECT COUNT(*) FROM "+test.name)
		if err != nil || got[0] != test.count {
			t.Errorf("in database %q, table %s: got %v, %v", test.database, test.name, got, err)
		}
	}
	c.want("SELECT * FROM main.ns.`t$snapshots` WHERE Id = 1")
	c.want("SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'main.ns' AND column_name = 'Id'", "3")
}

func TestResolver(t *testing.T) {
	names := resolver{newProvider(twoCatalogs(t), systemTables{})}
	for _, test := range []struct{ typed, database, table string }{
		{"main.ns.t", "main.ns", "t"},
		{"NS.T", "main.ns", "t"},
		{"m.mixed.case", "main.Mixed", "Case"},
		{"ns.t.FILES", "main.ns.t", "files"},
		{"ns.files", "main.ns", "files"},
		{"t", "", "t"},
		{"information_schema.tables", "information_schema", "tables"},
		{"nope.t", "nope", "t"},
		{"main.ns.T$Files", "main.ns", "t$files"},
		{"other.x", "main.other", "x"},
		{"main.ns.nope", "main.ns", "nope"},
		{"main.ns.nope.files", "main.ns", "nope$files"},
		{"main.nope.t.files", "main.nope.t", "files"},
	} {
		database, table, err := names.Table(sql.NewEmptyContext(), strings.Split(test.typed, "."))
		if err != nil || database != test.database || table != test.table {
			t.Errorf("%s is %q, %q, %v; want %q, %q", test.typed, database, table, err, test.database, test.table)
		}
	}
	for typed, want := range map[string]string{"m.NS": "main.ns", "ns": "main.ns", "main": "main", "nope.x": "nope.x", "ns.t": "main.ns.t"} {
		if got, err := names.Database(sql.NewEmptyContext(), strings.Split(typed, ".")); err != nil || got != want {
			t.Errorf("database %s is %q, %v; want %q", typed, got, err, want)
		}
	}
}

func TestUsersMustAuthenticate(t *testing.T) {
	c := serve(t, Config{Catalogs: twoCatalogs(t), Users: []User{{"ada", "secret"}}})
	got, err := queryRows(c.open("ada", "secret", "ns"), "SELECT COUNT(*), USER() LIKE 'ada@%' FROM t")
	if diff := cmp.Diff([]string{"0 | 1"}, got); diff != "" || err != nil {
		t.Errorf("err %v (-want +got)\n%s", err, diff)
	}
	got, err = queryRows(c.open("ada", "secret", ""), "SELECT COUNT(*) FROM main.ns.t.files")
	if diff := cmp.Diff([]string{"0"}, got); diff != "" || err != nil {
		t.Errorf("err %v (-want +got)\n%s", err, diff)
	}
	if _, err := queryRows(c.open("ada", "secret", ""), "SHOW PROCEDURES"); err != nil {
		t.Error(err)
	}
	for _, user := range []User{{"ada", "wrong"}, {"ada", ""}, {"bob", "secret"}, {"bob", ""}} {
		if _, err := queryRows(c.open(user.Name, user.Password, ""), "SELECT 1"); err == nil {
			t.Errorf("%v may connect", user)
		} else if num, _ := errno(t, err); num != 1045 {
			t.Errorf("%v: got %v, want number 1045", user, err)
		}
	}
}

func TestCheckListen(t *testing.T) {
	users := []User{{"ada", "secret"}}
	for address, fine := range map[string]bool{
		"127.0.0.1:3307": true, "[::1]:3307": true, "localhost:0": true, "127.9.9.9:1": true,
		"0.0.0.0:3307": false, ":3307": false, "10.0.0.1:3307": false, "example.org:3307": false, "nonsense": false,
	} {
		err := CheckListen(address, nil)
		if (err == nil) != fine || err != nil && !errors.Is(err, ErrConfig) {
			t.Errorf("%s without users: %v", address, err)
		}
		if err := CheckListen(address, users); err != nil {
			t.Errorf("%s with a user: %v", address, err)
		}
	}
}

func TestConfig(t *testing.T) {
	set := lakefixture.Open(t, catalog.Hooks{}).Set
	for _, cfg := range []Config{{}, {Catalogs: set, Users: []User{{"ada", ""}}}, {Catalogs: set, Users: []User{{"", "x"}}}} {
		if _, err := New(cfg); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: got %v, want an error of class ErrConfig", cfg, err)
		}
	}
}

func TestSeveralServersInOneProcess(t *testing.T) {
	a, b := serve(t, Config{}), serve(t, Config{Catalogs: twoCatalogs(t)})
	for range 3 {
		a.want("SELECT COUNT(*) FROM lake.ops.chain", a.query("SELECT COUNT(*) FROM ops.chain")[0])
		b.want("SELECT COUNT(*) FROM main.ns.t", "0")
	}
	if err := a.stop(); err != nil {
		t.Fatal(err)
	}
	b.want("SELECT COUNT(*) FROM main.ns.t", "0")
}
