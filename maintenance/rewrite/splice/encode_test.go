package splice_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// encodeFile encodes batches, a row group each, column by column.
func encodeFile(t testing.TB, rng *rand.Rand, target *splice.Target, groups ...arrow.RecordBatch) []byte {
	t.Helper()
	columns := make([][]splice.Column, len(groups))
	for i := range int(groups[0].NumCols()) {
		pages := &splice.PageBuffer{}
		e, err := target.NewColumnEncoder(i, pages)
		if err != nil {
			t.Fatal(err)
		}
		for g, rows := range groups {
			if g > 0 && rng.IntN(3) == 0 {
				pages = &splice.PageBuffer{}
				e.Reset(pages)
			}
			appendSlices(t, rng, e, rows.Column(i))
			estimate := e.EncodedBytes()
			encoded, err := e.Finish()
			if err != nil {
				t.Fatal(err)
			}
			if encoded.Rows() != rows.NumRows() || encoded.Bytes() > 0 && estimate <= 0 {
				t.Errorf("%d rows of %d, %d bytes estimated as %d", encoded.Rows(), rows.NumRows(), encoded.Bytes(), estimate)
			}
			columns[g] = append(columns[g], splice.Column{Encoded: encoded, Pages: pages})
		}
	}
	var out bytes.Buffer
	w, err := target.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		if err := w.WriteEncoded(context.Background(), c); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// appendSlices appends an array in random pieces, half of them in memory that is
// used for something else afterwards, as that of sorts is.
func appendSlices(t testing.TB, rng *rand.Rand, e *splice.ColumnEncoder, a arrow.Array) {
	t.Helper()
	for at := 0; at < a.Len(); {
		n := min(a.Len()-at, rng.IntN(1+rng.IntN(2*a.Len())))
		part := array.NewSlice(a, int64(at), int64(at+n))
		if rng.IntN(2) == 0 {
			appendBorrowed(t, e, part)
		} else if err := e.Append(part); err != nil {
			t.Fatal(err)
		}
		part.Release()
		at += n
	}
}

// appendBorrowed appends a copy of an array, and then destroys the copy.
func appendBorrowed(t testing.TB, e *splice.ColumnEncoder, a arrow.Array) {
	t.Helper()
	own, err := array.Concatenate([]arrow.Array{a}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Release()
	if err := e.Append(own); err != nil {
		t.Fatal(err)
	}
	overwrite(own.Data())
}

func overwrite(data arrow.ArrayData) {
	for _, b := range data.Buffers() {
		if b != nil {
			for i := range b.Bytes() {
				b.Bytes()[i] = 0xa5
			}
		}
	}
	for _, child := range data.Children() {
		overwrite(child)
	}
}

func randomSettings(rng *rand.Rand, codecs ...compress.Compression) splice.Settings {
	s := settings(pick(rng, codecs...))
	s.PageV2 = rng.IntN(2) == 0 && s.Codec != int32(compress.Codecs.Brotli)
	s.DictionaryBytes = pick[int64](rng, 100, 2000, 1<<20)
	s.PageBytes = pick[int64](rng, 200, 10_000, 1<<20)
	s.PageRows = pick[int64](rng, 30, 500, 20_000)
	if rng.IntN(4) == 0 {
		s.NoDictionary = []string{"s", "id"}
	}
	return s
}

// What is encoded is read as it was, and statistics and indexes hold for it.
func TestEncodedRowsAreRead(t *testing.T) {
	schema := everyType()
	codecs := []compress.Compression{
		compress.Codecs.Zstd, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Uncompressed, compress.Codecs.Lz4Raw, compress.Codecs.Brotli,
	}
	var n checked
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 11))
			as := schema
			if rng.IntN(3) == 0 {
				as = stricter(rng, schema)
			}
			s := randomSettings(rng, codecs...)
			target := newTarget(t, as, s)
			var groups []arrow.RecordBatch
			d := newData(rng)
			for range 1 + rng.IntN(3) {
				if rng.IntN(2) == 0 {
					d = newData(rng)
				}
				groups = append(groups, d.batch(as, pick(rng, 0, 1, 40, 700, 5000)))
			}
			out := encodeFile(t, rng, target, groups...)
			_, got := readFile(t, out)
			compareRows(t, retype(got, as), oneBatch(t, array.NewTableFromRecords(as, groups)))
			checkIndexes(t, out, got, &n)
			checkPageLimits(t, out, s)
			checkSpliced(t, target, out, got)
		})
	}
	if n.statistics == 0 || n.pages == 0 || n.bounds == 0 {
		t.Errorf("compared %+v", n)
	}
	t.Logf("%+v", n)
}

