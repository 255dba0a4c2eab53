package rewrite_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/maintenance/sortorder"
)

// selectedAgain are the exceptions: a file is not cut within a thousand rows, after
// which its size is looked at (Java's RollingFileWriter), so that it stays larger
// than a target of so few bytes. Spark selects these again and again, too. And Avro
// delete files do not tell the data files that they are about, so that those of the
// last snapshot seem to apply to new files with its sequence number, once.
var selectedAgain = map[string][]string{
	"deletes":          {"ops.formats_avro"},
	"small files":      {"lakehouse.sized", "types.all_types"},
	"sort into many":   {"types.all_types"},
	"zorder into many": {"types.all_types"},
}

// Promise P6 over every table of the lake that can be rewritten: run twice, the
// second run selects nothing.
func TestSecondRunOverTheLake(t *testing.T) {
	for name, way := range map[string]struct {
		order   string
		options map[string]string
	}{
		"binpack":          {},
		"two files":        {options: map[string]string{rewrite.OptionMinInputFiles: "2"}},
		"small files":      {options: map[string]string{rewrite.OptionMinInputFiles: "2", rewrite.OptionTargetFileSize: "3000"}},
		"deletes":          {options: map[string]string{rewrite.OptionMinInputFiles: "2", rewrite.OptionDeleteFiles: "1"}},
		"decoded":          {options: map[string]string{rewrite.OptionMinInputFiles: "2", rewrite.OptionDecodeAll: "true"}},
		"sort":             {"first", map[string]string{rewrite.OptionMinInputFiles: "2"}},
		"sort into many":   {"first", map[string]string{rewrite.OptionMinInputFiles: "2", rewrite.OptionTargetFileSize: "3000"}},
		"zorder":           {"zorder(first)", map[string]string{rewrite.OptionMinInputFiles: "2"}},
		"zorder into many": {"zorder(first)", map[string]string{rewrite.OptionMinInputFiles: "2", rewrite.OptionTargetFileSize: "3000"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lake := lakefixture.Open(t, catalog.Hooks{})
			rewritten := 0
			for _, ident := range tablesOf(t, lake.Catalog) {
				first := planLake(t, lake.Catalog, ident, way.order, way.options)
				if first == nil || first.Files() == 0 {
					continue
				}
				if _, err := first.Execute(t.Context(), env(lake.Catalog)); err != nil {
					t.Fatalf("%v: %v", ident, err)
				}
				rewritten++
				again := planLake(t, lake.Catalog, ident, way.order, way.options)
				if n := again.Files(); n > 0 != slices.Contains(selectedAgain[name], strings.Join(ident, ".")) {
					t.Errorf("%v: the first run selects %d files, the second %d", ident, first.Files(), n)
				}
			}
			if rewritten < 3 {
				t.Errorf("only %d tables were rewritten", rewritten)
			}
		})
	}
}

// tablesOf lists the tables of a catalog.
func tablesOf(t *testing.T, c *catalog.Catalog) []table.Identifier {
	t.Helper()
	spaces, err := c.Iceberg().ListNamespaces(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []table.Identifier
	for _, space := range spaces {
		for ident, err := range c.Iceberg().ListTables(t.Context(), space) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, ident)
		}
	}
	return all
}

// planLake plans a rewrite of a table, in an order by its first column if order
// says so; nil of one that cannot be rewritten.
func planLake(t *testing.T, c *catalog.Catalog, ident table.Identifier, order string, options map[string]string) *rewrite.Plan {
	t.Helper()
	tbl, err := c.Load(t.Context(), ident)
	if err != nil {
		t.Fatal(err)
	}
	strategy, bound := rewrite.BinPack, sortorder.Bound{}
	if order != "" {
		first := tbl.Schema().Fields()[0]
		if _, nested := first.Type.(iceberg.NestedType); nested {
			return nil
		}
		parsed, err := sortorder.Parse(strings.ReplaceAll(order, "first", first.Name))
		if err != nil {
			t.Fatal(err)
		}
		if bound, err = parsed.Bind(tbl.Metadata()); err != nil {
			t.Fatal(err)
		}
		strategy = rewrite.Sort
		if parsed.Curve != sortorder.None {
			strategy = rewrite.Strategy(parsed.Curve)
		}
	}
	o, err := strategy.ParseOptions(options, tbl.Metadata())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := rewrite.NewPlan(t.Context(), rewrite.Request{Table: tbl, Options: o, Order: bound})
	if errors.Is(err, maintenance.ErrUnsupported) {
		return nil
	}
	if err != nil {
		t.Fatalf("%v: %v", ident, err)
	}
	return plan
}
