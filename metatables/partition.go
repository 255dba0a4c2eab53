package metatables

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/datafile"
)

// PartitionType is the type of the metadata column _partition: see the partition
// column of the metadata tables, files among them.
func PartitionType(metadata table.Metadata) (*iceberg.StructType, error) {
	return partitionType(metadata)
}

// partitionType is the struct that holds a partition of any of the table's
// specs: all partition fields whose source column still exists, by field id,
// with the names of the newest spec (Java's Partitioning.partitionType). It
// has no fields if the table was never partitioned.
func partitionType(metadata table.Metadata) (*iceberg.StructType, error) {
	schema := metadata.CurrentSchema()
	specs := slices.Clone(metadata.PartitionSpecs())
	slices.SortFunc(specs, func(a, b iceberg.PartitionSpec) int { return cmp.Compare(b.ID(), a.ID()) })
	chosen := map[int]iceberg.PartitionField{}
	typed := map[int]iceberg.NestedField{}
	for _, spec := range specs {
		types := spec.PartitionType(schema).FieldList
		for i, f := range spec.Fields() {
			if _, unknown := f.Transform.(iceberg.UnknownTransform); unknown {
				return nil, fmt.Errorf("partition field %q has the unknown transform %q", f.Name, f.Transform)
			}
			if i >= len(types) || !sourcesExist(schema, f) {
				continue
			}
			before, ok := chosen[f.FieldID]
			switch {
			case !ok:
				chosen[f.FieldID] = f
				typed[f.FieldID] = iceberg.NestedField{ID: f.FieldID, Name: f.Name, Type: types[i].Type}
			case !compatible(before, f):
				return nil, fmt.Errorf("partition fields %q and %q have the same id %d and differ", before.String(), f.String(), f.FieldID)
			case isVoid(before.Transform) && !isVoid(f.Transform):
				// A field dropped from a v1 table: its type is that of before.
				chosen[f.FieldID] = f
				kept := typed[f.FieldID]
				kept.Type = types[i].Type
				typed[f.FieldID] = kept
			}
		}
	}
	fields := make([]iceberg.NestedField, 0, len(typed))
	for _, f := range typed {
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b iceberg.NestedField) int { return cmp.Compare(a.ID, b.ID) })
	return &iceberg.StructType{FieldList: fields}, nil
}

func sourcesExist(schema *iceberg.Schema, f iceberg.PartitionField) bool {
	for _, id := range f.SourceIDs {
		if _, ok := schema.FindFieldByID(id); !ok {
			return false
		}
	}
	return true
}

func compatible(a, b iceberg.PartitionField) bool {
	return slices.Equal(a.SourceIDs, b.SourceIDs) &&
		(isVoid(a.Transform) || isVoid(b.Transform) || a.Transform.Equals(b.Transform))
}

func isVoid(t iceberg.Transform) bool {
	_, ok := t.(iceberg.VoidTransform)
	return ok
}

// partitionColumn is a column of the given partition type. The values that get
// returns are by partition field id; a field that is not among them is NULL.
func partitionColumn[R any](f iceberg.NestedField, typ *iceberg.StructType, get func(R) map[int]any) column[[]R] {
	fields := make([]column[[]R], len(typ.FieldList))
	for i, part := range typ.FieldList {
		fields[i] = rowColumn(part, func(to array.Builder, row R) error { return datafile.AppendValue(to, get(row)[part.ID]) })
	}
	return structColumn(f, fields)
}
