package sqltest

import (
	"testing"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// TestConvertToVectors is convert_equality_deletes of tables of version 3, of which
// the lake has none with equality deletes: each data file has one deletion vector
// afterwards, which has the positions of a position delete file of its own too.
func TestConvertToVectors(t *testing.T) {
	for name, want := range map[string]struct{ call, files string }{
		"events_eq":      {"3\t5", "PUFFIN\t5\t10\t5"},
		"events_eq_flat": {"2\t2", "PUFFIN\t2\t8\t2"},
	} {
		lake := lakefixture.Open(t, catalog.Hooks{})
		s := ServeAt(t, lake, time.Now)
		up := []table.Update{table.NewUpgradeFormatVersionUpdate(3)}
		if _, _, err := lake.Catalog.Commit(t.Context(), table.Identifier{"analytics", name}, nil, up); err != nil {
			t.Fatal(err)
		}
		if got := s.answer(t, "CALL lake.system.convert_equality_deletes('analytics."+name+"')"); got != want.call {
			t.Errorf("%s: %s, want %s", name, got, want.call)
		}
		got := s.answer(t, "SELECT file_format, COUNT(*), SUM(record_count), COUNT(DISTINCT referenced_data_file) FROM lake.analytics."+name+".delete_files GROUP BY file_format ORDER BY file_format")
		if got != want.files {
			t.Errorf("%s has the delete files\n%s\nand not\n%s", name, got, want.files)
		}
		if got := s.answer(t, "CALL lake.system.convert_equality_deletes('analytics."+name+"')"); got != "0\t0" {
			t.Errorf("%s: the second call gives %s", name, got)
		}
		lake.Check(t, "analytics", name)
	}
}
