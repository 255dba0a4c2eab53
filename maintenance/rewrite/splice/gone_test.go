package splice_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// goneRows chooses rows of a row group that are gone: none, few, many, runs of
// them, all but some, or all.
func goneRows(rng *rand.Rand, rows int64) []uint32 {
	var gone []uint32
	share := pick(rng, 0, 1, 5, 50, 97, 100)
	run := pick(rng, 1, 1, 40, 1000)
	is := false
	for i := range rows {
		if i%int64(run) == 0 {
			is = rng.IntN(100) < share
		}
		if is {
			gone = append(gone, uint32(i))
		}
	}
	return gone
}

// cutFiles splices files without random rows, and says which rows stay.
func cutFiles(t *testing.T, rng *rand.Rand, target *splice.Target, n int, files ...[]byte) (out []byte, stay []bool) {
	t.Helper()
	out = spliceParts(t, target, n, func(p *splice.Part) {
		rows := p.Rows()
		if p.Source.Cuttable(p.RowGroup) {
			p.Gone = goneRows(rng, rows)
		}
		left := slices.Repeat([]bool{true}, int(rows))
		for _, i := range p.Gone {
			left[i] = false
		}
		stay = append(stay, left...)
	}, files...)
	return out, stay
}

// Splicing without some rows gives what reading and leaving them out gives, and
// bounds that are those of the rows that stay.
func TestRowsAreLeftOut(t *testing.T) {
	schema := everyType()
	codecs := []compress.Compression{compress.Codecs.Zstd, compress.Codecs.Snappy, compress.Codecs.Uncompressed}
	var n checked
	exact := 0
	for seed := range uint64(80) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 11))
			s := settings(pick(rng, codecs...))
			s.PageV2 = rng.IntN(3) == 0
			s.CopyBytes = pick[int64](rng, 0, 1000, 1<<20)
			s.DictionaryBytes = pick[int64](rng, 100, 2000, 1<<20)
			s.PageBytes = pick[int64](rng, 200, 1<<20)
			s.PageRows = pick[int64](rng, 30, 20_000)
			target := newTarget(t, schema, s)
			var files [][]byte
			var all []arrow.RecordBatch
			d := newData(rng)
			for range 1 + rng.IntN(5) {
				if rng.IntN(3) == 0 {
					d = newData(rng)
				}
				as := schema
				if rng.IntN(2) == 0 {
					as = stricter(rng, schema)
				}
				b := randomStyle(rng, pick(rng, compress.Compression(s.Codec), pick(rng, codecs...))).file(t, as, d.batch(as, pick(rng, 1, 20, 500, 3000)))
				files = append(files, b)
				_, rows := readFile(t, b)
				all = append(all, retype(rows, schema))
			}
			out, stay := cutFiles(t, rng, target, pick(rng, 1, 3, 100), files...)
			_, got := readFile(t, out)
			compareRows(t, got, filter(t, oneBatch(t, array.NewTableFromRecords(schema, all)), stay))
			checkIndexes(t, out, got, &n)
			exact += checkExact(t, out, got)
		})
	}
	if n.statistics == 0 || n.pages == 0 || n.bounds == 0 || exact == 0 {
		t.Errorf("compared %+v, %d", n, exact)
	}
	t.Logf("%+v, %d exact", n, exact)
}

func filter(t *testing.T, rows arrow.RecordBatch, stay []bool) arrow.RecordBatch {
	t.Helper()
	b := array.NewBooleanBuilder(memory.DefaultAllocator)
	b.AppendValues(stay, nil)
	out, err := compute.FilterRecordBatch(context.Background(), rows, b.NewArray(), compute.DefaultFilterOptions())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkExact wants the bounds of chunks to be values, and values to have bounds.
func checkExact(t *testing.T, b []byte, rows arrow.RecordBatch) (compared int) {
	t.Helper()
	first := 0
	for _, group := range footerOf(t, b).RowGroups {
		for _, chunk := range group.Columns {
			column := flatColumn(rows, chunk.Meta.Path)
			if column == nil || column.DataType().ID() == arrow.DECIMAL128 || column.DataType().ID() == arrow.BOOL || column.DataType().ID() == arrow.FIXED_SIZE_BINARY {
				continue
			}
			low, high, values := false, false, 0
			s := chunk.Meta.Statistics
			for i := first; i < first+int(group.NumRows); i++ {
				if column.IsNull(i) || isNaN(column, i) {
					continue
				}
				values++
				if s.Min != nil {
					low = low || within(column, i, s.Min, s.Min) || zeroBound(chunk.Meta.Type, s.Min)
					high = high || within(column, i, s.Max, s.Max) || zeroBound(chunk.Meta.Type, s.Max)
				}
			}
			if floats := chunk.Meta.Type == format.Float || chunk.Meta.Type == format.Double; floats && s.Min == nil {
				// A part has NaNs only, or nulls.
				continue
			}
			if values > 0 && (!low || !high) {
				t.Errorf("column %v: bounds %x and %x of %d values are exact: %t, %t", chunk.Meta.Path, s.Min, s.Max, values, low, high)
			}
			compared += values
		}
		first += int(group.NumRows)
	}
	return compared
}

func isNaN(column arrow.Array, i int) bool {
	switch a := column.(type) {
	case *array.Float32:
		return math.IsNaN(float64(a.Value(i)))
	case *array.Float64:
		return math.IsNaN(a.Value(i))
	}
	return false
}

// zeroBound says whether a bound stands for either zero.
func zeroBound(t format.Type, v []byte) bool {
	return (t == format.Float || t == format.Double) && (v[len(v)-1] == 0 || v[len(v)-1] == 0x80) && bytes.Count(v[:len(v)-1], []byte{0}) == len(v)-1
}
