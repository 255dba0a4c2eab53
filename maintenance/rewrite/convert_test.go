package rewrite_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// planConvert plans the conversion of a table's equality delete files.
func planConvert(t *testing.T, c *catalog.Catalog, name string, where iceberg.BooleanExpression) (*rewrite.ConvertPlan, error) {
	t.Helper()
	tbl, err := c.Load(context.Background(), strings.Split(name, "."))
	if err != nil {
		t.Fatal(err)
	}
	o, err := rewrite.ParseConvertOptions(nil, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	return rewrite.NewConvertPlan(context.Background(), rewrite.ConvertRequest{Table: tbl, Where: where, Options: o})
}

func (g *ground) planConvert() *rewrite.ConvertPlan {
	g.t.Helper()
	plan, err := planConvert(g.t, g.c, strings.Join(g.ident, "."), nil)
	if err != nil {
		g.t.Fatal(err)
	}
	return plan
}

// convert executes a plan, looks at what it leaves, and says how many files became
// how many.
func (g *ground) convert(plan *rewrite.ConvertPlan) string {
	g.t.Helper()
	r, err := plan.Execute(context.Background(), env(g.c))
	if err != nil {
		g.t.Fatal(err)
	}
	g.wantNoStrays()
	return fmt.Sprintf("%d → %d", r.ConvertedFiles, r.AddedFiles)
}

// convertAll converts all equality deletes and wants the rows to stay as they are,
// the data files too, and a second run to find nothing.
func (g *ground) convertAll(want string) {
	g.t.Helper()
	rows, data := g.ownRows(), g.dataPaths()
	plan := g.planConvert()
	if got := g.convert(plan); got != want {
		g.t.Errorf("%s files, want %s", got, want)
	}
	for _, now := range [][]string{g.ownRows(), libraryRows(g.t, g.load())} {
		if !slices.Equal(now, rows) {
			g.t.Errorf("rows\n%s\nbecame\n%s", strings.Join(rows, "\n"), strings.Join(now, "\n"))
		}
	}
	if now := g.dataPaths(); !slices.Equal(now, data) {
		g.t.Errorf("data files %q became %q", data, now)
	}
	seen := map[string]bool{}
	for _, e := range liveDeletes(g.t, g.load()) {
		df := e.DataFile()
		if df.ContentType() == iceberg.EntryContentEqDeletes {
			g.t.Errorf("%q is left", df.FilePath())
		}
		if path := maintenance.ReferencedFile(df); maintenance.IsDV(df) && seen[path] {
			g.t.Errorf("%q has two vectors", path)
		} else if maintenance.IsDV(df) {
			seen[path] = true
		}
	}
	if again := g.planConvert(); again.Files() != 0 || len(again.Groups) != 0 {
		g.t.Errorf("a second run finds %d files", again.Files())
	}
}

// dataPaths are the paths of the live data files, sorted.
func (g *ground) dataPaths() []string {
	var paths []string
	for _, f := range g.dataFiles() {
		paths = append(paths, f.FilePath())
	}
	slices.Sort(paths)
	return paths
}

// deleteRows deletes rows by equality of the fields of those ids; fill appends the
// rows to a builder of the table's columns.
func (g *ground) deleteRows(fields []int, fill func(b *array.RecordBuilder)) {
	g.t.Helper()
	deleteByKeys(g.t, g.load(), fields, fill)
}

// Field report 77: equality deletes could only be got rid of by rewriting the data.
// Rows deleted by position, by several equality deletes, or written again later.
func TestEqualityDeletesBecomePositions(t *testing.T) {
	for name, tc := range map[string]struct {
		version, granularity string
		spec                 *iceberg.PartitionSpec
		want                 string
		files                []string
	}{
		// 2 and 3 of the first file, 6 and 7 of the second.
		"by file":      {"2", "file", nil, "2 → 2", []string{"PARQUET of 1 at 4, one file: false", "PARQUET of 1 at 5, one file: true", "PARQUET of 2 at 5, one file: true"}},
		"by partition": {"2", "partition", nil, "2 → 1", []string{"PARQUET of 1 at 4, one file: false", "PARQUET of 3 at 5, one file: false"}},
		"partitioned":  {"2", "file", byPart(), "2 → 2", []string{"PARQUET of 1 at 4, one file: false", "PARQUET of 1 at 5, one file: true", "PARQUET of 2 at 5, one file: true"}},
		"vectors":      {"3", "file", nil, "2 → 2", []string{"PUFFIN of 2 at 5, one file: true", "PUFFIN of 2 at 5, one file: true"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, tc.version, tc.spec, iceberg.Properties{"write.delete.granularity": tc.granularity})
			g.append(1, 2, 3, 4)
			g.append(5, 6, 7, 8)
			g.deleteEqual(2, 6, 99)
			g.delete(3)
			g.deleteEqual(3, 7)
			g.append(2, 9)
			g.convertAll(tc.want)
			g.wantIDs(1, 2, 4, 5, 8, 9)
			wantFiles(t, g, tc.files...)
			if s := g.load().CurrentSnapshot().Summary; s.Operation != table.OpDelete || s.Properties["removed-equality-delete-files"] != "2" ||
				s.Properties["total-equality-deletes"] != "0" || s.Properties["deleted-data-files"] != "" {
				t.Errorf("summary %+v", s)
			}
			// What comes after works on.
			g.delete(1)
			g.deleteEqual(8)
			g.convertAll("1 → 1")
			g.execute(g.plan(all()))
			g.wantIDs(2, 4, 5, 9)
		})
	}
}

