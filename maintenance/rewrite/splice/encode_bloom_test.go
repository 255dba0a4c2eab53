package splice_test

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// The Bloom filters of encoded columns have all values, whether these are in a
// dictionary, plain, or first the one and then the other; and not many more.
func TestBloomFiltersAreMade(t *testing.T) {
	schema := everyType()
	for name, limit := range map[string]int64{"dictionary": 1 << 20, "plain": 1, "both": 4000} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 3))
			d := newData(rng)
			d.distinct["1"], d.distinct["6"], d.nulls["6"] = 700, 700, 10
			s := settings(compress.Codecs.Zstd)
			s.DictionaryBytes, s.PageRows = limit, 500
			s.Bloom = []string{"id", "s", "dec30"}
			s.Filters = splice.Bloom{MaxBytes: 1 << 20, Values: map[string]int64{"s": 1000}, Rates: map[string]float64{"s": 0.001}}
			one, other := d.batch(schema, 2500), d.batch(schema, 100)
			r, _ := readFile(t, encodeFile(t, rng, newTarget(t, schema, s), one, other))
			ids, texts := filterOf(t, r, 0, 0), filterOf(t, r, 0, 5)
			if ids.Size() != 1<<20 || texts.Size() >= 1<<20 {
				t.Errorf("filters of %d and %d bytes", ids.Size(), texts.Size())
			}
			id, text := one.Column(0).(*array.Int64), one.Column(5).(*array.String)
			for i := range int(one.NumRows()) {
				if !ids.CheckHash(metadata.GetHash(ids.Hasher(), id.Value(i))) {
					t.Fatalf("the filter lacks %d", id.Value(i))
				}
				if text.IsValid(i) && !texts.CheckHash(metadata.GetHash(texts.Hasher(), parquet.ByteArray(text.Value(i)))) {
					t.Fatalf("the filter lacks %q", text.Value(i))
				}
			}
			wrong := 0
			for i := range int64(1000) {
				if ids.CheckHash(metadata.GetHash(ids.Hasher(), i*7+1)) {
					wrong++
				}
			}
			if wrong > 100 {
				t.Errorf("the filter has %d of 1000 other values", wrong)
			}
			if f := filterOf(t, r, 1, 10); f.Size() == 0 {
				t.Error("an empty filter of decimals")
			}
		})
	}
}
