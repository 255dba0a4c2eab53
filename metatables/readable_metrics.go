package metatables

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf16"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// metric is what the statistics of a file say about one column.
type metric struct {
	sizes, values, nulls, nans map[int]int64
	lower, upper               map[int][]byte
}

// measured is a column that readable_metrics has a struct for.
type measured struct {
	id   int
	name string
	typ  iceberg.Type
}

// readableMetricsColumn shows the statistics by column name and in the
// columns' own types (Java's MetricsUtil.readableMetricsSchema). Its fields
// are the columns of primitive type, nested ones by their path, in the order
// of their names. Ids follow on those in use.
func readableMetricsColumn(tbl *table.Table, used int) (column[fileRow], error) {
	columns, err := measuredColumns(tbl.Schema())
	if err != nil {
		return column[fileRow]{}, err
	}
	f := field(0, "readable_metrics", "Column metrics in readable form")
	f.Type, f.ID = readableMetricsType(columns, used)
	return column[fileRow]{field: f, stats: allStatistics, write: func(to array.Builder, row fileRow) error {
		b, ok := to.(*array.StructBuilder)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		b.Append(true)
		m := metric{
			row.file.ColumnSizes(), row.file.ValueCounts(), row.file.NullValueCounts(), row.file.NaNValueCounts(),
			row.file.LowerBoundValues(), row.file.UpperBoundValues(),
		}
		for i, c := range columns {
			if err := m.write(b.FieldBuilder(i), c); err != nil {
				return fmt.Errorf("file %q: column %q: %w", row.file.FilePath(), c.name, err)
			}
		}
		return nil
	}}, nil
}

func measuredColumns(schema *iceberg.Schema) ([]measured, error) {
	names, err := iceberg.IndexNameByID(schema)
	if err != nil {
		return nil, err
	}
	fields, err := iceberg.IndexByID(schema)
	if err != nil {
		return nil, err
	}
	var columns []measured
	for id, name := range names {
		switch fields[id].Type.(type) {
		case iceberg.NestedType, iceberg.VariantType:
		default:
			columns = append(columns, measured{id, name, fields[id].Type})
		}
	}
	// Java compares by UTF-16 code unit.
	slices.SortFunc(columns, func(a, b measured) int {
		return cmp.Or(slices.Compare(utf16.Encode([]rune(a.name)), utf16.Encode([]rune(b.name))), cmp.Compare(a.id, b.id))
	})
	return columns, nil
}

// readableMetricsType also returns the id of the column itself, the last one.
func readableMetricsType(columns []measured, used int) (*iceberg.StructType, int) {
	next := func() int { used++; return used }
	var fields []iceberg.NestedField
	for _, c := range columns {
		f := field(next(), c.name, "Metrics for column "+c.name)
		long := iceberg.PrimitiveTypes.Int64
		f.Type = &iceberg.StructType{FieldList: []iceberg.NestedField{
			{ID: next(), Name: "column_size", Type: long, Doc: "Total size on disk"},
			{ID: next(), Name: "value_count", Type: long, Doc: "Total count, including null and NaN"},
			{ID: next(), Name: "null_value_count", Type: long, Doc: "Null value count"},
			{ID: next(), Name: "nan_value_count", Type: long, Doc: "NaN value count"},
			{ID: next(), Name: "lower_bound", Type: c.typ, Doc: "Lower bound"},
			{ID: next(), Name: "upper_bound", Type: c.typ, Doc: "Upper bound"},
		}}
		fields = append(fields, f)
	}
	return &iceberg.StructType{FieldList: fields}, next()
}

func (m metric) write(to array.Builder, c measured) error {
	b, ok := to.(*array.StructBuilder)
	if !ok {
		return wrongBuilder(c.name, to)
	}
	b.Append(true)
	for i, counts := range []map[int]int64{m.sizes, m.values, m.nulls, m.nans} {
		var v any
		if n, ok := counts[c.id]; ok {
			v = n
		}
		if err := appendValue(b.FieldBuilder(i), v); err != nil {
			return err
		}
	}
	for i, bounds := range []map[int][]byte{m.lower, m.upper} {
		var v any
		if bound, ok := bounds[c.id]; ok {
			var err error
			if v, err = boundValue(c.typ, bound); err != nil {
				return err
			}
		}
		if err := appendValue(b.FieldBuilder(4+i), v); err != nil {
			return err
		}
	}
	return nil
}