// Keys are equal as they are for readers: NULL equals NULL and NaN NaN, while zeros
// of different sign differ. The library neither writes nor reads such deletes by
// floating-point columns.
func TestConvertKeys(t *testing.T) {
	negative := math.Copysign(0, -1)
	for _, version := range []string{"2", "3"} {
		g := newGround(t, "2", nil, nil)
		g.appendPrices(negative, 0, math.NaN(), 1)
		appendRows(t, g.load(), func(b *array.RecordBuilder) {
			b.Field(0).(*array.Int64Builder).AppendValues([]int64{7, 8, 9}, []bool{true, true, false})
			b.Field(1).(*array.Int32Builder).AppendNulls(3)
			b.Field(2).(*array.Float64Builder).AppendValues([]float64{0, 1, 0}, []bool{false, true, false})
		})
		g.addKeys([]string{"price"}, func(b *array.RecordBuilder) {
			b.Field(0).(*array.Float64Builder).AppendValues([]float64{negative, math.NaN()}, nil)
		})
		g.addKeys([]string{"price", "id"}, func(b *array.RecordBuilder) {
			b.Field(0).(*array.Float64Builder).AppendValues([]float64{0, 0, 1}, []bool{false, false, true})
			b.Field(1).(*array.Int64Builder).AppendValues([]int64{7, 0, 9}, []bool{true, false, true})
		})
		if version == "3" {
			g.upgrade()
		}
		want := []string{"1|0|0|", "3|0|1|", "8|(null)|1|"}
		if rows := g.ownRows(); !slices.Equal(rows, want) {
			t.Fatalf("rows %q, want %q", rows, want)
		}
		g.convertAll("2 → 2")
	}
}

