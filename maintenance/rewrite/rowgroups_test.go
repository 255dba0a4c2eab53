package rewrite_test

import (
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/rewrite"
)

// The Parquet library ends row groups at a number of rows by itself, 1,048,576
// if it is not told. The writer did not see it, took all rows of the file for
// those of the open row group, and ended files at little more than half their
// size.
func TestRowGroupsEndByBytesAndFilesBySize(t *testing.T) {
	const rows = 1<<20 + 5000
	for name, test := range map[string]struct {
		props     iceberg.Properties
		rowGroups int
	}{
		"no bound of rows": {nil, 1},
		"bound of rows":    {iceberg.Properties{"write.parquet.row-group-limit": "262144"}, 5},
		"bound of bytes":   {iceberg.Properties{"write.parquet.row-group-size-bytes": "1100000"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", nil, test.props)
			g.append(count(rows / 2)...)
			g.append(count(rows - rows/2)...)
			if r := g.execute(g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionDecodeAll: "true"})); result(r) != "2 → 1" {
				t.Error(result(r))
			}
			files := g.dataFiles()
			if len(files) != 1 || files[0].Count() != rows {
				t.Fatalf("%d files", len(files))
			}
			n := len(files[0].SplitOffsets())
			if test.rowGroups > 0 && n != test.rowGroups {
				t.Errorf("%d row groups, want %d", n, test.rowGroups)
			}
			if test.rowGroups == 0 && n < 2 {
				t.Errorf("%d row group of %d bytes", n, files[0].FileSizeBytes())
			}
		})
	}
}
