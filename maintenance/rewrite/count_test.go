package rewrite_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/rewrite"
)

// Rows in less rows deleted is rows out, exactly, whatever deletes them: a row
// that goes missing or comes twice is noticed without asking the writer.
func TestRowsAreCounted(t *testing.T) {
	for name, deletes := range map[string]func(g *ground) int64{
		"nothing":     func(*ground) int64 { return 0 },
		"by position": func(g *ground) int64 { g.delete(3, 7, 103); return 3 },
		"by equality": func(g *ground) int64 { g.deleteEqual(3, 4, 104, 999); return 3 },
		// Rows deleted in two ways count once.
		"both": func(g *ground) int64 { g.deleteEqual(3, 4, 104); g.delete(5); g.deleteEqual(5, 6); return 5 },
	} {
		for _, version := range []string{"2", "3"} {
			for _, order := range []string{"", "id DESC"} {
				t.Run(fmt.Sprintf("%s, version %s, sorted by %q", name, version, order), func(t *testing.T) {
					g := newGround(t, version, nil, small())
					g.append(count(60)...)
					g.append(100, 101, 102, 103, 104)
					want := deletes(g)
					options := map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionTargetFileSize: "900"}
					plan := g.plan(options)
					if order != "" {
						plan = planSorted(t, g.c, "ns.t", order, options)
					}
					wantCounts(t, g, plan, want)
				})
			}
		}
	}
}

// wantCounts breaks the new files of a plan's group in several ways.
func wantCounts(t *testing.T, g *ground, plan *rewrite.Plan, want int64) {
	t.Helper()
	for name, change := range map[string]func([]iceberg.DataFile) []iceberg.DataFile{
		"":          func(files []iceberg.DataFile) []iceberg.DataFile { return files },
		"lost":      func(files []iceberg.DataFile) []iceberg.DataFile { return files[1:] },
		"twice":     func(files []iceberg.DataFile) []iceberg.DataFile { return append(files, files[0]) },
		"exchanged": func(files []iceberg.DataFile) []iceberg.DataFile { return []iceberg.DataFile{files[0], files[0]} },
	} {
		deleted, err := plan.Recheck(t.Context(), env(g.c), change)
		if deleted != want {
			t.Errorf("%d rows are deleted, want %d", deleted, want)
		}
		if wrong := name != ""; errors.Is(err, maintenance.ErrCorrupt) != wrong || err != nil && !wrong {
			t.Errorf("%s: got %v", name, err)
		}
	}
	g.wantNoStrays()
}

// manyDeletes is a table with deletes of both kinds, more than fit into little
// memory.
func manyDeletes(t *testing.T, version string) *ground {
	t.Helper()
	g := newGround(t, version, nil, small())
	g.append(count(1000)...)
	g.append(2000, 2001, 2002)
	g.deleteEqual(count(300)...)
	g.delete(301, 302)
	g.deleteEqual(302, 303, 2001)
	g.append(1, 2, 303)
	g.deleteEqual(2)
	return g
}

// Keys of equality deletes that do not fit into memory are looked for in several
// passes, with the same outcome.
func TestEqualityDeletesInPasses(t *testing.T) {
	for _, version := range []string{"2", "3"} {
		g := manyDeletes(t, version)
		tasks, err := g.load().Scan().PlanFiles(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i, o := range []datafile.Options{{}, {KeyBytes: 1, BatchRows: 64}, {KeyBytes: 1 << 20, BatchRows: 7, FilesAtOnce: 1}} {
			rows, deleted := readAll(t, g.load(), tasks, o)
			if i == 0 {
				want = rows
			}
			if len(rows) != 1006-305 || !slices.Equal(rows, want) || deleted != 305 {
				t.Errorf("version %s, %+v: %d rows, %d deleted", version, o, len(rows), deleted)
			}
		}
		least := env(g.c)
		least.Limits.MemoryBytes = 64
		plan := g.plan(all())
		if _, err := plan.Execute(t.Context(), least); err != nil {
			t.Fatal(err)
		}
		if rows := libraryRows(t, g.load()); !slices.Equal(rows, want) {
			t.Errorf("version %s: %d rows, want %d", version, len(rows), len(want))
		}
	}
}

// readAll reads tasks by the reader of data files: a line for each row, sorted, and
// how many are deleted.
func readAll(t *testing.T, tbl *table.Table, tasks []table.FileScanTask, o datafile.Options) ([]string, int64) {
	t.Helper()
	fs, err := tbl.FS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := datafile.NewReader(fs, tbl.Metadata(), tbl.Schema().Fields(), tasks, o).Rows(tasks)
	var lines []string
	for batch, err := range rows.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		lines = appendLines(lines, batch)
		batch.Release()
	}
	slices.Sort(lines)
	return lines, rows.Deleted()
}

// libraryRows reads a table by the library.
func libraryRows(t *testing.T, tbl *table.Table) []string {
	t.Helper()
	_, batches, err := tbl.Scan().ToArrowRecords(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for batch, err := range batches {
		if err != nil {
			t.Fatal(err)
		}
		lines = appendLines(lines, batch)
		batch.Release()
	}
	slices.Sort(lines)
	return lines
}

func appendLines(lines []string, batch arrow.RecordBatch) []string {
	for i := range int(batch.NumRows()) {
		line := ""
		for c := range int(batch.NumCols()) {
			line += batch.Column(c).ValueStr(i) + "|"
		}
		lines = append(lines, line)
	}
	return lines
}

// Avro data files become Parquet ones in a table that writes Parquet.
func TestAvroFilesAreRewritten(t *testing.T) {
	for _, order := range []string{"", "id"} {
		lake := lakefixture.Open(t, catalog.Hooks{})
		formats := map[iceberg.FileFormat]int{}
		ident := []string{"ops", "formats_avro"}
		load := func() *table.Table {
			tbl, err := lake.Catalog.Load(t.Context(), ident)
			if err != nil {
				t.Fatal(err)
			}
			return tbl
		}
		tx := load().NewTransaction()
		if err := tx.SetProperties(iceberg.Properties{"write.format.default": "parquet"}); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The library cannot read deletes in Avro files, which stay.
		read := func() []string {
			tasks, err := load().Scan().PlanFiles(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, task := range tasks {
				formats[task.File.FileFormat()]++
			}
			rows, _ := readAll(t, load(), tasks, datafile.Options{})
			return rows
		}
		before := read()
		if len(before) != 38 {
			t.Fatalf("%d rows, Spark has 38", len(before))
		}
		clear(formats)
		var err error
		if order == "" {
			_, err = rewriteTable(t, lake.Catalog, "ops.formats_avro", "", nil, all())
		} else {
			_, err = planSorted(t, lake.Catalog, "ops.formats_avro", order, all()).Execute(t.Context(), env(lake.Catalog))
		}
		if err != nil {
			t.Fatal(err)
		}
		if after := read(); !slices.Equal(after, before) || formats[iceberg.AvroFile] != 0 {
			t.Errorf("sorted by %q: files of %v, rows were\n%v\nand are\n%v", order, formats, before, after)
		}
	}
}
