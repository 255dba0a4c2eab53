package splice_test

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// Row groups that are copied keep their Bloom filters, each for its own values,
// wherever these lie in the new file; merged ones have none.
func TestBloomFiltersMove(t *testing.T) {
	schema := everyType()
	s := settings(compress.Codecs.Zstd)
	var files [][]byte
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 11))
		st := randomStyle(rng, compress.Codecs.Zstd)
		st.options = append(st.options, parquet.WithMaxRowGroupLength(300), parquet.WithBloomFilterEnabledFor("id", true), parquet.WithBloomFilterEnabledFor("s", true))
		d := newData(rng)
		d.distinct["1"], d.nulls["1"] = 1<<30, 0
		d.distinct["6"], d.nulls["6"] = 1<<30, 10
		files = append(files, st.file(t, schema, d.batch(schema, 700)))
	}
	s.CopyBytes = 0
	r, rows := readFile(t, spliceFiles(t, newTarget(t, schema, s), 1, files...))
	if n := r.NumRowGroups(); n != 9 {
		t.Fatalf("%d row groups", n)
	}
	first, absent := 0, 0
	for g := range r.NumRowGroups() {
		n := int(r.MetaData().RowGroup(g).NumRows())
		ids, texts := filterOf(t, r, g, 0), filterOf(t, r, g, 5)
		id, text := rows.Column(0).(*array.Int64), rows.Column(5).(*array.String)
		for i := range int(rows.NumRows()) {
			holds := ids.CheckHash(metadata.GetHash(ids.Hasher(), id.Value(i)))
			inside := i >= first && i < first+n
			if inside && (!holds || text.IsValid(i) && !texts.CheckHash(metadata.GetHash(texts.Hasher(), parquet.ByteArray(text.Value(i))))) {
				t.Fatalf("the filters of row group %d lack row %d", g, i)
			}
			if !inside && !holds {
				absent++
			}
		}
		first += n
	}
	if absent < int(rows.NumRows()) {
		t.Errorf("filters rule out %d rows of other row groups", absent)
	}
	s.CopyBytes = 1 << 30
	r, _ = readFile(t, spliceFiles(t, newTarget(t, schema, s), 100, files...))
	if r.MetaData().RowGroups[0].Columns[0].MetaData.IsSetBloomFilterOffset() {
		t.Error("a merged row group has the filter of one part")
	}
}

func filterOf(t *testing.T, r *file.Reader, group, column int) metadata.BloomFilter {
	t.Helper()
	g, err := r.GetBloomFilterReader().RowGroup(group)
	if err != nil {
		t.Fatal(err)
	}
	f, err := g.GetColumnBloomFilter(column)
	if err != nil || f == nil {
		t.Fatalf("filter of column %d of row group %d: %v, %v", column, group, f, err)
	}
	return f
}
