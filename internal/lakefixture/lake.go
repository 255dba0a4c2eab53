package lakefixture

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"

	"github.com/firndb/firn/catalog"
)

// The names by which the lake goes.
const (
	// Name is the catalog's name, Alias another one.
	Name, Alias = "lake", "spark_catalog"
	// Bucket is the bucket that holds the tables.
	Bucket = "lake"
)

// Lake is a private copy of testdata/lake.
type Lake struct {
	// Set holds the one catalog.
	Set *catalog.Set
	// Catalog is that catalog, opened.
	Catalog *catalog.Catalog
	// Config is how it was opened: enough to open it again, by other means.
	Config catalog.Config

	store    *store
	log      *requestLog
	original func() (*original, error)
}

// Open makes a copy that lives as long as the test.
func Open(t testing.TB, hooks catalog.Hooks) *Lake {
	t.Helper()
	dir := filepath.Join(Testdata(t), "lake")
	objects, err := newStore(dir)
	if err != nil {
		t.Fatalf("open the lake: %v", err)
	}
	log := &requestLog{next: gofakes3.New(backend{objects}, gofakes3.WithTimeSkewLimit(0)).Server()}
	server := httptest.NewServer(log)
	t.Cleanup(server.Close)

	l := &Lake{store: objects, log: log}
	l.original = sync.OnceValues(func() (*original, error) { return readOriginal(dir) })
	l.Config = catalog.Config{
		Name:    Name,
		Aliases: []string{Alias},
		Properties: map[string]string{
			"type":                 "sql",
			"uri":                  "file:" + copyFile(t, filepath.Join(dir, "catalog.db")),
			"warehouse":            "s3://" + Bucket + "/wh",
			"s3.endpoint":          server.URL,
			"s3.region":            "us-east-1",
			"s3.access-key-id":     "lake",
			"s3.secret-access-key": "lakelake",
		},
	}
	if l.Set, err = catalog.NewSet([]catalog.Config{l.Config}, Name, hooks); err != nil {
		t.Fatalf("open the lake: %v", err)
	}
	if l.Catalog, err = l.Set.Get(context.Background(), Name); err != nil {
		t.Fatalf("open the lake: %v", err)
	}
	return l
}

// Objects lists the keys of the bucket that begin with prefix, sorted.
func (l *Lake) Objects(prefix string) []string { return l.store.keys(prefix) }

// Put writes an object of the bucket, behind the server's back.
func (l *Lake) Put(key string, content []byte) { l.store.put(key, content) }

// Requests returns the S3 requests since the last call of Requests, in the
// order of their arrival.
func (l *Lake) Requests() []Request { return l.log.take() }

// Testdata is the absolute path of the module's testdata folder.
func Testdata(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata")
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod at or above the working directory")
		}
		dir = parent
	}
}

func copyFile(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: the name of a test may hold what a file URI must not.
	dir, err := os.MkdirTemp("", "lake")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	to := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// Add puts the objects in a folder of testdata into the bucket and the tables
// that the folder's tables.txt lists into the catalog: a namespace, a name and
// the location of the metadata in each line.
func (l *Lake) Add(t testing.TB, folder string) {
	t.Helper()
	dir := filepath.Join(Testdata(t), folder)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "tables.txt" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		key, err := filepath.Rel(dir, path)
		if err == nil {
			l.Put(filepath.ToSlash(key), content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(dir, "tables.txt"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", l.Config.Properties["uri"])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for line := range strings.Lines(string(list)) {
		var namespace, name, location string
		if _, err := fmt.Sscan(line, &namespace, &name, &location); err != nil {
			t.Fatalf("tables.txt: %q: %v", line, err)
		}
		const insert = "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, iceberg_type) VALUES (?, ?, ?, ?, 'TABLE')"
		if _, err := db.ExecContext(t.Context(), insert, Name, namespace, name, location); err != nil {
			t.Fatal(err)
		}
	}
}
