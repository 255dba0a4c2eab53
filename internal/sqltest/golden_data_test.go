package sqltest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
)

// TestOrcIsRefused wants an error that names the file and its format.
func TestOrcIsRefused(t *testing.T) {
	session := Start(t, catalog.Hooks{})
	for _, prepared := range []bool{false, true} {
		_, err := session.Query(t.Context(), "SELECT * FROM `lake.ops`.formats_orc", prepared)
		text := fmt.Sprint(err)
		for _, part := range []string{"1235", "wh/ops/formats_orc/data/", ".orc", "format ORC"} {
			if !strings.Contains(text, part) {
				t.Errorf("error %q does not contain %q", text, part)
			}
		}
	}
}

// TestGoldenDataQueries runs statements on tables of all types, formats and
// histories, and wants Spark's rows: in its order where the statement has one.
func TestGoldenDataQueries(t *testing.T) {
	dir := filepath.Join(lakefixture.Testdata(t), "golden")
	known := readDifferences(t, filepath.Join(dir, "data_differences.txt"))
	var queries []Answer
	if err := ReadJSON(filepath.Join(dir, "_data_queries.json"), &queries); err != nil {
		t.Fatal(err)
	}
	lake := lakefixture.Open(t, catalog.Hooks{})
	lake.Add(t, "reading")
	session := Serve(t, lake)
	for _, q := range queries {
		known.judge(t, q.Statement, compareQuery(t, session, q))
	}
}
