package rewrite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/internal/rowkey"
	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/maintenance/sortorder"

	"github.com/firndb/firn/catalog"
)

// planSorted plans a rewrite of a table in an order.
func planSorted(t *testing.T, c *catalog.Catalog, name, order string, options map[string]string) *rewrite.Plan {
	t.Helper()
	tbl, err := c.Load(t.Context(), strings.Split(name, "."))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := sortorder.Parse(order)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := parsed.Bind(tbl.Metadata())
	if err != nil {
		t.Fatal(err)
	}
	strategy := rewrite.Sort
	if parsed.Curve != sortorder.None {
		strategy = rewrite.Strategy(parsed.Curve)
	}
	o, err := strategy.ParseOptions(options, tbl.Metadata())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := rewrite.NewPlan(t.Context(), rewrite.Request{Table: tbl, Options: o, Order: bound})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// tiny is an environment in which every batch is spilled.
func tiny(t *testing.T, c *catalog.Catalog) maintenance.Env {
	e := env(c)
	e.Limits.MemoryBytes, e.Limits.ScratchDir = 1, t.TempDir()
	return e
}

// keysOf makes the keys of an order over the rows of a schema.
func keysOf(t *testing.T, schema *iceberg.Schema, o sortorder.Bound) *rowkey.Encoder {
	t.Helper()
	var fields []rowkey.Field
	for _, f := range o.Fields {
		fields = append(fields, rowkey.Field{ID: f.SourceID(), Transform: f.Transform, Descending: f.Direction == table.SortDESC, NullsLast: f.NullOrder == table.NullsLast})
	}
	var curve *rowkey.Curve
	if o.Curve != sortorder.None {
		curve = &rowkey.Curve{Columns: o.Columns, Hilbert: o.Curve == sortorder.Hilbert, VarLength: 8, MaxBytes: math.MaxInt32}
	}
	e, err := rowkey.NewEncoder(schema, fields, curve)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wantOrdered wants every file in order, and the files of a partition not to
// overlap.
func wantOrdered(t *testing.T, tbl *table.Table, o sortorder.Bound) {
	t.Helper()
	type span struct{ first, last []byte }
	spans := map[string][]span{}
	tasks, err := tbl.Scan().PlanFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := keysOf(t, tbl.Schema(), o)
	for _, task := range tasks {
		var s span
		_, batches, err := tbl.Scan().ReadTasks(t.Context(), []table.FileScanTask{task})
		if err != nil {
			t.Fatal(err)
		}
		for batch, err := range batches {
			if err != nil {
				t.Fatal(err)
			}
			keys, err := e.Encode(batch)
			if err != nil {
				t.Fatal(err)
			}
			for i := range keys.Len() {
				if s.first == nil {
					s.first = keys.At(i)
				}
				if bytes.Compare(s.last, keys.At(i)) > 0 {
					t.Fatalf("%s: row %d out of order: %x after %x", task.File.FilePath(), i, keys.At(i), s.last)
				}
				s.last = keys.At(i)
			}
		}
		partition := fmt.Sprint(task.File.SpecID(), task.File.Partition())
		spans[partition] = append(spans[partition], s)
	}
	for partition, list := range spans {
		slices.SortFunc(list, func(a, b span) int {
			return 2*bytes.Compare(a.first, b.first) + bytes.Compare(a.last, b.last)
		})
		for i := 1; i < len(list); i++ {
			if bytes.Compare(list[i-1].last, list[i].first) > 0 {
				t.Errorf("partition %s: files overlap", partition)
			}
		}
	}
}

// TestSortedRewriteOfRandomTables sorts tables with deletes of each kind, in
// memory and with every batch spilled, and wants the same rows with the same
// lineage, in order.
func TestSortedRewriteOfRandomTables(t *testing.T) {
	orders := []string{"id DESC", "price DESC NULLS LAST, id", "bucket(4, id), price NULLS LAST, part DESC", "truncate(10, id) DESC, price", "zorder(id, price)", "hilbert(price, id)"}
	for i, order := range orders {
		for j, spec := range []*iceberg.PartitionSpec{nil, byPart()} {
			version := fmt.Sprint(1 + (i+j)%3)
			t.Run(fmt.Sprint(order, " v", version, " partitioned ", spec != nil), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(i), uint64(j)))
				g := randomGround(t, r, version, spec)
				e := env(g.c)
				if r.IntN(2) == 0 {
					e = tiny(t, g.c)
				}
				sortAndCheck(t, g, order, e)
			})
		}
	}
}

