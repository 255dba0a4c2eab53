package manifest_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance/manifest"
)

// lakeManifests are the manifests of the Spark-written lake, as the first
// manifest list that names them has them, with their content.
func lakeManifests(t testing.TB) (files []iceberg.ManifestFile, contents [][]byte) {
	t.Helper()
	root := filepath.Join(lakefixture.Testdata(t), "lake")
	lists, err := filepath.Glob(filepath.Join(root, "wh", "*", "*", "metadata", "snap-*.avro"))
	if err != nil || len(lists) == 0 {
		t.Fatal("no manifest lists", err)
	}
	seen := map[string]bool{}
	for _, list := range lists {
		content, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		manifests, err := iceberg.ReadManifestList(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range manifests {
			if seen[m.FilePath()] {
				continue
			}
			seen[m.FilePath()] = true
			content, err := os.ReadFile(filepath.Join(root, strings.TrimPrefix(m.FilePath(), "s3://lake/")))
			if os.IsNotExist(err) {
				continue // expired
			}
			if err != nil {
				t.Fatal(err)
			}
			files, contents = append(files, m), append(contents, content)
		}
	}
	return files, contents
}

// allLeaves are all leaves but those of single columns.
func allLeaves() []manifest.Leaf {
	var leaves []manifest.Leaf
	for k := manifest.Status; k <= manifest.ContentSize; k++ {
		leaves = append(leaves, manifest.Whole(k))
	}
	return leaves
}

// mapKinds are the maps by column id.
func mapKinds() []manifest.Kind {
	return []manifest.Kind{
		manifest.ColumnSizes, manifest.ValueCounts, manifest.NullValueCounts, manifest.NaNValueCounts, manifest.LowerBounds, manifest.UpperBounds,
	}
}

// blocks reads leaves of a manifest.
func blocks(file iceberg.ManifestFile, content []byte, leaves ...manifest.Leaf) ([]*manifest.Block, error) {
	var all []*manifest.Block
	err := manifest.Read(context.Background(), bytes.NewReader(content), file, &manifest.Schemas{}, leaves, func(b *manifest.Block) error {
		all = append(all, b)
		return nil
	})
	return all, err
}

// TestEqualsIceberg compares every entry of the lake with what iceberg-go's
// reader makes of it.
func TestEqualsIceberg(t *testing.T) {
	files, contents := lakeManifests(t)
	entries := 0
	for i, m := range files {
		want, err := iceberg.ReadManifest(m, bytes.NewReader(contents[i]), false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := blocks(m, contents[i], allLeaves()...)
		if err != nil {
			t.Fatalf("%s: %v", m.FilePath(), err)
		}
		at := 0
		for _, b := range got {
			for row := range b.Rows {
				if difference := compare(b, row, want[at]); difference != "" {
					t.Errorf("%s: entry %d: %s", m.FilePath(), at, difference)
				}
				at++
			}
		}
		if at != len(want) {
			t.Errorf("%s: %d entries, want %d", m.FilePath(), at, len(want))
		}
		entries += at
	}
	t.Logf("%d entries of %d manifests", entries, len(files))
}

// TestPickedColumns compares leaves of single columns with the whole maps, and
// each leaf alone with what it is among others.
func TestPickedColumns(t *testing.T) {
	files, contents := lakeManifests(t)
	for i, m := range files {
		whole, err := blocks(m, contents[i], allLeaves()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range mapKinds() {
			one, other := manifest.Of(kind, 1), manifest.Of(kind, 999)
			picked, err := blocks(m, contents[i], other, one)
			if err != nil {
				t.Fatal(err)
			}
			for j, b := range picked {
				maps := whole[j].Columns[manifest.Whole(kind)].(*manifest.Maps)
				for row := range b.Rows {
					place, ok := maps.Find(row, 1)
					if got := pickedText(b.Columns[one], row); got != mapText(maps, kind, place, ok) {
						t.Errorf("%s: entry %d: column 1 of %d is %s alone", m.FilePath(), row, kind, got)
					}
					if got := pickedText(b.Columns[other], row); got != "" {
						t.Errorf("%s: entry %d: column 999 of %d is %s", m.FilePath(), row, kind, got)
					}
				}
			}
		}
		for _, leaf := range allLeaves() {
			alone, err := blocks(m, contents[i], leaf)
			if err != nil {
				t.Fatal(err)
			}
			for j, b := range alone {
				if b.Rows != whole[j].Rows || b.Columns[leaf].Size() != whole[j].Columns[leaf].Size() {
					t.Errorf("%s: leaf %v is not the same alone", m.FilePath(), leaf)
				}
			}
		}
	}
}

func pickedText(c manifest.Column, row int) string {
	switch c := c.(type) {
	case *manifest.Longs:
		if v, ok := c.At(row); ok {
			return longText(v)
		}
	case *manifest.Bytes:
		if v := c.At(row); v != nil {
			return "x" + string(v)
		}
	}
	return ""
}

func mapText(m *manifest.Maps, kind manifest.Kind, place int, ok bool) string {
	switch {
	case !ok:
		return ""
	case slices.Contains([]manifest.Kind{manifest.LowerBounds, manifest.UpperBounds}, kind):
		return "x" + string(m.Bytes(place))
	}
	return longText(m.Long(place))
}
