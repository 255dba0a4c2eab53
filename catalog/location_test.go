package catalog_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// TestLocationsThatCannotBeRead has tables in HDFS and in Google's store, which the
// library says of what nobody can do anything about.
func TestLocationsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	c, err := catalog.Open(t.Context(), catalog.Config{Name: "lake", Properties: map[string]string{
		"type": "sql", "uri": "file:" + filepath.Join(dir, "catalog.db"), "warehouse": "file://" + dir,
	}}, catalog.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Iceberg().CreateNamespace(t.Context(), table.Identifier{"ns"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Iceberg().CreateTable(t.Context(), table.Identifier{"ns", "t"}, iceberg.NewSchema(0)); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "catalog.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, location := range []string{"hdfs://nn:8020/wh/t/metadata/00001-x.metadata.json", "hdfs:/wh/t/metadata/00001-x.metadata.json", "viewfs://c/wh/1.metadata.json"} {
		if _, err := db.Exec("UPDATE iceberg_tables SET metadata_location = ?", location); err != nil {
			t.Fatal(err)
		}
		_, err := c.Load(t.Context(), table.Identifier{"ns", "t"})
		want := `load table "ns.t": unsupported location: files at "` + location + `" cannot be read or written: allowed are locations in file://`
		if !errors.Is(err, catalog.ErrLocation) || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "s3a://") {
			t.Errorf("got %v, want %s…", err, want)
		}
	}
}
