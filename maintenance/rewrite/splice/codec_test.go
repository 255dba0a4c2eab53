package splice

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/firndb/firn/maintenance/internal/pagezstd"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// A level that somebody chose is the compressor's own, whatever would pay.
func TestChosenLevelIsKept(t *testing.T) {
	stock, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	var noise [100_000]byte
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	page := []byte(hex.EncodeToString(noise[:]))
	for _, level := range []int{1, 3, 9} {
		got, err := new(codecs).compress(format.Zstd, level, page, new(pagezstd.Choice))
		if err != nil {
			t.Fatal(err)
		}
		want := stock.EncodeLevel(make([]byte, stock.CompressBound(int64(len(page)))), page, level)
		if !bytes.Equal(got, want) {
			t.Errorf("level %d: %d bytes, want those of the compressor, %d", level, len(got), len(want))
		}
	}
}

// Pages of indices behind plain ones are refused, whoever asks for them: Spark's
// vectorized reader takes the values for indices.
func TestIndicesBehindPlainValuesAreRefused(t *testing.T) {
	var out bytes.Buffer
	page := func(e format.Encoding) *format.PageHeader {
		return &format.PageHeader{Type: format.DataPage, Encoding: e, Values: 1}
	}
	for name, tc := range map[string]struct {
		before format.Encoding
		x      info
		refuse bool
	}{
		"plain":   {format.Plain, info{}, true},
		"nulls":   {format.Plain, info{allNull: true}, false},
		"indices": {format.RLEDictionary, info{}, false},
	} {
		k := (&Writer{out: &out}).newChunk(nil)
		if err := k.put(page(tc.before), nil, &tc.x); err != nil {
			t.Fatal(err)
		}
		if err := k.put(page(format.RLEDictionary), nil, &info{}); (err != nil) != tc.refuse {
			t.Errorf("%s: %v", name, err)
		}
	}
}
