package server

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
)

// oddNames is a server of the table other.odd, partitioned by its column
// "partition", with columns that are called like keywords and metadata columns.
func oddNames(t *testing.T) *client {
	t.Helper()
	set := twoCatalogs(t)
	c, err := set.Get(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	text := iceberg.PrimitiveTypes.String
	schema := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "partition", Type: text},
		iceberg.NestedField{ID: 2, Name: "a.b", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 3, Name: "Select", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 4, Name: "s", Type: &iceberg.StructType{FieldList: []iceberg.NestedField{
			{ID: 5, Name: "x y", Type: iceberg.PrimitiveTypes.Int64}, {ID: 6, Name: "from", Type: text},
		}}},
		iceberg.NestedField{ID: 7, Name: "files", Type: text},
	)
	spec := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "partition", Transform: iceberg.IdentityTransform{}})
	tbl, err := c.Iceberg().CreateTable(t.Context(), table.Identifier{"other", "odd"}, schema, icecat.WithPartitionSpec(&spec))
	if err != nil {
		t.Fatal(err)
	}
	arrowSchema, err := table.SchemaToArrowSchema(schema, nil, true, false)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrowSchema, strings.NewReader(
		`[{"partition": "p", "a.b": 1, "Select": 10, "s": {"x y": 5, "from": "f"}, "files": "one"},
		  {"partition": "q", "a.b": 2, "Select": 20, "s": {"x y": 6, "from": "g"}, "files": "two"}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	batch := array.NewTableFromRecords(arrowSchema, []arrow.RecordBatch{rows})
	defer batch.Release()
	if _, err := tbl.AppendTable(t.Context(), batch, 10, nil); err != nil {
		t.Fatal(err)
	}
	return serve(t, Config{Catalogs: set})
}

// TestOddNames: columns with dots, spaces, capitals, and those called like
// keywords, metadata tables and their columns.
func TestOddNames(t *testing.T) {
	c := oddNames(t)
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"SELECT partition, `a.b`, `Select`, s.`x y`, s.from, files FROM other.odd ORDER BY 1", []string{"p | 1 | 10 | 5 | f | one", "q | 2 | 20 | 6 | g | two"}},
		{"SELECT o.partition AS p, o.`a.b` + o.`select` FROM other.odd o WHERE o.partition = 'q' AND o.s.`x y` > 5", []string{"q | 22"}},
		{"SELECT odd.partition, other.odd.files, main.other.odd.s.from FROM main.other.odd WHERE files = 'one'", []string{"p | one | f"}},
		{"SELECT files.partition.partition, files.record_count FROM other.odd.files ORDER BY partition.partition", []string{"p | 1", "q | 1"}},
		{"SELECT partition, partition.partition FROM other.odd.partitions ORDER BY partition.partition DESC LIMIT 1", []string{`{"partition": "q"} | q`}},
		{"SELECT readable_metrics.`a.b`.lower_bound, readable_metrics.`Select`.upper_bound, readable_metrics.`s.x y`.value_count > 1 FROM other.odd.files WHERE partition.partition = 'p'", []string{"1 | 10 | 0"}},
		{"SELECT t.partition, f.partition.partition FROM other.odd t JOIN other.odd.files f ON t.partition = f.partition.partition AND f.readable_metrics.files.lower_bound = t.files ORDER BY t.`a.b`", []string{"p | p", "q | q"}},
		{"SELECT CASE WHEN s.`x y` = 5 THEN concat(partition, '-', s.from) ELSE upper(files) END FROM other.odd ORDER BY `a.b`", []string{"p-f", "TWO"}},
		{"SELECT s.from, COUNT(*) FROM other.odd GROUP BY s.from HAVING max(s.`x y`) > 5 ORDER BY s.from", []string{"g | 1"}},
		{"SELECT x.`group`, x.`order by` FROM (SELECT partition AS `group`, s.`x y` AS `order by` FROM other.odd) x WHERE x.`order by` = (SELECT max(s.`x y`) FROM other.odd)", []string{"q | 6"}},
		{"WITH files AS (SELECT `a.b` AS n FROM other.odd) SELECT files.n FROM files WHERE n IN (SELECT readable_metrics.`a.b`.lower_bound FROM other.odd.files) ORDER BY 1", []string{"1", "2"}},
		{"WITH odd AS (SELECT 1 AS n) SELECT odd.n, COUNT(*) FROM odd JOIN main.other.odd o ON true GROUP BY odd.n", []string{"1 | 2"}},
		{"SELECT partition.partition, COUNT(*) FROM other.odd.files GROUP BY partition.partition ORDER BY partition.partition DESC", []string{"q | 1", "p | 1"}},
		{"SELECT `a.b` FROM other.odd WHERE partition BETWEEN 'p' AND 'p'", []string{"1"}},
		{"SELECT SUM(`select`) OVER (PARTITION BY partition ORDER BY s.`x y`) FROM other.odd ORDER BY 1", []string{"10", "20"}},
	} {
		if got, err := queryRows(c.db, test.query); err != nil || strings.Join(got, "; ") != strings.Join(test.want, "; ") {
			t.Errorf("%s: got %q, %v; want %q", test.query, got, err, test.want)
		}
	}
}
