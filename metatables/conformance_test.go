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
	used := map[difference]bool{}
	for _, name := range golden.Tables(t) {
		want := golden.Load(t, name)
		tbl := load(t, lake, name)
		for _, m := range metatables.All() {
			t.Run(name+"/"+m.Name, func(t *testing.T) {
				result := want.MetadataTables[m.Name]
				compare(t, tbl, m, name, nil, result, used)
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
						compare(t, tbl, m, name, versionOf(t, tbl, result.Statement), result, used)
					})
				}
			}
		}
	}
	for _, d := range differences() {
		if !used[d] {
			t.Errorf("no answer falls under the difference of %s in %s any more", d.metadata, d.table)
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

func compare(t *testing.T, tbl *table.Table, m metatables.Table, name string, snapshot *int64, want golden.Result, used map[difference]bool) {
	if want.Statement == "" {
		t.Fatal("Spark's answer is missing")
	}
	var (
		rows []string
		err  error
	)
	for batch, batchErr := range m.Read(context.Background(), tbl, metatables.Request{Snapshot: snapshot}) {
		if err = batchErr; err != nil {
			break
		}
		rows = append(rows, golden.Lines(batch)...)
		batch.Release()
	}
	d, differs := differenceAt(name, m.Name, want.Error != nil)
	switch {
	case differs && d.refusedAs(err):
		used[d] = true
	case err != nil:
		t.Error(err)
	case differs && want.Error != nil && strings.Contains(want.Error.Message, d.spark):
		used[d] = true
	default:
		slices.Sort(rows)
		want.CheckRows(t, rows)
	}
}
