package splice_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/firndb/firn/maintenance/rewrite/splice"
)

func newTarget(t testing.TB, schema *arrow.Schema, s splice.Settings) *splice.Target {
	t.Helper()
	target, err := splice.NewTarget(style{options: randomStyle(rand.New(rand.NewPCG(0, 0)), 0).options}.file(t, schema), s)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func settings(codec compress.Compression) splice.Settings {
	return splice.Settings{
		Codec: int32(codec), Level: compress.DefaultCompressionLevel, RowGroupBytes: 128 << 20, CopyBytes: 16 << 20,
		PageBytes: 1 << 20, PageRows: 20_000, DictionaryBytes: 2 << 20,
	}
}

// spliceFiles splices all row groups of files into row groups of up to n parts.
func spliceFiles(t testing.TB, target *splice.Target, n int, files ...[]byte) []byte {
	t.Helper()
	return spliceParts(t, target, n, func(*splice.Part) {}, files...)
}

// spliceParts is spliceFiles with parts that are changed before. Those of which
// no row is left are left out.
func spliceParts(t testing.TB, target *splice.Target, n int, change func(*splice.Part), files ...[]byte) []byte {
	t.Helper()
	ctx := context.Background()
	var out bytes.Buffer
	w, err := target.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	var parts []*splice.Part
	flush := func() {
		if len(parts) > 0 {
			if err := w.WriteRowGroup(ctx, parts); err != nil {
				t.Fatal(err)
			}
		}
		parts = nil
	}
	for i, b := range files {
		name := fmt.Sprint("file ", i)
		src, err := target.OpenBytes(ctx, name, b)
		if i%2 == 0 {
			src, err = target.Open(ctx, name, bytes.NewReader(b), int64(len(b)))
		}
		if err != nil {
			t.Fatal(err)
		}
		for g := range src.RowGroups() {
			p := &splice.Part{Source: src, RowGroup: g}
			if change(p); len(p.Gone) > 0 && p.Rows() == 0 {
				continue
			}
			if parts = append(parts, p); len(parts) == n {
				flush()
			}
		}
	}
	flush()
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readFile(t testing.TB, b []byte) (*file.Reader, arrow.RecordBatch) {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	fr, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := fr.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r, oneBatch(t, table)
}

func oneBatch(t testing.TB, table arrow.Table) arrow.RecordBatch {
	t.Helper()
	columns := make([]arrow.Array, table.NumCols())
	for i := range columns {
		chunks := table.Column(i).Data().Chunks()
		if len(chunks) == 0 {
			columns[i] = array.MakeArrayOfNull(memory.DefaultAllocator, table.Schema().Field(i).Type, 0)
			continue
		}
		var err error
		if columns[i], err = array.Concatenate(chunks, memory.DefaultAllocator); err != nil {
			t.Fatal(err)
		}
	}
	return array.NewRecordBatch(table.Schema(), columns, table.NumRows())
}

// Whatever the files are like, splicing them gives the rows that reading them
// one after another gives.
func TestRowsStayTheSame(t *testing.T) {
	schema := everyType()
	codecs := []compress.Compression{
		compress.Codecs.Zstd, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Uncompressed, compress.Codecs.Lz4Raw, compress.Codecs.Brotli,
	}
	var n checked
	for seed := range uint64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			s := settings(pick(rng, codecs...))
			s.PageV2 = rng.IntN(3) == 0
			s.CopyBytes = pick[int64](rng, 0, 1000, 1<<20)
			s.DictionaryBytes = pick[int64](rng, 100, 2000, 1<<20)
			s.PageBytes = pick[int64](rng, 200, 1<<20)
			s.PageRows = pick[int64](rng, 30, 20_000)
			target := newTarget(t, schema, s)
			mine := []compress.Compression{compress.Compression(s.Codec)}
			if rng.IntN(4) == 0 {
				mine = codecs
			}
			var files [][]byte
			var want []arrow.RecordBatch
			d := newData(rng)
			for range 1 + rng.IntN(8) {
				if rng.IntN(3) == 0 {
					d = newData(rng)
				}
				as := schema
				if rng.IntN(2) == 0 {
					as = stricter(rng, schema)
				}
				b := randomStyle(rng, mine...).file(t, as, d.batch(as, pick(rng, 1, 20, 500, 3000)))
				files = append(files, b)
				_, rows := readFile(t, b)
				want = append(want, retype(rows, schema))
			}
			out := spliceFiles(t, target, pick(rng, 1, 3, 100), files...)
			_, got := readFile(t, out)
			compareRows(t, got, oneBatch(t, array.NewTableFromRecords(schema, want)))
			checkIndexes(t, out, got, &n)
		})
	}
	if n.statistics == 0 || n.pages == 0 || n.bounds == 0 {
		t.Errorf("compared %+v", n)
	}
	t.Logf("%+v", n)
}

// Columns that one file has plain and the next with a dictionary, the other way
// round, and one whose dictionary ends in the middle.
func TestPlainValuesStayBehindIndices(t *testing.T) {
	schema := everyType()
	d := newData(rand.New(rand.NewPCG(5, 5)))
	var files [][]byte
	var all []arrow.RecordBatch
	for _, options := range [][]parquet.WriterProperty{
		{parquet.WithDictionaryDefault(false)},
		{parquet.WithDictionaryDefault(true)},
		{parquet.WithDictionaryDefault(true), parquet.WithDictionaryPageSizeLimit(200), parquet.WithBatchSize(20)},
	} {
		s := style{options: append(options, parquet.WithPageIndexEnabled(true), parquet.WithDataPageSize(300), parquet.WithCreatedBy("test"), parquet.WithStoreDecimalAsInteger(true))}
		rows := d.batch(schema, 400)
		all = append(all, rows)
		files = append(files, s.file(t, schema, rows))
	}
	for _, order := range [][]int{{0, 1}, {1, 0}, {1, 0, 1}, {2, 1}, {1, 2, 1}, {0, 2}} {
		var some [][]byte
		for _, i := range order {
			some = append(some, files[i])
		}
		set := settings(compress.Codecs.Uncompressed)
		set.DictionaryBytes = 1 << 20
		out := spliceFiles(t, newTarget(t, schema, set), len(some), some...)
		_, got := readFile(t, out)
		var want []arrow.RecordBatch
		for _, i := range order {
			want = append(want, all[i])
		}
		table := array.NewTableFromRecords(schema, want)
		rows := oneBatch(t, table)
		compareRows(t, got, rows)
		var n checked
		checkIndexes(t, out, rows, &n)
	}
}

func compareRows(t *testing.T, got, want arrow.RecordBatch) {
	t.Helper()
	if got.NumRows() != want.NumRows() {
		t.Fatalf("%d rows, want %d", got.NumRows(), want.NumRows())
	}
	for i := range int(want.NumCols()) {
		name := want.ColumnName(i)
		if !array.ApproxEqual(got.Column(i), want.Column(i), array.WithNaNsEqual(true), array.WithAbsTolerance(0)) {
			for row := range int(want.NumRows()) {
				if g, w := got.Column(i).ValueStr(row), want.Column(i).ValueStr(row); g != w {
					t.Errorf("column %s row %d is %s, want %s", name, row, g, w)
					break
				}
			}
			t.Errorf("column %s differs", name)
		}
	}
}