func sortAndCheck(t *testing.T, g *ground, order string, e maintenance.Env) {
	t.Helper()
	rows := g.ids()
	var lineage []string
	if g.load().Metadata().Version() > 2 {
		lineage = g.lineage()
	}
	options := map[string]string{rewrite.OptionMinInputFiles: "2", rewrite.OptionTargetFileSize: "6500"}
	plan := planSorted(t, g.c, "ns.t", order, options)
	if len(plan.Groups) == 0 {
		t.Fatal("nothing to do")
	}
	result, err := plan.Execute(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if result.RewrittenFiles != plan.Files() {
		t.Errorf("planned %d files, did %+v", plan.Files(), result)
	}
	g.wantIDs(rows...)
	if lineage != nil && !slices.Equal(g.lineage(), lineage) {
		t.Error("the lineage of rows has changed")
	}
	wantOrdered(t, g.load(), plan.Order)
	for _, df := range g.dataFiles() {
		if id := df.SortOrderID(); id == nil || *id != 0 {
			t.Errorf("%s: sort order %v", df.FilePath(), id)
		}
	}
	if again := planSorted(t, g.c, "ns.t", order, options); len(again.Groups) > 0 {
		t.Errorf("a second run selects %d files: %s", again.Files(), again.Groups[0].Reason)
	}
	g.wantNoStrays()
}

// randomGround is a table of some files with random rows, many of them equal, and
// deletes.
func randomGround(t *testing.T, r *rand.Rand, version string, spec *iceberg.PartitionSpec) *ground {
	t.Helper()
	g := newGround(t, version, spec, nil)
	some := func(n int) []int64 {
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = int64(r.IntN(300))
		}
		return ids
	}
	for range 6 {
		g.append(some(1 + r.IntN(400))...)
		g.appendPrices(0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), r.NormFloat64())
		if version != "1" && r.IntN(2) == 0 {
			g.delete(some(5)...)
		}
		if version != "1" && r.IntN(3) == 0 {
			g.deleteEqual(some(3)...)
		}
	}
	return g
}

