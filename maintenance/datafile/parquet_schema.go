package datafile

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// choose finds the columns that are wanted: their leaves, and what they are in
// the table.
func (s *parquetSource) choose(manifest *pqarrow.SchemaManifest, wanted map[int]iceberg.NestedField, names iceberg.NameMapping, isLegacy func(leaf int) bool) ([]int, error) {
	fields := make([]arrow.Field, len(manifest.Fields))
	without := len(fields) > 0
	for i, f := range manifest.Fields {
		fields[i] = *f.Field
		if _, ok := fieldID(fields[i]); ok {
			without = false
		}
	}
	var leaves []int
	var chosen []arrow.Field
	for i, f := range fields {
		id, ok := fieldID(f)
		if without {
			id, ok = withoutID(names, f.Name, i)
		}
		if _, want := wanted[id]; !ok || !want {
			continue
		}
		if without && names == nil {
			f.Metadata = idMetadata(id)
		}
		if manifest.Fields[i].IsLeaf() && isLegacy(manifest.Fields[i].ColIndex) {
			s.legacy = append(s.legacy, len(chosen))
			f.Type = microsType()
		}
		chosen = append(chosen, f)
		leaves = appendLeaves(leaves, manifest.Fields[i])
	}
	if s.schema = arrow.NewSchema(chosen, nil); len(chosen) == 0 {
		return nil, nil
	}
	schema, err := table.ArrowSchemaToIcebergWithOptions(s.schema, table.ArrowToIcebergOptions{NameMapping: names})
	if err != nil {
		return nil, err
	}
	s.columns = schema.Fields()
	return leaves, nil
}

// withoutID is the id of top-level column i of a file without ids: the name
// mapping's, or without one, its number (Java Iceberg:
// ParquetSchemaUtil.addFallbackIds).
func withoutID(names iceberg.NameMapping, name string, i int) (int, bool) {
	if names == nil {
		return i + 1, true
	}
	m := mapped(names, name)
	if m == nil || m.FieldID == nil {
		return 0, false
	}
	return *m.FieldID, true
}

func appendLeaves(leaves []int, f pqarrow.SchemaField) []int {
	if f.IsLeaf() {
		return append(leaves, f.ColIndex)
	}
	for _, child := range f.Children {
		leaves = appendLeaves(leaves, child)
	}
	return leaves
}

// microsType is what timestamps of physical type INT96 become: they are instants.
func microsType() *arrow.TimestampType {
	return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
}

// microseconds turns timestamps of any unit into such, rounding down.
func microseconds(arr arrow.Array) (arrow.Array, error) {
	from, ok := arr.(*array.Timestamp)
	if !ok {
		return nil, fmt.Errorf("a timestamp is stored as %s", arr.DataType())
	}
	unit := from.DataType().(*arrow.TimestampType).Unit
	b := array.NewTimestampBuilder(memory.DefaultAllocator, microsType())
	defer b.Release()
	for i := range from.Len() {
		if from.IsNull(i) {
			b.AppendNull()
			continue
		}
		b.Append(arrow.Timestamp(from.Value(i).ToTime(unit).UnixMicro()))
	}
	return b.NewArray(), nil
}