// checkSpliced compares with what splicing makes of the file, which checks
// headers and indexes for itself.
func checkSpliced(t *testing.T, target *splice.Target, b []byte, want arrow.RecordBatch) {
	t.Helper()
	_, got := readFile(t, spliceFiles(t, target, 100, b, b))
	compareRows(t, got, oneBatch(t, array.NewTableFromRecords(want.Schema(), []arrow.RecordBatch{want, want})))
}

// checkPageLimits checks that pages have no more rows than they may, and that
// every chunk has an offset index.
func checkPageLimits(t *testing.T, b []byte, s splice.Settings) {
	t.Helper()
	for g, group := range footerOf(t, b).RowGroups {
		for c := range group.Columns {
			chunk := &group.Columns[c]
			if group.NumRows == 0 {
				continue
			}
			x, err := format.ReadOffsetIndex(b[chunk.OffsetIndexOffset:][:chunk.OffsetIndexLength])
			if err != nil || len(x.Pages) == 0 {
				t.Fatalf("row group %d column %v: offset index of %d pages: %v", g, chunk.Meta.Path, len(x.Pages), err)
			}
			for i, p := range x.Pages {
				end := group.NumRows
				if i+1 < len(x.Pages) {
					end = x.Pages[i+1].FirstRow
				}
				if end <= p.FirstRow || end-p.FirstRow > s.PageRows {
					t.Errorf("row group %d column %v: page of %d rows", g, chunk.Meta.Path, end-p.FirstRow)
				}
			}
		}
	}
}

// A dictionary is kept where it makes a chunk smaller, and given up otherwise.
func TestDictionaries(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{field(1, "n", arrow.PrimitiveTypes.Int64, true)}, nil)
	for name, tc := range map[string]struct {
		rows, distinct, each int // values come each so often in a row
		limit                int64
		plain, indexed       bool
	}{
		"few values":          {rows: 50_000, distinct: 100, limit: 1 << 20, indexed: true},
		"all different":       {rows: 50_000, distinct: 50_000, limit: 1 << 20, plain: true},
		"does not pay":        {rows: 900, distinct: 880, limit: 1 << 20, plain: true},
		"grows too large":     {rows: 50_000, distinct: 25_000, each: 2, limit: 80_000, plain: true, indexed: true},
		"too large at once":   {rows: 50_000, distinct: 5000, limit: 80, plain: true},
		"one value":           {rows: 30_000, distinct: 1, limit: 80, indexed: true},
		"hardly any repeats":  {rows: 3000, distinct: 2990, limit: 1 << 20, plain: true},
		"one row":             {rows: 1, distinct: 1, limit: 1 << 20, plain: true},
		"half of them repeat": {rows: 20_000, distinct: 10_000, each: 2, limit: 1 << 20, indexed: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := array.NewInt64Builder(allocator)
			for i := range tc.rows {
				b.Append(int64(i / max(1, tc.each) % tc.distinct))
			}
			rows := array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, int64(tc.rows))
			s := settings(compress.Codecs.Snappy)
			s.DictionaryBytes, s.PageRows = tc.limit, 10_000
			out := encodeFile(t, rand.New(rand.NewPCG(1, 1)), newTarget(t, schema, s), rows)
			meta := footerOf(t, out).RowGroups[0].Columns[0].Meta
			plain, indexed := false, false
			for _, e := range meta.EncodingStats {
				plain = plain || e.Page == format.DataPage && e.Encoding == format.Plain
				indexed = indexed || e.Page == format.DataPage && e.Encoding == format.RLEDictionary
			}
			if plain != tc.plain || indexed != tc.indexed || indexed != meta.DictionaryPageOffset.Set {
				t.Errorf("plain %t, indexed %t, dictionary %t", plain, indexed, meta.DictionaryPageOffset.Set)
			}
			if indexed != slices.Contains(meta.Encodings, format.RLEDictionary) {
				t.Errorf("encodings %v", meta.Encodings)
			}
			_, got := readFile(t, out)
			compareRows(t, got, rows)
		})
	}
}
