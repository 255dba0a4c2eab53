package rewrite

import (
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// lineageSchema adds the two row lineage columns to a table's schema, if the
// table has row lineage.
func lineageSchema(meta table.Metadata) (schema *iceberg.Schema, lineage bool) {
	if meta.Version() < 3 {
		return meta.CurrentSchema(), false
	}
	return iceberg.SchemaWithRowLineage(meta.CurrentSchema()), true
}

// storedSchema is the schema of files: columns of type unknown, which hold
// nothing, have no place in them (Iceberg specification, Parquet types). The
// indices say where the others are among the columns of schema.
func storedSchema(schema *iceberg.Schema) (*iceberg.Schema, []int, error) {
	var fields []iceberg.NestedField
	var columns []int
	for i, f := range schema.Fields() {
		if _, ok := f.Type.(iceberg.UnknownType); ok {
			continue
		}
		if hasUnknown(f.Type) {
			return nil, nil, fmt.Errorf("%w: column %q has a field of type unknown inside, which cannot be written", maintenance.ErrUnsupported, f.Name)
		}
		fields = append(fields, f)
		columns = append(columns, i)
	}
	if len(fields) == len(schema.Fields()) {
		return schema, columns, nil
	}
	return iceberg.NewSchema(schema.ID, fields...), columns, nil
}

func hasUnknown(t iceberg.Type) bool {
	switch t := t.(type) {
	case iceberg.UnknownType:
		return true
	case *iceberg.StructType:
		for _, f := range t.FieldList {
			if hasUnknown(f.Type) {
				return true
			}
		}
	case *iceberg.ListType:
		return hasUnknown(t.Element)
	case *iceberg.MapType:
		return hasUnknown(t.KeyType) || hasUnknown(t.ValueType)
	}
	return false
}
