package rewrite_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/rewrite"
)

// A column that the table wants a Bloom filter for has one in every row group,
// with all its values, also where the old files have none and where deletes left
// rows out.
func TestNewFilesHaveTheTablesBloomFilters(t *testing.T) {
	for name, tc := range map[string]struct {
		options map[string]string
		delete  []int64
		order   string
	}{
		"small files":  {},
		"with deletes": {delete: []int64{1, 700}},
		"decode-all":   {options: map[string]string{rewrite.OptionDecodeAll: "true"}},
		"sorted":       {order: "id DESC"},
		"copied":       {options: map[string]string{rewrite.OptionCopyRowGroups: "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, nil)
			g.append(count(600)...)
			g.append(700, 701, 702)
			if tc.delete != nil {
				g.delete(tc.delete...)
			}
			g.change(func(tx *table.Transaction) error {
				return tx.SetProperties(iceberg.Properties{"write.parquet.bloom-filter-enabled.column.id": "true"})
			})
			want := g.ids()
			options := all()
			for k, v := range tc.options {
				options[k] = v
			}
			if tc.order != "" {
				g.execute(planSorted(t, g.c, "ns.t", tc.order, options))
			} else {
				g.execute(g.plan(options))
			}
			g.wantIDs(want...)
			rowGroups := 0
			found := map[int64]bool{}
			for _, df := range g.dataFiles() {
				for _, f := range filtersOf(t, strings.TrimPrefix(df.FilePath(), "file://")) {
					rowGroups++
					for _, id := range want {
						found[id] = found[id] || f.CheckHash(metadata.GetHash(f.Hasher(), id))
					}
				}
			}
			for _, id := range want {
				if !found[id] {
					t.Errorf("no filter of %d row groups has id %d", rowGroups, id)
				}
			}
		})
	}
}

// filtersOf are the filters of the first column, one of each row group.
func filtersOf(t *testing.T, path string) []metadata.BloomFilter {
	t.Helper()
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []metadata.BloomFilter
	for i := range r.NumRowGroups() {
		g, err := r.GetBloomFilterReader().RowGroup(i)
		if err != nil {
			t.Fatal(err)
		}
		f, err := g.GetColumnBloomFilter(0)
		if err != nil || f == nil {
			t.Fatalf("%s: filter of row group %d: %v, %v", path, i, f, err)
		}
		out = append(out, f)
	}
	return out
}
