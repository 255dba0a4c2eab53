package metatables_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	_ "github.com/cockroachdb/datadriven" // defines -rewrite for the whole module

	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/metatables"
)

// TestDocs compares docs/metadata-tables.md with the declarations; run it with
// -rewrite to write it.
func TestDocs(t *testing.T) {
	path := filepath.Join(lakefixture.Testdata(t), "..", "docs", "metadata-tables.md")
	want := reference(t)
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the declarations say: run go test ./metatables -run TestDocs -rewrite", path)
	}
}

const preamble = `<!-- Generated from the declarations in metatables/ by TestDocs; do not edit. -->
# Metadata tables

The metadata tables of a table ` + "`cat.ns.t` are `cat.ns.t.files`, `cat.ns.t.snapshots`" + ` and so on. Names, columns, order, types and rows are those of
Apache Spark with Iceberg 1.12; [differences](#differences) are listed at the end.

` + "`partition`" + ` is a struct with a field for each partition field that the table has or had, ` + "`readable_metrics`" + ` a struct with, for each column
of a primitive type, a struct of column_size, value_count, null_value_count, nan_value_count, lower_bound and upper_bound in
the column's own type. Tables of "a snapshot" show the current one unless ` + "`VERSION AS OF` or `TIMESTAMP AS OF`" + ` asks for another; the
others ignore that.
`

func reference(t *testing.T) string {
	var b strings.Builder
	b.WriteString(preamble)
	plain, v2, v3 := sample(t, "2", false), sample(t, "2", true), sample(t, "3", true)
	for _, m := range metatables.All() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| column | type | NULL | what |\n| --- | --- | --- | --- |\n", m.Name, m.Doc)
		inPlain, inV2 := names(t, m, plain), names(t, m, v2)
		schema, err := m.Schema(v3)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range schema.Fields() {
			notes := []string{}
			if f.Doc != "" {
				notes = append(notes, f.Doc)
			}
			if !slices.Contains(inV2, f.Name) {
				notes = append(notes, "Format version 3 only.")
			} else if !slices.Contains(inPlain, f.Name) {
				notes = append(notes, "Absent if the table was never partitioned.")
			}
			null := "may be NULL"
			if f.Required {
				null = "never NULL"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.Name, typeName(f), null, strings.Join(notes, ". "))
		}
	}
	b.WriteString("\n## Differences\n\nAll answers are compared with Spark's, on the tables of testdata/lake. They differ here:\n\n")
	for _, d := range conformance(t) {
		b.WriteString("- " + d + "\n")
	}
	return b.String()
}

// conformance are the known differences from Spark's answers, one a reason, with
// where each was seen.
func conformance(t *testing.T) []string {
	content, err := os.ReadFile(filepath.Join(lakefixture.Testdata(t), "golden", "conformance.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	seen := map[string][]string{}
	for line := range strings.Lines(string(content)) {
		place, reason, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if seen[reason] == nil {
			reasons = append(reasons, reason)
		}
		where, _, _ := strings.Cut(place, "/")
		switch where {
		case "_catalog":
			_, where, _ = strings.Cut(place, "/")
		case "*":
			where = "every table"
		}
		if where = "`" + where + "`"; !slices.Contains(seen[reason], where) {
			seen[reason] = append(seen[reason], where)
		}
	}
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("%s (%s).", reason, strings.Join(seen[reason], ", "))
	}
	return reasons
}

func names(t *testing.T, m metatables.Table, tbl *table.Table) []string {
	schema, err := m.Schema(tbl)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range schema.Fields() {
		names = append(names, f.Name)
	}
	return names
}

func typeName(f iceberg.NestedField) string {
	switch typ := f.Type.(type) {
	case *iceberg.StructType:
		switch f.Name {
		case "partition", "readable_metrics", "row":
			return "struct"
		case "data_file":
			return "struct with the columns of files"
		}
		var parts []string
		for _, inner := range typ.FieldList {
			parts = append(parts, inner.Name+" "+typeName(inner))
		}
		return "struct of " + strings.Join(parts, ", ")
	case *iceberg.ListType:
		return "list of " + typeName(iceberg.NestedField{Type: typ.Element})
	case *iceberg.MapType:
		return "map of " + typ.KeyType.String() + " to " + typ.ValueType.String()
	default:
		return typ.String()
	}
}

// sample is a table without snapshots.
func sample(t *testing.T, version string, partitioned bool) *table.Table {
	t.Helper()
	schema := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 2, Name: "event_time", Type: iceberg.PrimitiveTypes.TimestampTz},
	)
	spec := iceberg.UnpartitionedSpec
	if partitioned {
		days := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{2}, FieldID: 1000, Name: "event_time_day", Transform: iceberg.DayTransform{}})
		spec = &days
	}
	metadata, err := table.NewMetadata(schema, spec, table.UnsortedSortOrder, "file:///nowhere", iceberg.Properties{table.PropertyFormatVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return table.New(table.Identifier{"ns", "t"}, metadata, "file:///nowhere/v1.metadata.json", nil, nil)
}
