package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/firndb/firn/catalog"
)

func env(name string) (string, bool) {
	values := map[string]string{"KEY": "abc", "EMPTY": ""}
	v, ok := values[name]
	return v, ok
}

func TestParse(t *testing.T) {
	got, err := Parse([]byte(`
listen: 127.0.0.1:0
data-dir: /var/lib/firn
memory: 512 MiB
scratch-dir: /scratch
scratch-limit: 1000000
orphan-min-age: 90m
default-catalog: prod
max-rows-in-memory: 1000
max_bytes_in_memory: 0
manifest-cache-bytes: 5000000
users:
  ops: ${KEY}!
catalogs:
  prod:
    type: rest
    uri: http://127.0.0.1:8181
    aliases: [spark_catalog, p]
    s3.access-key-id: k-${KEY}-${EMPTY}
  local:
    uri: sqlite:////tmp/catalog.db
    warehouse: /tmp/warehouse
`), env)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Listen: "127.0.0.1:0", DataDir: "/var/lib/firn", DefaultCatalog: "prod",
		Memory: 512 << 20, ScratchDir: "/scratch", ScratchLimit: 1_000_000, OrphanMinAge: 90 * time.Minute,
		Users:           []User{{"ops", "abc!"}},
		MaxRowsInMemory: 1000, ManifestCacheBytes: 5000000,
		Catalogs: []catalog.Config{
			{Name: "prod", Aliases: []string{"spark_catalog", "p"}, Properties: map[string]string{
				"type": "rest", "uri": "http://127.0.0.1:8181", "s3.access-key-id": "k-abc-",
			}, MustExist: true},
			{Name: "local", Properties: map[string]string{
				"type": "sql", "uri": "sqlite:////tmp/catalog.db", "warehouse": "/tmp/warehouse",
			}, MustExist: true},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestAges(t *testing.T) {
	for text, want := range map[string]time.Duration{"1s": time.Second, "36h": 36 * time.Hour, "7d": 7 * 24 * time.Hour} {
		if got, err := Parse([]byte("orphan_min_age: "+text), env); err != nil || got.OrphanMinAge != want {
			t.Errorf("%s: %v (%v)", text, got.OrphanMinAge, err)
		}
	}
}

func TestPyIcebergFileIsAcceptedAsItIs(t *testing.T) {
	got, err := Parse([]byte("max-workers: 8\ncatalog:\n  default:\n    uri: http://127.0.0.1:8181\n    some-own-key: x\n  other:\n    type: dynamodb\n"), env)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Catalogs) != 1 || got.Catalogs[0].Properties["type"] != "rest" {
		t.Fatalf("got %+v", got.Catalogs)
	}
}

func TestEmptyFileIsTheDefault(t *testing.T) {
	got, err := Parse(nil, env)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), got); diff != "" {
		t.Fatal(diff)
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"unknown key", "listn: x", `line 1: unknown key "listn"; did you mean "listen"?`},
		{"unknown catalog key", "catalogs:\n  a:\n    type: rest\n    warehose: x", `line 4: unknown key "warehose"; did you mean "warehouse"?`},
		{"unknown type", "catalogs:\n  a:\n    type: nessie", `catalog "a" has type "nessie"; allowed are sql, rest, hive, glue, hadoop`},
		{"unset variable", "data-dir: ${NOPE}", `the environment variable "NOPE" is not set`},
		{"open variable", "data-dir: ${KEY", `"${KEY" is not closed by }`},
		{"no port", "listen: localhost", "is not host:port"},
		{"empty password", "users:\n  ops: ''", `"ops" needs a name and a password`},
		{"no type", "catalogs:\n  a:\n    warehouse: x", `line 3: catalog "a" needs a type`},
		{"no uri", "catalogs:\n  a:\n    type: rest", `line 3: catalog "a" of type rest needs a uri`},
		{"no warehouse", "catalogs:\n  a:\n    type: hadoop", `line 3: catalog "a" of type hadoop needs a warehouse`},
		{"no scheme", "catalogs:\n  a:\n    type: rest\n    uri: 127.0.0.1:8181", `has the uri "127.0.0.1:8181"; one of type rest begins with http://`},
		{"a key twice", "listen: 127.0.0.1:1\nlisten: 127.0.0.1:2", `line 2: "listen" is there twice`},
		{"a catalog twice", "catalogs:\n  a: {type: glue}\n  a: {type: glue}", `line 3: "a" is there twice`},
		{"PyIceberg's catalogs of other types only", "catalog:\n  a:\n    type: dynamodb", `has type "dynamodb"`},
		{"no size", "memory: 1GB", `line 1: memory: "1GB" is no size`},
		{"age of nothing", "orphan-min-age: 0h", `"0h" is no age; write a number above 0 with s, m, h or d behind it`},
		{"age without unit", "orphan-min-age: 24", `"24" is no age`},
		{"days that are no number", "orphan-min-age: xd", `"xd" is no age`},
		{"size of nothing", "scratch-limit: 0MiB", `"0MiB" is no size`},
		{"size too large", "scratch-limit: 9000000000TiB", "is no size"},
		{"little memory", "memory: 1MiB", "at least 64MiB"},
		{"no number", "max-rows-in-memory: 10k", `line 1: max-rows-in-memory: "10k" is no number; 0 or more is allowed`},
		{"a negative number", "manifest-cache-bytes: -1", `"-1" is no number; 0 or more is allowed`},
		{"no map", "catalogs: [a]", "line 1: catalogs must be a map"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse([]byte(tc.text), env)
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
		})
	}
}
