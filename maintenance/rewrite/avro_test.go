package rewrite_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/twmb/avro/ocf"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/maintenance/sortorder"
)

// setProperties sets properties of a table.
func setProperties(t *testing.T, c *catalog.Catalog, ident table.Identifier, props iceberg.Properties) {
	t.Helper()
	tbl, err := c.Iceberg().LoadTable(t.Context(), ident)
	if err != nil {
		t.Fatal(err)
	}
	tx := tbl.NewTransaction()
	if err := tx.SetProperties(props); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

var writesAvro = iceberg.Properties{"write.format.default": "avro"}

// liveRows is a line for each row with its lineage, file by file; the library does
// not read Avro.
func liveRows(t testing.TB, c *catalog.Catalog, ident table.Identifier) (files [][]string, tasks []table.FileScanTask) {
	t.Helper()
	tbl, err := c.Load(t.Context(), ident)
	if err != nil {
		t.Fatal(err)
	}
	if tasks, err = tbl.Scan().PlanFiles(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A large file is planned as several tasks.
	tasks = slices.CompactFunc(tasks, func(a, b table.FileScanTask) bool { return a.File.FilePath() == b.File.FilePath() })
	columns := tbl.Schema().Fields()
	if tbl.Metadata().Version() > 2 {
		columns = append(columns,
			iceberg.NestedField{ID: datafile.RowID, Name: "_row_id", Type: iceberg.PrimitiveTypes.Int64},
			iceberg.NestedField{ID: datafile.LastUpdatedID, Name: "_last_updated_sequence_number", Type: iceberg.PrimitiveTypes.Int64})
	}
	for _, task := range tasks {
		var lines []string
		for batch, err := range datafile.Read(t.Context(), tbl, columns, []table.FileScanTask{task}) {
			if err != nil {
				t.Fatal(err)
			}
			lines = appendLines(lines, batch)
			batch.Release()
		}
		files = append(files, lines)
	}
	return files, tasks
}

// sortedRows are the rows of all files, sorted.
func sortedRows(files [][]string) []string {
	return slices.Sorted(slices.Values(slices.Concat(files...)))
}

// wantAvro wants data files to be as Java's Avro files are in manifests.
func wantAvro(t *testing.T, tasks []table.FileScanTask, sortOrder int) {
	t.Helper()
	for _, task := range tasks {
		f := task.File
		if f.FileFormat() != iceberg.AvroFile || path.Ext(f.FilePath()) != ".avro" {
			t.Errorf("%s is %s", f.FilePath(), f.FileFormat())
		}
		if n := len(f.ColumnSizes()) + len(f.ValueCounts()) + len(f.NullValueCounts()) + len(f.NaNValueCounts()) + len(f.LowerBoundValues()) + len(f.UpperBoundValues()); n > 0 || f.SplitOffsets() != nil {
			t.Errorf("%s has %d metrics and offsets %v", f.FilePath(), n, f.SplitOffsets())
		}
		if id := f.SortOrderID(); id == nil || *id != sortOrder {
			t.Errorf("%s: sort order %v", f.FilePath(), id)
		}
	}
}

// wantInOrder wants the rows of every file of a table in order.
func wantInOrder(t *testing.T, c *catalog.Catalog, ident table.Identifier, o sortorder.Bound) {
	t.Helper()
	tbl, err := c.Load(t.Context(), ident)
	if err != nil {
		t.Fatal(err)
	}
	_, tasks := liveRows(t, c, ident)
	e := keysOf(t, tbl.Schema(), o)
	for _, task := range tasks {
		var last []byte
		for batch, err := range datafile.Read(t.Context(), tbl, tbl.Schema().Fields(), []table.FileScanTask{task}) {
			if err != nil {
				t.Fatal(err)
			}
			keys, err := e.Encode(batch)
			if err != nil {
				t.Fatal(err)
			}
			for i := range keys.Len() {
				if bytes.Compare(last, keys.At(i)) > 0 {
					t.Fatalf("%s: row %d out of order", task.File.FilePath(), i)
				}
				last = append(last[:0], keys.At(i)...)
			}
			batch.Release()
		}
	}
}

// Tables with deletes of each kind, whose files are Parquet, then Parquet and Avro,
// then Avro, keep their rows and lineage in Avro files.
func TestAvroOfRandomTables(t *testing.T) {
	for i, order := range []string{"", "id DESC", "price DESC NULLS LAST, id", "zorder(id, price)", "hilbert(price, id)", ""} {
		for j, spec := range []*iceberg.PartitionSpec{nil, byPart()} {
			version := fmt.Sprint(1 + (i+j)%3)
			t.Run(fmt.Sprint(order, " v", version, " partitioned ", spec != nil), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(i), uint64(j)+7))
				g := randomGround(t, r, version, spec)
				setProperties(t, g.c, g.ident, writesAvro)
				for range 3 {
					e := env(g.c)
					if r.IntN(2) == 0 {
						e = tiny(t, g.c)
					}
					rewriteAsAvro(t, g, order, e)
					setProperties(t, g.c, g.ident, iceberg.Properties{"write.format.default": "parquet"})
					g.append(1, 102, 203)
					setProperties(t, g.c, g.ident, writesAvro)
				}
			})
		}
	}
}

