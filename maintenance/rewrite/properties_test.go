package rewrite_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// A compression level that the codec does not have is refused by name before
// anything is written.
func TestCompressionLevels(t *testing.T) {
	const key = "write.parquet.compression-level"
	for _, tc := range []struct {
		codec, level, says string
	}{
		{"gzip", "9", ""},
		{"gzip", "0", ""},
		{"gzip", "-1", ""},
		{"gzip", "10", "must be 0 to 9"},
		{"gzip", "-2", "must be 0 to 9"},
		{"gzip", "best", "must be a whole number"},
		{"brotli", "11", ""},
		{"brotli", "12", "must be 0 to 11"},
		{"zstd", "99", ""},
		{"snappy", "99", ""},
		{"lz4_raw", "99", ""},
	} {
		t.Run(tc.codec+" "+tc.level, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			g.append(1, 2)
			g.append(3)
			g.change(func(tx *table.Transaction) error {
				return tx.SetProperties(iceberg.Properties{"write.parquet.compression-codec": tc.codec, key: tc.level})
			})
			_, err := g.plan(all()).Execute(context.Background(), env(g.c))
			switch {
			case tc.says == "" && err != nil:
				t.Error(err)
			case tc.says != "" && (!errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), tc.says)):
				t.Errorf("error is %v", err)
			}
			g.wantIDs(1, 2, 3)
			g.wantNoStrays()
		})
	}
}

// Bloom filters are as large as the table says; sizes that make no sense are
// refused by name.
func TestBloomFilters(t *testing.T) {
	const prefix = "write.parquet.bloom-filter-"
	for name, tc := range map[string]struct {
		props iceberg.Properties
		bytes int64
		says  string
	}{
		"none":          {nil, 0, ""},
		"off":           {iceberg.Properties{prefix + "enabled.column.id": "false"}, 0, ""},
		"for a million": {iceberg.Properties{prefix + "ndv.column.id": "1000000"}, 1 << 20, ""},
		"for a hundred": {iceberg.Properties{prefix + "ndv.column.id": "100"}, 128, ""},
		"rarely wrong":  {iceberg.Properties{prefix + "ndv.column.id": "100", prefix + "fpp.column.id": "0.0001"}, 512, ""},
		"of a size":     {iceberg.Properties{prefix + "ndv.column.id": "1000000", prefix + "max-bytes": "4096"}, 4096, ""},
		"never wrong":   {iceberg.Properties{prefix + "fpp.column.id": "0"}, 0, prefix + "fpp.column.id"},
		"no number":     {iceberg.Properties{prefix + "ndv.column.id": "many"}, 0, prefix + "ndv.column.id"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			g.append(count(100)...)
			g.append(200)
			props := iceberg.Properties{prefix + "enabled.column.id": "true"}
			if tc.props == nil {
				clear(props)
			}
			maps.Copy(props, tc.props)
			g.change(func(tx *table.Transaction) error { return tx.SetProperties(props) })
			_, err := g.plan(all()).Execute(t.Context(), env(g.c))
			if tc.says != "" {
				if !errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("got %v", err)
				}
				g.wantNoStrays()
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			chunk, _ := firstChunk(t, g)
			// Beside the bits there is a header.
			if n := int64(chunk.BloomFilterLength()); n < tc.bytes || n > tc.bytes+64 || tc.bytes == 0 && n != 0 {
				t.Errorf("the filter has %d bytes, want %d", n, tc.bytes)
			}
		})
	}
}

// chunk is a column's chunk of a table's only file.
func (g *ground) chunk(column int) *metadata.ColumnChunkMetaData {
	g.t.Helper()
	r, err := file.OpenParquetFile(strings.TrimPrefix(g.dataFiles()[0].FilePath(), "file://"), false)
	if err != nil {
		g.t.Fatal(err)
	}
	defer r.Close()
	chunk, err := r.MetaData().RowGroup(0).ColumnChunk(column)
	if err != nil {
		g.t.Fatal(err)
	}
	return chunk
}

// firstChunk is the first column's chunk and pages of a table's only file.
func firstChunk(t *testing.T, g *ground) (*metadata.ColumnChunkMetaData, int) {
	t.Helper()
	r, err := file.OpenParquetFile(strings.TrimPrefix(g.dataFiles()[0].FilePath(), "file://"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	chunk, err := r.MetaData().RowGroup(0).ColumnChunk(0)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := r.RowGroup(0).GetColumnPageReader(0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for pages.Next() {
		if _, ok := pages.Page().(*file.DictionaryPage); !ok {
			n++
		}
	}
	if pages.Err() != nil {
		t.Fatal(pages.Err())
	}
	return chunk, n
}

// Pages of rows that are decoded end by rows and by bytes.
func TestPages(t *testing.T) {
	for name, tc := range map[string]struct {
		props iceberg.Properties
		pages int
	}{
		"default": {nil, 3},
		"rows":    {iceberg.Properties{"write.parquet.page-row-limit": "5000"}, 11},
		"bytes":   {iceberg.Properties{"write.parquet.page-size-bytes": "40000", "write.parquet.dict-size-bytes": "1000"}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			g.append(count(50_000)...)
			g.append(60_000)
			g.change(func(tx *table.Transaction) error { return tx.SetProperties(tc.props) })
			g.execute(g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionDecodeAll: "true"}))
			chunk, n := firstChunk(t, g)
			if n < tc.pages || n > tc.pages*3/2+1 {
				t.Errorf("%d pages, want about %d", n, tc.pages)
			}
			if chunk.GetColumnIndexLocation() == nil || chunk.GetOffsetIndexLocation() == nil {
				t.Error("no page index")
			}
		})
	}
}

// Columns have dictionaries where these pay, unless the table says otherwise.
func TestDictionaryProperty(t *testing.T) {
	for name, want := range map[string]bool{"": true, "true": true, "false": false} {
		g := newGround(t, "2", nil, nil)
		g.append(slices.Repeat([]int64{3}, 1000)...)
		g.append(4)
		if name != "" {
			g.change(func(tx *table.Transaction) error {
				return tx.SetProperties(iceberg.Properties{"write.parquet.dict-encoding-enabled.column.id": name})
			})
		}
		g.execute(g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionDecodeAll: "true"}))
		if chunk, _ := firstChunk(t, g); chunk.HasDictionaryPage() != want {
			t.Errorf("%q: dictionary %t", name, !want)
		}
	}
}
