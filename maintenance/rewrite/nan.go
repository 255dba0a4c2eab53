package rewrite

import "github.com/apache/iceberg-go"

// floatColumns are the ids of the float and double columns that are not inside
// lists or maps.
func floatColumns(fields []iceberg.NestedField) []int {
	var out []int
	for _, f := range fields {
		switch t := f.Type.(type) {
		case iceberg.Float32Type, iceberg.Float64Type:
			out = append(out, f.ID)
		case *iceberg.StructType:
			out = append(out, floatColumns(t.FieldList)...)
		}
	}
	return out
}
