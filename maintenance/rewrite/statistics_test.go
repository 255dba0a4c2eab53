package rewrite_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/rewrite"
)

// A column whose statistics are turned off has no bounds, in footers, page
// indexes and manifests, whichever way its rows go. Its nulls are counted: only so
// can its pages be moved the next time.
func TestStatisticsProperty(t *testing.T) {
	for name, test := range map[string]struct {
		options map[string]string
		order   string
		moved   bool
	}{
		"merged":  {nil, "", true},
		"copied":  {map[string]string{rewrite.OptionCopyRowGroups: "0"}, "", true},
		"decoded": {map[string]string{rewrite.OptionDecodeAll: "true"}, "", false},
		"sorted":  {nil, "price", false},
	} {
		for value, off := range map[string]bool{"false": true, "TRUE": false, "no": true} {
			t.Run(name+" "+value, func(t *testing.T) {
				g := newGround(t, "2", nil, iceberg.Properties{"write.parquet.stats-enabled.column.id": value})
				g.append(count(50)...)
				g.append(count(50)...)
				for range 2 {
					options := all()
					for k, v := range test.options {
						options[k] = v
					}
					plan := g.plan(options)
					if test.order != "" {
						plan = planSorted(t, g.c, "ns.t", test.order, options)
					}
					if r := g.execute(plan); (r.MovedRows > 0) != test.moved {
						t.Errorf("%d rows were moved", r.MovedRows)
					}
					g.wantBounds(off)
				}
			})
		}
	}
}

// wantBounds wants the only file to have bounds of all columns but perhaps id.
func (g *ground) wantBounds(off bool) {
	g.t.Helper()
	chunk, _ := firstChunk(g.t, g)
	stats, err := chunk.Statistics()
	if err != nil || stats == nil || !stats.HasNullCount() {
		g.t.Fatalf("no count of nulls: %v", err)
	}
	if stats.HasMinMax() == off || (chunk.GetColumnIndexLocation() == nil) != off || chunk.GetOffsetIndexLocation() == nil {
		g.t.Errorf("bounds %t, column index %v, offset index %v", stats.HasMinMax(), chunk.GetColumnIndexLocation(), chunk.GetOffsetIndexLocation())
	}
	f := g.dataFiles()[0]
	if _, ok := f.LowerBoundValues()[1]; ok == off {
		g.t.Errorf("the manifest has bounds of the column: %t", ok)
	}
	if _, ok := f.UpperBoundValues()[2]; !ok {
		g.t.Error("the manifest lacks bounds of another column")
	}
}

// Names of columns inside lists are those of the table.
func TestPropertiesOfNestedColumns(t *testing.T) {
	g := newGround(t, "2", nil, iceberg.Properties{
		"write.parquet.stats-enabled.column.tags.element":        "false",
		"write.parquet.bloom-filter-enabled.column.tags.element": "true",
	})
	g.change(func(tx *table.Transaction) error {
		list := &iceberg.ListType{ElementID: 10, Element: iceberg.PrimitiveTypes.String}
		return tx.UpdateSchema(true, false).AddColumn([]string{"tags"}, list, "", false, nil).Commit()
	})
	g.appendTags("a", "b")
	g.appendTags("c")
	g.execute(g.plan(all()))
	chunk := g.chunk(3)
	if stats, err := chunk.Statistics(); err != nil || stats != nil && stats.HasMinMax() {
		t.Errorf("it has bounds; %v", err)
	}
	if chunk.BloomFilterLength() == 0 {
		t.Error("it has no Bloom filter")
	}
}

// appendTags makes a file of one row with a list.
func (g *ground) appendTags(tags ...string) {
	g.t.Helper()
	schema, err := table.SchemaToArrowSchema(g.load().Schema(), nil, true, false)
	if err != nil {
		g.t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).Append(1)
	b.Field(1).(*array.Int32Builder).Append(0)
	b.Field(2).(*array.Float64Builder).Append(0)
	list := b.Field(3).(*array.ListBuilder)
	list.Append(true)
	for _, tag := range tags {
		list.ValueBuilder().(*array.StringBuilder).Append(tag)
	}
	rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{b.NewRecordBatch()})
	if err != nil {
		g.t.Fatal(err)
	}
	defer rdr.Release()
	g.change(func(tx *table.Transaction) error { return tx.Append(g.t.Context(), rdr, nil) })
}
