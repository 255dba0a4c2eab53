package rewrite_test

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/rewrite"
)

// Files of every codec are written, and their pages moved and compressed anew.
func TestCodecs(t *testing.T) {
	for name, want := range map[string]compress.Compression{
		"zstd": compress.Codecs.Zstd, "Snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip, "brotli": compress.Codecs.Brotli,
		"LZ4_RAW": compress.Codecs.Lz4Raw, "lz4": compress.Codecs.Lz4Raw, "uncompressed": compress.Codecs.Uncompressed,
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			g.append(count(1000)...)
			g.append(count(1000)...)
			g.change(func(tx *table.Transaction) error {
				return tx.SetProperties(iceberg.Properties{"write.parquet.compression-codec": name})
			})
			check := func(options map[string]string, codec compress.Compression) {
				t.Helper()
				g.execute(g.plan(options))
				if got := g.chunk(0).Compression(); got != codec {
					t.Errorf("the codec is %s, want %s", got, codec)
				}
				g.wantIDs(repeated(count(1000), 2)...)
			}
			check(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionDecodeAll: "true"}, want)
			check(all(), want)
			g.change(func(tx *table.Transaction) error {
				return tx.SetProperties(iceberg.Properties{"write.parquet.compression-codec": "zstd"})
			})
			g.delete(5)
			g.execute(g.plan(all()))
			if got := g.chunk(0).Compression(); got != compress.Codecs.Zstd {
				t.Errorf("the codec is %s after a change to zstd", got)
			}
			if ids := g.ids(); len(ids) != 1998 || slices.Contains(ids, 5) {
				t.Errorf("%d rows", len(ids))
			}
		})
	}
}

// repeated are ids that are there n times, sorted.
func repeated(ids []int64, n int) []int64 {
	out := slices.Repeat(ids, n)
	slices.Sort(out)
	return out
}
