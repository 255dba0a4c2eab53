package rewrite_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// Delete files are Avro if the table wants them so, with their own codec, and tell
// by their bounds that they are about one data file.
func TestDeletesInAvro(t *testing.T) {
	for _, tc := range []struct {
		props iceberg.Properties
		want  []string
		codec string
	}{
		{writesAvro, []string{"AVRO of 1 at 5, one file: true", "AVRO of 3 at 5, one file: true"}, "deflate"},
		{
			iceberg.Properties{"write.delete.format.default": "Avro", "write.delete.granularity": "partition", "write.delete.avro.compression-codec": "snappy"},
			[]string{"AVRO of 4 at 5, one file: false"},
			"snappy",
		},
		{
			iceberg.Properties{"write.format.default": "avro", "write.avro.compression-codec": "zstd", "write.delete.avro.compression-level": "9"},
			[]string{"AVRO of 1 at 5, one file: true", "AVRO of 3 at 5, one file: true"},
			"zstandard",
		},
		{
			iceberg.Properties{"write.format.default": "orc", "write.delete.format.default": "parquet"},
			[]string{"PARQUET of 1 at 5, one file: true", "PARQUET of 3 at 5, one file: true"},
			"",
		},
	} {
		t.Run(fmt.Sprint(tc.props), func(t *testing.T) {
			g := threeDeletes(t, "2", nil)
			setProperties(t, g.c, g.ident, maps.Clone(tc.props))
			before, _ := liveRows(t, g.c, g.ident)
			g.rewriteDeletes(g.planDeletes(map[string]string{"min-input-files": "2"}))
			wantFiles(t, g, tc.want...)
			if after, _ := liveRows(t, g.c, g.ident); !slices.Equal(sortedRows(before), sortedRows(after)) || len(sortedRows(after)) != 4 {
				t.Errorf("rows were %v and are %v", before, after)
			}
			if again := g.planDeletes(map[string]string{"min-input-files": "2"}); again.Files() != 0 {
				t.Errorf("the second run selects %d files", again.Files())
			}
			for _, e := range liveDeletes(t, g.load()) {
				if e.DataFile().FileFormat() != iceberg.AvroFile {
					continue
				}
				meta := avroMetadata(t, g, e.DataFile().FilePath())
				if string(meta["avro.codec"]) != tc.codec || string(meta["delete-type"]) != "position" || meta["iceberg.schema"] == nil {
					t.Errorf("metadata %q", meta)
				}
			}
		})
	}
}

// In version 3 deletion vectors take their place, whatever the format of files is.
func TestDeletionVectorsOfAvroTable(t *testing.T) {
	g := threeDeletes(t, "2", iceberg.Properties{"write.delete.format.default": "orc"})
	g.change(func(tx *table.Transaction) error { return tx.UpgradeFormatVersion(3) })
	g.rewriteDeletes(g.planDeletes(all()))
	wantFiles(t, g, "PUFFIN of 1 at 5, one file: true", "PUFFIN of 3 at 5, one file: true")
	g.wantIDs(1, 2, 4, 6)
}
