package demo

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/catalog"
)

func openLake(t *testing.T) *catalog.Catalog {
	t.Helper()
	dir := t.TempDir()
	c, err := catalog.Open(context.Background(), catalog.Config{Name: "oleander", Properties: map[string]string{
		"type": "sql", "uri": "file:" + filepath.Join(dir, "catalog.db"), "warehouse": "file://" + filepath.Join(dir, "warehouse"),
	}}, catalog.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPrepareMakesTheSameTablesAgain(t *testing.T) {
	ctx := context.Background()
	c := openLake(t)
	now := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	for range 2 {
		if err := Prepare(ctx, c, now); err != nil {
			t.Fatal(err)
		}
		tbl, err := c.Load(ctx, events())
		if err != nil {
			t.Fatal(err)
		}
		tasks, err := tbl.Scan().PlanFiles(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(tasks) != 9 {
			t.Errorf("%v has %d files, want 9", events(), len(tasks))
		}
		if tbl, err = c.Load(ctx, orders()); err != nil {
			t.Fatal(err)
		}
		if tasks, err = tbl.Scan().PlanFiles(ctx); err != nil {
			t.Fatal(err)
		}
		if len(tasks) != orderDays*orderBatches {
			t.Errorf("%v has %d files, want %d", orders(), len(tasks), orderDays*orderBatches)
		}
	}
}

func TestPrepareLeavesForeignTablesAlone(t *testing.T) {
	ctx := context.Background()
	c := openLake(t)
	if err := c.Iceberg().CreateNamespace(ctx, events()[:1], nil); err != nil {
		t.Fatal(err)
	}
	schema := testSchema()
	if _, err := c.Iceberg().CreateTable(ctx, events(), schema); err != nil {
		t.Fatal(err)
	}
	if err := Prepare(ctx, c, time.Now()); err == nil {
		t.Fatal("a table that the demo has not made was replaced")
	}
	tbl, err := c.Load(ctx, events())
	if err != nil {
		t.Fatal(err)
	}
	if !tbl.Schema().Equals(schema) {
		t.Error("the table has changed")
	}
}

func testSchema() *iceberg.Schema {
	return iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64})
}