// A column that the deletes name may have been renamed, widened or dropped since,
// or be younger than data files, which then have NULL or its default there.
func TestConvertEvolvedKeys(t *testing.T) {
	column := func(name string) []string { return []string{name} }
	added := func(value iceberg.Literal) func(u *table.UpdateSchema) *table.UpdateSchema {
		return func(u *table.UpdateSchema) *table.UpdateSchema {
			return u.AddColumn(column("extra"), iceberg.PrimitiveTypes.Int32, "", false, value)
		}
	}
	long := table.ColumnUpdate{FieldType: iceberg.Optional[iceberg.Type]{Valid: true, Val: iceberg.PrimitiveTypes.Int64}}
	five := int32(5)
	for name, tc := range map[string]struct {
		change func(u *table.UpdateSchema) *table.UpdateSchema
		// key is the field that the deletes are by. If it is that of the new column,
		// they come after the change, with this value of it or NULL.
		key   int
		value *int32
		want  []string
	}{
		"renamed":       {func(u *table.UpdateSchema) *table.UpdateSchema { return u.RenameColumn(column("part"), "zone") }, 2, nil, []string{"1|0|0.5|", "2|0|1|"}},
		"dropped":       {func(u *table.UpdateSchema) *table.UpdateSchema { return u.DeleteColumn(column("part")) }, 2, nil, []string{"1|0.5|", "2|1|"}},
		"widened":       {func(u *table.UpdateSchema) *table.UpdateSchema { return u.UpdateColumn(column("part"), long) }, 2, nil, []string{"1|0|0.5|", "2|0|1|"}},
		"added":         {added(nil), 4, nil, nil},
		"not the value": {added(iceberg.Int32Literal(five)), 4, nil, []string{"101|1|50.5|5|", "102|1|51|5|", "1|0|0.5|5|", "2|0|1|5|"}},
		"the default":   {added(iceberg.Int32Literal(five)), 4, &five, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "3", nil, nil)
			g.append(1, 2, 101, 102)
			evolve := func() {
				g.change(func(tx *table.Transaction) error { return tc.change(tx.UpdateSchema(true, false)).Commit() })
			}
			if tc.key == 4 {
				evolve()
			}
			g.deleteRows([]int{tc.key}, func(b *array.RecordBuilder) {
				b.Field(0).(*array.Int64Builder).Append(0)
				b.Field(1).(*array.Int32Builder).Append(1)
				b.Field(2).(*array.Float64Builder).AppendNull()
				switch {
				case tc.key == 4 && tc.value != nil:
					b.Field(3).(*array.Int32Builder).Append(*tc.value)
				case tc.key == 4:
					b.Field(3).(*array.Int32Builder).AppendNull()
				}
			})
			if tc.key != 4 {
				evolve()
			}
			if rows := g.ownRows(); !slices.Equal(rows, tc.want) {
				t.Fatalf("rows %q, want %q", rows, tc.want)
			}
			added := 1
			if len(tc.want) == 4 {
				added = 0
			}
			g.convertAll(fmt.Sprintf("1 → %d", added))
		})
	}
}

// A file of Hive lacks the column that it is partitioned by: equality deletes that
// name the column compare the value of its partition, as in Spark.
func TestEqualityDeletesOfImportedFiles(t *testing.T) {
	for _, job := range []string{"convert", "rewrite", "sort"} {
		for _, memory := range []int64{64, 1 << 28} {
			g := newGround(t, "2", byPart(), nil)
			g.importFile(map[int]any{1000: int32(1)}, []string{"id", "price"}, func(b *array.RecordBuilder) {
				b.Field(0).(*array.Int64Builder).AppendValues([]int64{101, 102, 103}, nil)
				b.Field(1).(*array.Float64Builder).AppendValues([]float64{1, 2, 3}, nil)
			})
			g.deleteRows([]int{1, 2}, func(b *array.RecordBuilder) {
				b.Field(0).(*array.Int64Builder).AppendValues([]int64{102, 103}, nil)
				b.Field(1).(*array.Int32Builder).AppendValues([]int32{1, 1}, nil)
				b.Field(2).(*array.Float64Builder).AppendNulls(2)
			})
			want := []string{"101|1|1|"}
			if rows := g.ownRows(); !slices.Equal(rows, want) {
				t.Fatalf("rows %q, want %q", rows, want)
			}
			e := env(g.c)
			e.Limits.MemoryBytes = memory
			var err error
			switch job {
			case "convert":
				_, err = g.planConvert().Execute(t.Context(), e)
			case "rewrite":
				_, err = g.plan(all()).Execute(t.Context(), e)
			default:
				_, err = planSorted(t, g.c, "ns.t", "id DESC", all()).Execute(t.Context(), e)
			}
			if rows := g.ownRows(); err != nil || !slices.Equal(rows, want) {
				t.Errorf("%s: rows %q, want %q (%v)", job, rows, want, err)
			}
			if rows := libraryRows(t, g.load()); job != "convert" && !slices.Equal(rows, want) {
				t.Errorf("%s: rows %q, want %q", job, rows, want)
			}
		}
	}
}

