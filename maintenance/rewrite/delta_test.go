package rewrite_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// appendEncoded makes a file whose columns have other encodings than ours.
func (g *ground) appendEncoded(name string, ids ...int64) {
	g.t.Helper()
	path := filepath.Join(strings.TrimPrefix(g.load().Location(), "file://"), "data", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		g.t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		g.t.Fatal(err)
	}
	batch := g.batch(ids)
	props := parquet.NewWriterProperties(
		parquet.WithDictionaryDefault(false), parquet.WithCreatedBy("test"),
		parquet.WithEncodingFor("id", parquet.Encodings.DeltaBinaryPacked),
		parquet.WithEncodingFor("part", parquet.Encodings.ByteStreamSplit),
		parquet.WithEncodingFor("price", parquet.Encodings.ByteStreamSplit),
	)
	w, err := pqarrow.NewFileWriter(batch.Schema(), f, props, pqarrow.DefaultWriterProps())
	if err != nil {
		g.t.Fatal(err)
	}
	if err := w.Write(batch); err != nil {
		g.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		g.t.Fatal(err)
	}
	g.change(func(tx *table.Transaction) error {
		return tx.AddFiles(g.t.Context(), []string{"file://" + path}, nil, false)
	})
}

// Rows cannot be cut out of pages whose values are stored as differences, or
// byte by byte: these are decoded. Without deletes such pages move.
func TestDeletesFromDeltaPages(t *testing.T) {
	for _, version := range []string{"2", "3"} {
		g := newGround(t, version, nil, iceberg.Properties{"write.parquet.compression-codec": "snappy"})
		g.appendEncoded("a.parquet", count(1000)...)
		g.appendEncoded("b.parquet", count(500)...)
		g.execute(g.plan(all()))
		if !slices.Contains(g.chunk(0).Encodings(), parquet.Encodings.DeltaBinaryPacked) || !slices.Contains(g.chunk(2).Encodings(), parquet.Encodings.ByteStreamSplit) {
			t.Errorf("version %s: pages did not move: %v, %v", version, g.chunk(0).Encodings(), g.chunk(2).Encodings())
		}
		g.delete(3, 400, 999)
		g.deleteEqual(7, 8, 600)
		g.execute(g.plan(all()))
		if slices.Contains(g.chunk(0).Encodings(), parquet.Encodings.DeltaBinaryPacked) {
			t.Errorf("version %s: rows with deletes still have encodings %v", version, g.chunk(0).Encodings())
		}
		want := append(count(1000), count(500)...)
		want = slices.DeleteFunc(want, func(id int64) bool { return slices.Contains([]int64{3, 400, 999, 7, 8, 600}, id) })
		slices.Sort(want)
		g.wantIDs(want...)
		g.wantNoStrays()
		lines := g.plan(all())
		if lines.Groups[0].Rows != int64(len(want)) {
			t.Errorf("version %s: %d rows in the manifest, want %d", version, lines.Groups[0].Rows, len(want))
		}
	}
}
