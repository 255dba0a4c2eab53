package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	icecat "github.com/apache/iceberg-go/catalog"
	_ "github.com/apache/iceberg-go/catalog/hadoop"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/bench/internal/lake"
	"github.com/firndb/firn/metatables"
)

// open makes a small table and opens it as a catalog does.
func open(t *testing.T, warehouse string) *table.Table {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-warehouse", warehouse, "-manifests", "6", "-snapshots", "3", "180"}, &out); err != nil {
		t.Fatal(err)
	}
	c, err := icecat.Load(t.Context(), "b", map[string]string{"type": "hadoop", "warehouse": "file://" + warehouse})
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := c.LoadTable(t.Context(), table.Identifier{"bench", "f180"})
	if err != nil {
		t.Fatal(err)
	}
	return tbl
}

// rows are a metadata table's rows as text, without the names of the folder.
func rows(t *testing.T, tbl *table.Table, name string) []string {
	t.Helper()
	m, ok := metatables.Find(name)
	if !ok {
		t.Fatal(name)
	}
	var all []string
	for batch, err := range m.Read(t.Context(), tbl, metatables.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		records, err := array.RecordToStructArray(batch).MarshalJSON()
		batch.Release()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(tbl.Location(), "", lake.Local(tbl.Location()), "").Replace(string(records))
		all = append(all, text)
	}
	return all
}

func TestTable(t *testing.T) {
	tbl := open(t, t.TempDir())
	for name, want := range map[string]int64{"files": 180, "all_data_files": 180, "manifests": 6, "all_manifests": 2 + 4 + 6, "partitions": lake.Days, "snapshots": 3, "history": 3, "metadata_log_entries": 3} {
		m, _ := metatables.Find(name)
		var got int64
		for batch, err := range m.Read(t.Context(), tbl, metatables.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			got += batch.NumRows()
			batch.Release()
		}
		if got != want {
			t.Errorf("%s: %d rows, want %d", name, got, want)
		}
	}
	if got := tbl.CurrentSnapshot().Summary.Properties["total-data-files"]; got != "180" {
		t.Errorf("the summary counts %s files", got)
	}
}

func TestTheSameEveryTime(t *testing.T) {
	one, other := open(t, t.TempDir()), open(t, t.TempDir())
	for _, name := range []string{"files", "entries", "partitions", "snapshots", "metadata_log_entries"} {
		a, b := strings.Join(rows(t, one, name), "\n"), strings.Join(rows(t, other, name), "\n")
		if a != b {
			t.Errorf("%s differs:\n%.2000s\n%.2000s", name, a, b)
		}
	}
}

func TestWhatIsThereStays(t *testing.T) {
	warehouse := t.TempDir()
	open(t, warehouse)
	hint := filepath.Join(warehouse, "bench", "f180", "metadata", "version-hint.text")
	before, err := os.Stat(hint)
	if err != nil {
		t.Fatal(err)
	}
	open(t, warehouse)
	after, err := os.Stat(hint)
	if err != nil {
		t.Fatal(err)
	}
	if before.ModTime() != after.ModTime() {
		t.Error("written again")
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{}, {"10"}, {"-warehouse", dir}, {"-warehouse", dir, "many"}, {"-warehouse", dir, "199"}, {"-warehouse", dir, "-snapshots", "0", "2000"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%q is not refused", args)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"-warehouse", dir, "2000"}, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
