package rewrite_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/filter"
)

// TestWhereOnPromotedColumns chooses among files of which some have bounds of
// the columns' former types.
func TestWhereOnPromotedColumns(t *testing.T) {
	for name, spec := range map[string]*iceberg.PartitionSpec{"unpartitioned": nil, "partitioned": byPart()} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", spec, nil)
			g.change(func(tx *table.Transaction) error {
				return tx.UpdateSchema(true, false).
					AddColumn([]string{"f"}, iceberg.PrimitiveTypes.Float32, "", false, nil).
					AddColumn([]string{"d"}, iceberg.DecimalTypeOf(9, 2), "", false, nil).Commit()
			})
			g.appendPart(1, 10)
			g.appendPart(2, 20)
			g.change(func(tx *table.Transaction) error {
				u := tx.UpdateSchema(true, false)
				for column, typ := range map[string]iceberg.Type{
					"part": iceberg.PrimitiveTypes.Int64, "f": iceberg.PrimitiveTypes.Float64, "d": iceberg.DecimalTypeOf(18, 2),
				} {
					u = u.UpdateColumn([]string{column}, table.ColumnUpdate{FieldType: iceberg.Optional[iceberg.Type]{Val: typ, Valid: true}})
				}
				return u.Commit()
			})
			g.appendPart(3, 30)
			g.appendPart(4, 40)
			for where, want := range map[string]string{
				"part = 1": "1", "part >= 2": "2 3 4", "part < 3": "1 2", "part IN (1, 4)": "1 4", "part > 3000000000": "",
				"part <= 1 OR id = 30": "1 3", "part > 1 AND id < 31": "2 3", "NOT (part > 2)": "1 2", "part IS NULL": "",
				"part IS NOT NULL AND part BETWEEN 2 AND 3": "2 3", "part = 2 OR part = 4 AND id = 40": "2 4",
				"f > 15": "2 3 4", "f = 10.0": "1", "f <= 30": "1 2 3", "f IN (20, 40)": "2 4", "f = 10.5": "",
				"d >= 20.00": "2 3 4", "d = 10": "1", "d < 9.99": "", "d IN (30, 99)": "3",
			} {
				if got := g.chosen(where); got != want {
					t.Errorf("%s: %s chooses files %q, want %q", name, where, got, want)
				}
			}
			if spec != nil {
				if got := g.chosen("part <> 1"); got != "2 3 4" {
					t.Errorf("part <> 1 chooses files %q, want those of the other partitions", got)
				}
			}
		})
	}
}

// appendPart makes a file of one row, whose columns are told apart by number.
func (g *ground) appendPart(part, number int64) {
	g.t.Helper()
	schema, err := table.SchemaToArrowSchema(g.load().Schema(), nil, true, false)
	if err != nil {
		g.t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i, f := range schema.Fields() {
		text := fmt.Sprint(number)
		if f.Name == "part" {
			text = fmt.Sprint(part)
		}
		if err := b.Field(i).AppendValueFromString(text); err != nil {
			g.t.Fatal(err)
		}
	}
	batch := b.NewRecordBatch()
	rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{batch})
	if err != nil {
		g.t.Fatal(err)
	}
	defer rdr.Release()
	g.change(func(tx *table.Transaction) error { return tx.Append(context.Background(), rdr, nil) })
}

// chosen are the ids, by tens, of the files that a condition chooses.
func (g *ground) chosen(where string) string {
	g.t.Helper()
	expr, err := filter.Parse(where, g.load().Schema(), filter.Options{})
	if err != nil {
		g.t.Fatal(err)
	}
	plan, err := g.tryPlan(expr, all())
	if err != nil {
		g.t.Errorf("%s: %v", where, err)
		return "error"
	}
	var ids []string
	for _, group := range plan.Groups {
		for _, f := range group.Files {
			lit, err := iceberg.LiteralFromBytes(iceberg.PrimitiveTypes.Int64, f.Task.File.LowerBoundValues()[1])
			if err != nil {
				g.t.Fatal(err)
			}
			ids = append(ids, fmt.Sprint(lit.Any().(int64)/10))
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}