// TestSortInAnyMemory wants the same rows in the same order, whether all fit into
// memory or keys and columns go through scratch space, and whether files store
// columns or rows.
func TestSortInAnyMemory(t *testing.T) {
	for _, order := range []string{"price DESC, part", "zorder(id, price)"} {
		var want []string
		for i, limit := range []int64{1 << 30, 200 << 10, 1, 1 << 30, 200 << 10, 1} {
			g := randomGround(t, rand.New(rand.NewPCG(21, 22)), "3", nil)
			if i >= 3 {
				setProperties(t, g.c, g.ident, writesAvro)
			}
			e := tiny(t, g.c)
			e.Limits.MemoryBytes = limit
			plan := planSorted(t, g.c, "ns.t", order, all())
			if _, err := plan.Execute(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			tasks, err := g.load().Scan().PlanFiles(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			columns := append(g.load().Schema().Fields(), iceberg.NestedField{ID: datafile.RowID, Name: "_row_id", Type: iceberg.PrimitiveTypes.Int64})
			for batch, err := range datafile.Read(t.Context(), g.load(), columns, tasks) {
				if err != nil {
					t.Fatal(err)
				}
				rows = appendLines(rows, batch)
				batch.Release()
			}
			if want == nil {
				want = rows
			}
			if len(rows) < 500 || !slices.Equal(rows, want) {
				t.Errorf("%s in %d bytes: other rows, or in another order", order, limit)
			}
		}
	}
}

// TestSortIntoPartitionsOfZeros tells the two zeros apart, as partitions do.
func TestSortIntoPartitionsOfZeros(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	for range 2 {
		g.appendPrices(0, math.Copysign(0, -1), 1, 0, math.Copysign(0, -1))
	}
	g.change(func(tx *table.Transaction) error {
		return tx.UpdateSpec(false).AddField("price", iceberg.IdentityTransform{}, "price").Commit()
	})
	plan := planSorted(t, g.c, "ns.t", "id", all())
	if r, err := plan.Execute(t.Context(), env(g.c)); err != nil || result(r) != "2 → 3" {
		t.Errorf("%s, %v", result(r), err)
	}
	rows := map[string]int64{}
	for _, df := range g.dataFiles() {
		rows[fmt.Sprint(df.Partition())] += df.Count()
	}
	if want := map[string]int64{"map[1000:0]": 4, "map[1000:-0]": 4, "map[1000:1]": 2}; !maps.Equal(rows, want) {
		t.Errorf("partitions %v", rows)
	}
	g.wantNoStrays()
}

// TestSortAfterSpecChange sorts files of an older spec into new partitions.
func TestSortAfterSpecChange(t *testing.T) {
	for _, limit := range []string{"in memory", "spilled"} {
		t.Run(limit, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			for range 3 {
				g.append(count(500)...)
			}
			rows := g.ids()
			g.change(func(tx *table.Transaction) error {
				return tx.UpdateSpec(false).AddField("part", iceberg.IdentityTransform{}, "part").Commit()
			})
			e := env(g.c)
			if limit == "spilled" {
				e = tiny(t, g.c)
			}
			plan := planSorted(t, g.c, "ns.t", "price DESC", all())
			r, err := plan.Execute(t.Context(), e)
			if err != nil || result(r) != "3 → 5" {
				t.Errorf("%s, %v", result(r), err)
			}
			g.wantIDs(rows...)
			wantOrdered(t, g.load(), plan.Order)
			g.wantNoStrays()
		})
	}
}

// TestSortOfDeletedRowsAfterSpecChange has no row that says to which partition it
// goes.
func TestSortOfDeletedRowsAfterSpecChange(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	g.append(1, 102)
	g.append(2, 103)
	g.deleteEqual(1, 2, 102, 103)
	g.change(func(tx *table.Transaction) error {
		return tx.UpdateSpec(false).AddField("part", iceberg.IdentityTransform{}, "part").Commit()
	})
	if r, err := planSorted(t, g.c, "ns.t", "id", all()).Execute(t.Context(), env(g.c)); err != nil || result(r) != "2 → 0" {
		t.Errorf("%s, %v", result(r), err)
	}
	g.wantIDs()
	g.wantNoStrays()
}

// TestSortTypes sorts every table of the lake with more than one type by each of
// its columns.
func TestSortTypes(t *testing.T) {
	for _, name := range []string{"types.all_types", "types.java_types", "types.time_type", "types.v3_nanos", "types.v3_types", "types.v3_unknown", "analytics.evolved"} {
		t.Run(name, func(t *testing.T) {
			lake := lakefixture.Open(t, catalog.Hooks{})
			ident := strings.Split(name, ".")
			before, err := lake.Catalog.Load(t.Context(), ident)
			if err != nil {
				t.Fatal(err)
			}
			sorted := 0
			for _, f := range before.Schema().Fields() {
				quoted := "`" + f.Name + "`"
				if _, ok := f.Type.(*iceberg.StructType); ok {
					quoted += "." + "`" + f.Type.(*iceberg.StructType).FieldList[0].Name + "`"
				}
				for _, order := range []string{quoted + " DESC", "zorder(" + quoted + ")"} {
					parsed, err := sortorder.Parse(order)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := parsed.Bind(before.Metadata()); err != nil {
						if !strings.Contains(err.Error(), f.Name) || !errors.Is(err, maintenance.ErrInvalid) {
							t.Errorf("%s: %v", order, err)
						}
						continue
					}
					plan := planSorted(t, lake.Catalog, name, order, all())
					e := tiny(t, lake.Catalog)
					if sorted%3 == 2 {
						e = env(lake.Catalog)
					}
					if _, err := plan.Execute(t.Context(), e); err != nil {
						t.Fatalf("%s: %v", order, err)
					}
					now, err := lake.Catalog.Load(t.Context(), ident)
					if err != nil {
						t.Fatal(err)
					}
					wantOrdered(t, now, plan.Order)
					sorted++
				}
			}
			if sorted == 0 {
				t.Error("no column was sorted by")
			}
			lake.Check(t, ident...)
		})
	}
}

// TestSortRefusesWithoutScratch says how much scratch space is missing, before
// anything is done.
func TestSortRefusesWithoutScratch(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	g.append(count(50)...)
	g.append(count(50)...)
	e := tiny(t, g.c)
	e.Limits.ScratchBytes = 100
	plan := planSorted(t, g.c, "ns.t", "id", all())
	_, err := plan.Execute(t.Context(), e)
	if want := fmt.Sprint(3*plan.Bytes()-100, " more"); !errors.Is(err, maintenance.ErrRefused) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	g.wantNoStrays()
}

// TestSortedRewriteCancelled leaves nothing behind.
func TestSortedRewriteCancelled(t *testing.T) {
	for _, format := range []string{"parquet", "avro"} {
		g := newGround(t, "2", nil, nil)
		g.append(count(50)...)
		g.append(count(50)...)
		setProperties(t, g.c, g.ident, iceberg.Properties{"write.format.default": format})
		ctx, cancel := context.WithCancel(t.Context())
		e := tiny(t, g.c)
		e.Progress = func(maintenance.Update) { cancel() }
		if _, err := planSorted(t, g.c, "ns.t", "id", all()).Execute(ctx, e); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", format, err)
		}
		g.wantNoStrays()
		g.wantIDs(slices.Sorted(slices.Values(append(count(50), count(50)...)))...)
	}
}