func rewriteAsAvro(t *testing.T, g *ground, order string, e maintenance.Env) {
	t.Helper()
	before, _ := liveRows(t, g.c, g.ident)
	options := map[string]string{rewrite.OptionMinInputFiles: "2", rewrite.OptionTargetFileSize: "6500"}
	plan := func(options map[string]string) *rewrite.Plan {
		if order == "" {
			return g.plan(options)
		}
		return planSorted(t, g.c, "ns.t", order, options)
	}
	if _, err := plan(all()).Execute(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	first := plan(options)
	if _, err := first.Execute(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	after, tasks := liveRows(t, g.c, g.ident)
	if !slices.Equal(sortedRows(before), sortedRows(after)) {
		t.Errorf("%d rows became %d, or others", len(sortedRows(before)), len(sortedRows(after)))
	}
	wantAvro(t, tasks, 0)
	if order != "" {
		wantInOrder(t, g.c, g.ident, first.Order)
	}
	if again := plan(options); len(again.Groups) > 0 {
		t.Errorf("a second run selects %d files: %s", again.Files(), again.Groups[0].Reason)
	}
	g.wantNoStrays()
}

// Every table of the lake, with its types and its schema's history, keeps its rows.
func TestAvroOfTheLake(t *testing.T) {
	for _, order := range []string{"", "first"} {
		t.Run("order "+order, func(t *testing.T) {
			t.Parallel()
			lake := lakefixture.Open(t, catalog.Hooks{})
			lake.Add(t, "reading")
			rewritten := 0
			for _, ident := range tablesOf(t, lake.Catalog) {
				setProperties(t, lake.Catalog, ident, writesAvro)
				plan := planLake(t, lake.Catalog, ident, order, all())
				if plan == nil || plan.Files() == 0 || plan.Files() > 50 {
					continue
				}
				before, _ := liveRows(t, lake.Catalog, ident)
				e := env(lake.Catalog)
				if order != "" {
					e = tiny(t, lake.Catalog)
				}
				if _, err := plan.Execute(t.Context(), e); err != nil {
					t.Errorf("%v: %v", ident, err)
					continue
				}
				rewritten++
				after, tasks := liveRows(t, lake.Catalog, ident)
				b, a := sortedRows(before), sortedRows(after)
				for i := range b {
					if len(a) != len(b) || a[i] != b[i] {
						t.Errorf("%v: %d rows became %d, or row %d\n%s\n%s", ident, len(b), len(a), i, b[i], a[min(i, len(a)-1)])
						break
					}
				}
				wantAvro(t, tasks, 0)
			}
			if rewritten < 20 {
				t.Errorf("only %d tables were rewritten", rewritten)
			}
		})
	}
}

// Codec, level and metadata of files are as the table has it.
func TestAvroProperties(t *testing.T) {
	for codec, want := range map[string]string{"": "deflate", "gzip": "deflate", "ZSTD": "zstandard", "snappy": "snappy", "uncompressed": ""} {
		g := newGround(t, "2", nil, nil)
		g.append(1, 2)
		g.append(3)
		props := iceberg.Properties{"write.format.default": "avro", "write.avro.compression-level": "3"}
		if codec != "" {
			props["write.avro.compression-codec"] = codec
		}
		setProperties(t, g.c, g.ident, props)
		g.execute(g.plan(all()))
		for _, df := range g.dataFiles() {
			meta := avroMetadata(t, g, df.FilePath())
			if got := string(meta["avro.codec"]); got != want {
				t.Errorf("codec %q: written is %q", codec, got)
			}
			if schema := string(meta["iceberg.schema"]); !strings.Contains(schema, `"name":"price"`) {
				t.Errorf("schema %q", schema)
			}
		}
	}
}

// avroMetadata is what stands at the beginning of an Avro file.
func avroMetadata(t *testing.T, g *ground, path string) map[string][]byte {
	t.Helper()
	fs, err := g.load().FS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := fs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ocf.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Metadata()
}

// What a table says that cannot be is an error before anything is written.
func TestAvroPropertiesThatAreRefused(t *testing.T) {
	for want, props := range map[string]iceberg.Properties{
		`table property "write.avro.compression-codec": unsupported: there is no codec "lz4"; allowed are gzip, zstd, snappy and uncompressed`: {"write.avro.compression-codec": "lz4"},
		`table property "write.avro.compression-level": invalid argument: it must be 0 to 9 for gzip, or -1 for its default: got "11"`:         {"write.avro.compression-level": "11"},
	} {
		g := newGround(t, "2", nil, nil)
		g.append(1)
		g.append(2)
		props["write.format.default"] = "AVRO"
		setProperties(t, g.c, g.ident, props)
		_, err := g.plan(all()).Execute(t.Context(), env(g.c))
		if !errors.Is(err, maintenance.ErrUnsupported) && !errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		g.wantNoStrays()
	}
}

// Avro files are not cut, so that one that is too large is a bin of its own. What
// comes of it has about the same size, and is as many files as the preview says.
func TestLargeAvroFileIsSharedOut(t *testing.T) {
	g := newGround(t, "2", nil, iceberg.Properties{"write.avro.compression-codec": "uncompressed"})
	for range 2 {
		g.append(count(30_000)...)
	}
	setProperties(t, g.c, g.ident, writesAvro)
	g.execute(g.plan(all()))
	if n := len(g.dataFiles()); n != 1 {
		t.Fatalf("%d files", n)
	}
	size := g.dataFiles()[0].FileSizeBytes()
	options := map[string]string{rewrite.OptionTargetFileSize: fmt.Sprint(size / 2)}
	plan := g.plan(options)
	if len(plan.Groups) != 1 || plan.Groups[0].OutputFiles != 2 {
		t.Fatalf("planned %+v", plan.Groups)
	}
	if r := g.execute(plan); result(r) != "1 → 2" {
		t.Error(result(r))
	}
	for _, df := range g.dataFiles() {
		if off := df.FileSizeBytes() - size/2; off < -size/10 || off > size/10 {
			t.Errorf("a file of %d bytes, the old one had %d", df.FileSizeBytes(), size)
		}
	}
	if again := g.plan(options); len(again.Groups) > 0 {
		t.Errorf("a second run selects %d files", again.Files())
	}
}