// Position deletes are written as Avro where the table wants that.
func TestConvertToAvro(t *testing.T) {
	g := newGround(t, "2", byPart(), iceberg.Properties{"write.delete.format.default": "avro"})
	g.append(1, 2, 3, 101, 102)
	g.deleteEqual(2, 3, 101)
	rows := g.ownRows()
	if got := g.convert(g.planConvert()); got != "2 → 2" {
		t.Error(got)
	}
	wantFiles(t, g, "AVRO of 1 at 2, one file: true", "AVRO of 2 at 2, one file: true")
	if now := g.ownRows(); len(now) != 2 || !slices.Equal(now, rows) {
		t.Errorf("rows %q became %q", rows, now)
	}
}

// A delete file that applies to nothing goes: those of the second commit are older
// than all data that is left.
func TestConvertWhatAppliesToNothing(t *testing.T) {
	g := newGround(t, "2", byPart(), nil)
	g.append(1, 101)
	g.deleteEqual(1, 101, 201)
	g.execute(g.plan(all()))
	g.append(2, 201)
	plan := g.planConvert()
	if n := plan.Files(); n == 0 || len(plan.Groups[0].Data) != 0 || plan.Groups[0].OutputFiles != 0 {
		t.Fatalf("%d files, groups %+v; the trap is not set", n, plan.Groups)
	}
	g.convertAll(fmt.Sprintf("%d → 0", plan.Files()))
	if op := g.load().CurrentSnapshot().Summary.Operation; op != table.OpReplace {
		t.Errorf("operation %s", op)
	}
	g.wantIDs(2, 201)
}

func TestConvertWhere(t *testing.T) {
	g := newGround(t, "2", byPart(), nil)
	g.append(1, 2, 101, 102, 201, 202)
	g.deleteEqual(1, 101, 201)
	for name, tc := range map[string]struct {
		where iceberg.BooleanExpression
		files int
	}{
		"one partition": {iceberg.EqualTo(iceberg.Reference("part"), int32(1)), 1},
		"other column":  {iceberg.EqualTo(iceberg.Reference("id"), int64(5)), 3},
		"no partition":  {iceberg.EqualTo(iceberg.Reference("part"), int32(9)), 0},
	} {
		plan, err := planConvert(t, g.c, "ns.t", tc.where)
		if err != nil || plan.Files() != tc.files || plan.Unmatched != int64(3-tc.files) {
			t.Errorf("%s: %+v, %v", name, plan, err)
		}
	}
	plan, err := planConvert(t, g.c, "ns.t", iceberg.EqualTo(iceberg.Reference("part"), int32(1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := g.convert(plan); got != "1 → 1" {
		t.Error(got)
	}
	g.wantIDs(2, 102, 202)
	g.convertAll("2 → 2")
	g.wantIDs(2, 102, 202)
}

// Keys that do not fit into memory are looked for in several passes, and vectors
// that do not are written into several files.
func TestConvertInLittleMemory(t *testing.T) {
	for _, version := range []string{"2", "3"} {
		g := manyDeletes(t, version)
		rows := libraryRows(t, g.load())
		least := env(g.c)
		least.Limits.MemoryBytes = 64
		if _, err := g.planConvert().Execute(t.Context(), least); err != nil {
			t.Fatal(err)
		}
		if now := libraryRows(t, g.load()); !slices.Equal(now, rows) {
			t.Errorf("version %s: %d rows, want %d", version, len(now), len(rows))
		}
		g.wantNoStrays()
	}
}

func TestCancelledConvertLeavesNothing(t *testing.T) {
	for _, version := range []string{"2", "3"} {
		g := newGround(t, version, byPart(), nil)
		g.append(1, 2, 101, 102)
		g.deleteEqual(1, 101)
		plan := g.planConvert()
		ctx, cancel := context.WithCancel(context.Background())
		e := env(g.c)
		e.Progress = func(maintenance.Update) { cancel() }
		if _, err := plan.Execute(ctx, e); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		g.wantNoStrays()
		g.wantIDs(2, 102)
	}
}
