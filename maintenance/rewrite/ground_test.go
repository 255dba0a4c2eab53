package rewrite_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance/rewrite"
)

// ground is a catalog in a folder with one table, ns.t (id bigint, part int,
// price double), for tests that need more than the lake has.
type ground struct {
	t     *testing.T
	dir   string
	c     *catalog.Catalog
	ident table.Identifier
	// before, if set, is called before the next commit through the catalog, once.
	before func()
	// deny, if set, stands in for the catalog's commits.
	deny func() error
	// files, if set, stands in for the file system.
	files iceio.IO
}

func newGround(t *testing.T, version string, spec *iceberg.PartitionSpec, props iceberg.Properties) *ground {
	t.Helper()
	g := &ground{t: t, dir: t.TempDir(), ident: table.Identifier{"ns", "t"}}
	hooks := catalog.Hooks{Commit: func(ctx context.Context, ident table.Identifier, reqs []table.Requirement, updates []table.Update, next catalog.CommitFunc) (table.Metadata, string, error) {
		if f := g.before; f != nil {
			g.before = nil
			f()
		}
		if g.deny != nil {
			return nil, "", g.deny()
		}
		return next(ctx, ident, reqs, updates)
	}, IO: func(inner iceio.IO) iceio.IO {
		if g.files != nil {
			return g.files
		}
		return inner
	}}
	set, err := catalog.NewSet([]catalog.Config{{Name: "c", Properties: map[string]string{
		"type": "sql", "uri": "file:" + filepath.Join(g.dir, "catalog.db"), "warehouse": "file://" + g.dir,
	}}}, "", hooks)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if g.c, err = set.Get(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	if err := g.c.Iceberg().CreateNamespace(ctx, g.ident[:1], nil); err != nil {
		t.Fatal(err)
	}
	schema := iceberg.NewSchema(
		0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 2, Name: "part", Type: iceberg.PrimitiveTypes.Int32},
		iceberg.NestedField{ID: 3, Name: "price", Type: iceberg.PrimitiveTypes.Float64},
	)
	all := iceberg.Properties{"format-version": version, "write.delete.mode": "merge-on-read", "commit.retry.min-wait-ms": "1"}
	maps.Copy(all, props)
	opts := []icecat.CreateTableOpt{icecat.WithProperties(all)}
	if spec != nil {
		opts = append(opts, icecat.WithPartitionSpec(spec))
	}
	if _, err := g.c.Iceberg().CreateTable(ctx, g.ident, schema, opts...); err != nil {
		t.Fatal(err)
	}
	return g
}

// byPart is the spec identity(part).
func byPart() *iceberg.PartitionSpec {
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{2}, FieldID: 1000, Name: "part", Transform: iceberg.IdentityTransform{}})
	return &spec
}

func (g *ground) load() *table.Table {
	g.t.Helper()
	tbl, err := g.c.Iceberg().LoadTable(context.Background(), g.ident)
	if err != nil {
		g.t.Fatal(err)
	}
	return tbl
}

// change commits what do does in a transaction of the library.
func (g *ground) change(do func(tx *table.Transaction) error) {
	g.t.Helper()
	tx := g.load().NewTransaction()
	if err := do(tx); err != nil {
		g.t.Fatal(err)
	}
	if _, err := tx.Commit(context.Background()); err != nil {
		g.t.Fatal(err)
	}
}

