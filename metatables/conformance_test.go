package metatables_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/golden"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/metatables"
)

// TestEqualsSpark reads every metadata table of every table that Spark's
// answers are known for, now and at older snapshots.
func TestEqualsSpark(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	for _, name := range golden.Tables(t) {
		want := golden.Load(t, name)
		tbl := load(t, lake, name)
		for _, m := range metatables.All() {
			t.Run(name+"/"+m.Name, func(t *testing.T) {
				result := want.MetadataTables[m.Name]
				compareRows(t, tbl, m, name, nil, result)
				if result.Error == nil {
					schema, err := m.Schema(tbl)
					if err != nil {
						t.Fatal(err)
					}
					result.CheckSchema(t, golden.Schema(schema))
				}
			})
			for travel, result := range want.TimeTravel {
				if strings.HasPrefix(travel, m.Name+"_") {
					t.Run(name+"/"+travel, func(t *testing.T) {
						compareRows(t, tbl, m, name, versionOf(t, tbl, result.Statement), result)
					})
				}
			}
		}
	}
}

// TestDifferences checks that each difference is still one.
func TestDifferences(t *testing.T) {
	lake := lakefixture.Open(t, catalog.Hooks{})
	for _, d := range differences() {
		tbl, want := load(t, lake, d.table), golden.Load(t, d.table)
		for _, m := range metatables.All() {
			result := want.MetadataTables[m.Name]
			if found, ok := differenceAt(d.table, m.Name, result.Error != nil); !ok || found != d {
				continue
			}
			_, err := rowsOf(tbl, m, nil)
			switch {
			case (result.Error != nil) != (d.spark != "") || result.Error != nil && !strings.Contains(result.Error.Message, d.spark):
				t.Errorf("%s of %s: Spark says %+v, want %q", m.Name, d.table, result.Error, d.spark)
			case (err != nil) != (d.firn != "") || err != nil && !strings.Contains(err.Error(), d.firn):
				t.Errorf("%s of %s: Firn says %v, want %q", m.Name, d.table, err, d.firn)
			}
		}
	}
}

func load(t *testing.T, lake *lakefixture.Lake, name string) *table.Table {
	t.Helper()
	tbl, err := lake.Catalog.Load(context.Background(), table.Identifier(strings.Split(name, ".")))
	if err != nil {
		t.Fatal(err)
	}
	return tbl
}

// versionOf is the snapshot that a statement's VERSION AS OF means.
func versionOf(t *testing.T, tbl *table.Table, statement string) *int64 {
	t.Helper()
	_, version, ok := strings.Cut(statement, " VERSION AS OF ")
	if !ok {
		t.Fatalf("no version in %q", statement)
	}
	if ref, ok := strings.CutPrefix(version, "'"); ok {
		snapshot := tbl.Metadata().SnapshotByName(strings.TrimSuffix(ref, "'"))
		if snapshot == nil {
			t.Fatalf("no ref %s", version)
		}
		return &snapshot.SnapshotID
	}
	id, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return &id
}

func compareRows(t *testing.T, tbl *table.Table, m metatables.Table, name string, snapshot *int64, want golden.Result) {
	t.Helper()
	if want.Statement == "" {
		t.Fatal("Spark's answer is missing")
	}
	if _, differs := differenceAt(name, m.Name, want.Error != nil); differs {
		return // TestDifferences
	}
	rows, err := rowsOf(tbl, m, snapshot)
	if err != nil {
		t.Fatal(err)
	}
	want.CheckRows(t, rows)
}

func rowsOf(tbl *table.Table, m metatables.Table, snapshot *int64) ([]string, error) {
	var rows []string
	for batch, err := range m.Read(context.Background(), tbl, metatables.Request{Snapshot: snapshot}) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, golden.Lines(batch)...)
		batch.Release()
	}
	slices.Sort(rows)
	return rows, nil
}
