package metatables

import (
	"cmp"
	"encoding/binary"
	"slices"
	"unicode/utf16"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/manifest"
)

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
func readableMetricsColumn(tbl *table.Table, used int) (column[fileBatch], error) {
	columns, err := measuredColumns(tbl.Schema())
	if err != nil {
		return column[fileBatch]{}, err
	}
	next := func() int { used++; return used }
	fields := make([]column[fileBatch], len(columns))
	for i, c := range columns {
		f := field(next(), c.name, "Metrics for column "+c.name)
		fields[i] = structColumn(f, []column[fileBatch]{
			c.count(field(next(), "column_size", "Total size on disk"), manifest.ColumnSizes),
			c.count(field(next(), "value_count", "Total count, including null and NaN"), manifest.ValueCounts),
			c.count(field(next(), "null_value_count", "Null value count"), manifest.NullValueCounts),
			c.count(field(next(), "nan_value_count", "NaN value count"), manifest.NaNValueCounts),
			c.bound(field(next(), "lower_bound", "Lower bound"), manifest.LowerBounds),
			c.bound(field(next(), "upper_bound", "Upper bound"), manifest.UpperBounds),
		})
	}
	return structColumn(field(next(), "readable_metrics", "Column metrics in readable form"), fields), nil
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

func (c measured) count(f iceberg.NestedField, kind manifest.Kind) column[fileBatch] {
	f.Type = iceberg.PrimitiveTypes.Int64
	leaf := manifest.Of(kind, c.id)
	return leafColumn(f, leaf, func(to array.Builder, b fileBatch) error {
		return appendWholes(to, b.rows, b.count(leaf, c.id))
	})
}

// count is how a count of one column is read for an entry of the block.
func (b fileBatch) count(leaf manifest.Leaf, id int) func(i int) (int64, bool) {
	if picked, ok := b.block.Columns[leaf].(*manifest.Longs); ok {
		return picked.At
	}
	maps, _ := b.block.Columns[manifest.Whole(leaf.Kind)].(*manifest.Maps)
	return func(i int) (int64, bool) {
		if maps == nil {
			return 0, false
		}
		place, ok := maps.Find(i, int32(id))
		if !ok {
			return 0, false
		}
		return maps.Long(place), true
	}
}

func (c measured) bound(f iceberg.NestedField, kind manifest.Kind) column[fileBatch] {
	f.Type = c.typ
	leaf := manifest.Of(kind, c.id)
	return leafColumn(f, leaf, func(to array.Builder, b fileBatch) error {
		get := b.bound(leaf, c.id)
		for _, row := range b.rows {
			if err := appendBound(to, c.typ, get(int(row))); err != nil {
				return err
			}
		}
		return nil
	})
}

// bound is how a bound of one column is read for an entry of the block; nil if
// there is none.
func (b fileBatch) bound(leaf manifest.Leaf, id int) func(i int) []byte {
	if picked, ok := b.block.Columns[leaf].(*manifest.Bytes); ok {
		return picked.At
	}
	maps, _ := b.block.Columns[manifest.Whole(leaf.Kind)].(*manifest.Maps)
	return func(i int) []byte {
		if maps == nil {
			return nil
		}
		place, ok := maps.Find(i, int32(id))
		if !ok {
			return nil
		}
		return maps.Bytes(place)
	}
}

// appendBound writes a bound in the single-value serialization; nil is NULL.
func appendBound(to array.Builder, typ iceberg.Type, bound []byte) error {
	if bound == nil {
		to.AppendNull()
		return nil
	}
	switch b := to.(type) {
	case *array.Int64Builder:
		if len(bound) == 8 {
			b.Append(int64(binary.LittleEndian.Uint64(bound)))
			return nil
		}
	case *array.StringBuilder:
		if _, ok := typ.(iceberg.StringType); ok {
			b.BinaryBuilder.Append(bound)
			return nil
		}
	}
	v, err := boundValue(typ, bound)
	if err != nil {
		return err
	}
	return datafile.AppendValue(to, v)
}