// batch is rows with the ids; part is the id's third digit.
func (g *ground) batch(ids []int64) arrow.RecordBatch {
	schema, err := table.SchemaToArrowSchema(g.load().Schema(), nil, true, false)
	if err != nil {
		g.t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, id := range ids {
		b.Field(0).(*array.Int64Builder).Append(id)
		b.Field(1).(*array.Int32Builder).Append(int32(id / 100))
		b.Field(2).(*array.Float64Builder).Append(float64(id) / 2)
	}
	return b.NewRecordBatch()
}

// append makes one file (of each partition) with the ids.
func (g *ground) append(ids ...int64) {
	g.t.Helper()
	batch := g.batch(ids)
	rdr, err := array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
	if err != nil {
		g.t.Fatal(err)
	}
	defer rdr.Release()
	g.change(func(tx *table.Transaction) error { return tx.Append(context.Background(), rdr, nil) })
}

// delete deletes ids by position, or in version 3 by deletion vector.
func (g *ground) delete(ids ...int64) {
	g.t.Helper()
	g.change(func(tx *table.Transaction) error {
		return tx.Delete(context.Background(), iceberg.IsIn(iceberg.Reference("id"), ids...), nil)
	})
}

// deleteEqual deletes ids by equality.
func (g *ground) deleteEqual(ids ...int64) {
	g.t.Helper()
	fields := []int{1}
	full := g.batch(ids)
	columns, arrays := full.Schema().Fields()[:1], full.Columns()[:1]
	if spec := g.load().Spec(); !spec.IsUnpartitioned() {
		columns, arrays = full.Schema().Fields()[:2], full.Columns()[:2]
	}
	batch := array.NewRecordBatch(arrow.NewSchema(columns, nil), arrays, full.NumRows())
	var records iter.Seq2[arrow.RecordBatch, error] = func(yield func(arrow.RecordBatch, error) bool) { yield(batch, nil) }
	g.change(func(tx *table.Transaction) error {
		return tx.CommitEqualityDeletes(context.Background(), fields, records, nil)
	})
}

// ids are the ids of the table's rows, sorted.
func (g *ground) ids() []int64 {
	g.t.Helper()
	_, batches, err := g.load().Scan().ToArrowRecords(context.Background())
	if err != nil {
		g.t.Fatal(err)
	}
	var ids []int64
	for b, err := range batches {
		if err != nil {
			g.t.Fatal(err)
		}
		col := b.Column(0).(*array.Int64)
		for i := range col.Len() {
			ids = append(ids, col.Value(i))
		}
		b.Release()
	}
	slices.Sort(ids)
	return ids
}

func (g *ground) wantIDs(want ...int64) {
	g.t.Helper()
	if got := g.ids(); !slices.Equal(got, want) {
		g.t.Errorf("rows %v, want %v", got, want)
	}
}

func (g *ground) plan(options map[string]string) *rewrite.Plan {
	g.t.Helper()
	plan, err := g.tryPlan(nil, options)
	if err != nil {
		g.t.Fatal(err)
	}
	return plan
}

func (g *ground) tryPlan(where iceberg.BooleanExpression, options map[string]string) (*rewrite.Plan, error) {
	g.t.Helper()
	tbl, err := g.c.Load(context.Background(), g.ident)
	if err != nil {
		g.t.Fatal(err)
	}
	o, err := rewrite.ParseOptions(options, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	return rewrite.NewPlan(context.Background(), rewrite.Request{Table: tbl, Where: where, Options: o})
}

func (g *ground) execute(plan *rewrite.Plan) rewrite.Result {
	g.t.Helper()
	r, err := plan.Execute(context.Background(), env(g.c))
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

// all is options that rewrite every file.
func all() map[string]string { return map[string]string{rewrite.OptionRewriteAll: "true"} }

// strays are the files in the table's folder that nothing refers to.
func (g *ground) strays() []string {
	g.t.Helper()
	tbl := g.load()
	fs, err := tbl.FS(context.Background())
	if err != nil {
		g.t.Fatal(err)
	}
	known := map[string]bool{tbl.MetadataLocation(): true}
	for e := range tbl.Metadata().PreviousFiles() {
		known[e.MetadataFile] = true
	}
	for _, s := range tbl.Metadata().Snapshots() {
		known[s.ManifestList] = true
		manifests, err := s.Manifests(fs)
		if err != nil {
			g.t.Fatal(err)
		}
		for _, m := range manifests {
			known[m.FilePath()] = true
			for e, err := range m.Entries(fs, false) {
				if err != nil {
					g.t.Fatal(err)
				}
				known[e.DataFile().FilePath()] = true
			}
		}
	}
	var strays []string
	root := strings.TrimPrefix(tbl.Location(), "file://")
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !known[path] && !known["file://"+path] {
			strays = append(strays, path)
		}
		return err
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return strays
}

func (g *ground) wantNoStrays() {
	g.t.Helper()
	if s := g.strays(); len(s) > 0 {
		g.t.Errorf("unreferenced files: %s", strings.Join(s, ", "))
	}
}

// dataFiles are the live data files.
func (g *ground) dataFiles() []iceberg.DataFile {
	g.t.Helper()
	tasks, err := g.load().Scan().PlanFiles(context.Background())
	if err != nil {
		g.t.Fatal(err)
	}
	seen := map[string]bool{}
	var files []iceberg.DataFile
	for _, task := range tasks {
		if !seen[task.File.FilePath()] {
			seen[task.File.FilePath()] = true
			files = append(files, task.File)
		}
	}
	return files
}

func count(n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i)
	}
	return ids
}

func result(r rewrite.Result) string {
	return fmt.Sprintf("%d → %d", r.RewrittenFiles, r.AddedFiles)
}

// appendPrices makes a file with prices; ids do not matter.
func (g *ground) appendPrices(prices ...float64) {
	g.t.Helper()
	schema := g.batch(nil).Schema()
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i, p := range prices {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.Int32Builder).Append(0)
		b.Field(2).(*array.Float64Builder).Append(p)
	}
	rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{b.NewRecordBatch()})
	if err != nil {
		g.t.Fatal(err)
	}
	defer rdr.Release()
	g.change(func(tx *table.Transaction) error { return tx.Append(context.Background(), rdr, nil) })
}

// lineage is a line for each row, "id row-id sequence-number", sorted.
func (g *ground) lineage() []string {
	g.t.Helper()
	return lineageOf(g.t, g.c, strings.Join(g.ident, "."))
}

// lineageOf is a line for each row: its first column, row id and the sequence
// number of its last update.
func lineageOf(t *testing.T, c *catalog.Catalog, name string) []string {
	t.Helper()
	tbl, err := c.Load(context.Background(), strings.Split(name, "."))
	if err != nil {
		t.Fatal(err)
	}
	_, batches, err := tbl.Scan(table.WithRowLineage()).ToArrowRecords(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for b, err := range batches {
		if err != nil {
			t.Fatal(err)
		}
		n := int(b.NumCols())
		for i := range int(b.NumRows()) {
			lines = append(lines, b.Column(0).ValueStr(i)+" "+b.Column(n-2).ValueStr(i)+" "+b.Column(n-1).ValueStr(i))
		}
		b.Release()
	}
	slices.Sort(lines)
	return lines
}
