package maintenance

import (
	"net/url"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// PartitionPath is a file's partition as a path such as "day=2026-01-09/b=3",
// empty if the file's spec is unpartitioned (Java's PartitionSpec.partitionToPath).
func PartitionPath(meta table.Metadata, df iceberg.DataFile) string {
	spec := meta.PartitionSpecByID(int(df.SpecID()))
	if spec == nil {
		return ""
	}
	return PartitionValuesPath(meta, *spec, df.Partition())
}

// PartitionValuesPath is the path of partition values by partition field id.
func PartitionValuesPath(meta table.Metadata, spec iceberg.PartitionSpec, values map[int]any) string {
	types := spec.PartitionType(schemaOfSpec(meta, spec)).FieldList
	var b strings.Builder
	for i := range spec.NumFields() {
		field := spec.Field(i)
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(urlEncode(field.Name))
		b.WriteByte('=')
		b.WriteString(urlEncode(field.Transform.ToHumanStrType(types[i].Type, values[field.FieldID])))
	}
	return b.String()
}

// schemaOfSpec is the schema that has all the columns a spec refers to: the
// table's current one, or if a column was dropped since, the newest that had
// them.
func schemaOfSpec(meta table.Metadata, spec iceberg.PartitionSpec) *iceberg.Schema {
	covers := func(schema *iceberg.Schema) bool {
		for i := range spec.NumFields() {
			if _, ok := schema.FindTypeByID(spec.Field(i).SourceID()); !ok {
				return false
			}
		}
		return true
	}
	current := meta.CurrentSchema()
	if covers(current) {
		return current
	}
	for _, schema := range slices.Backward(meta.Schemas()) {
		if covers(schema) {
			return schema
		}
	}
	return current
}

// urlEncode escapes as Java's URLEncoder does, which differs from Go's in two
// characters.
func urlEncode(s string) string {
	return strings.NewReplacer("~", "%7E", "%2A", "*").Replace(url.QueryEscape(s))
}
