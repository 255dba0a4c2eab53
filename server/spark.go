package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// property is a table property.
type property struct{ key, value string }

// reserved are the table properties that Spark's Iceberg catalog derives or
// keeps to itself (Java Iceberg: SparkTable.properties).
func reserved() []string {
	return []string{"comment", "location", "owner", "provider", "external", "is_managed_location"}
}

// sparkProperties are the properties of a table as Spark shows them, by key:
// those set and a few derived ones (Java Iceberg: SparkTable.properties).
func sparkProperties(tbl *table.Table) []property {
	current := "none"
	if s := tbl.CurrentSnapshot(); s != nil {
		current = strconv.FormatInt(s.SnapshotID, 10)
	}
	format := tbl.Properties()["write.format.default"]
	if format == "" {
		format = "parquet"
	}
	props := []property{
		{"current-snapshot-id", current},
		{"format", "iceberg/" + format},
		{"format-version", strconv.Itoa(tbl.Metadata().Version())},
	}
	if order := tbl.SortOrder(); order.Len() > 0 {
		props = append(props, property{"sort-order", sortText(tbl, order)})
	}
	if ids := tbl.Schema().IdentifierFieldIDs; len(ids) > 0 {
		props = append(props, property{"identifier-fields", identifierText(tbl.Schema(), ids)})
	}
	for key, value := range tbl.Properties() {
		if !slices.Contains(reserved(), key) && !slices.ContainsFunc(props, func(p property) bool { return p.key == key }) {
			props = append(props, property{key, value})
		}
	}
	slices.SortFunc(props, func(a, b property) int { return strings.Compare(a.key, b.key) })
	return props
}

func identifierText(schema *iceberg.Schema, ids []int) string {
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		if name, ok := schema.FindColumnName(id); ok {
			names = append(names, name)
		}
	}
	return "[" + strings.Join(names, ",") + "]"
}

func sortText(tbl *table.Table, order table.SortOrder) string {
	var fields []string
	for _, f := range order.Fields() {
		direction, nulls := "ASC", "NULLS FIRST"
		if f.Direction == table.SortDESC {
			direction = "DESC"
		}
		if f.NullOrder == table.NullsLast {
			nulls = "NULLS LAST"
		}
		column, _ := tbl.Schema().FindColumnName(f.SourceID())
		fields = append(fields, transformText(f.Transform, column)+" "+direction+" "+nulls)
	}
	return strings.Join(fields, ", ")
}

// transformText is a partition or sort transform of a column as Spark writes it.
func transformText(t iceberg.Transform, column string) string {
	switch t := t.(type) {
	case iceberg.IdentityTransform:
		return column
	case iceberg.BucketTransform:
		return fmt.Sprintf("bucket(%d, %s)", t.NumBuckets, column)
	case iceberg.TruncateTransform:
		return fmt.Sprintf("truncate(%d, %s)", t.Width, column)
	case iceberg.YearTransform, iceberg.MonthTransform, iceberg.DayTransform, iceberg.HourTransform:
		return t.String() + "s(" + column + ")"
	}
	return t.String() + "(" + column + ")"
}

// sparkType is an Iceberg type as SHOW CREATE TABLE writes it.
func sparkType(t iceberg.Type) string {
	switch t := t.(type) {
	case iceberg.Int64Type:
		return "BIGINT"
	case iceberg.DecimalType:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision(), t.Scale())
	case iceberg.TimestampTzType, iceberg.TimestampTzNsType:
		return "TIMESTAMP"
	case iceberg.TimestampType, iceberg.TimestampNsType:
		return "TIMESTAMP_NTZ"
	case iceberg.FixedType:
		return "BINARY"
	case iceberg.UUIDType:
		return "STRING"
	case iceberg.UnknownType:
		return "VOID"
	case *iceberg.ListType:
		return "ARRAY<" + sparkType(t.Element) + ">"
	case *iceberg.MapType:
		return "MAP<" + sparkType(t.KeyType) + ", " + sparkType(t.ValueType) + ">"
	case *iceberg.StructType:
		fields := make([]string, len(t.FieldList))
		for i, f := range t.FieldList {
			fields[i] = quoteName(f.Name) + ": " + sparkType(f.Type)
			if f.Required {
				fields[i] += " NOT NULL"
			}
			if f.Doc != "" {
				fields[i] += " COMMENT " + quoteText(f.Doc)
			}
		}
		return "STRUCT<" + strings.Join(fields, ", ") + ">"
	}
	return strings.ToUpper(t.Type())
}

// createTable is what Spark's SHOW CREATE TABLE says of a table.
func createTable(name string, tbl *table.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", name)
	for i, f := range tbl.Schema().Fields() {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "  %s %s", quoteName(f.Name), sparkType(f.Type))
		if f.Required {
			b.WriteString(" NOT NULL")
		}
		if f.WriteDefault != nil {
			b.WriteString(" DEFAULT " + defaultText(f.WriteDefault))
		}
		if f.Doc != "" {
			b.WriteString(" COMMENT " + quoteText(f.Doc))
		}
	}
	b.WriteString(")\nUSING iceberg\n")
	if parts := partitioning(tbl); len(parts) > 0 {
		fmt.Fprintf(&b, "PARTITIONED BY (%s)\n", strings.Join(parts, ", "))
	}
	if comment := tbl.Properties()["comment"]; comment != "" {
		fmt.Fprintf(&b, "COMMENT %s\n", quoteText(comment))
	}
	fmt.Fprintf(&b, "LOCATION %s\n", quoteText(tbl.Location()))
	b.WriteString("TBLPROPERTIES (\n")
	for i, p := range sparkProperties(tbl) {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "  %s = %s", quoteText(p.key), quoteText(p.value))
	}
	b.WriteString(")\n")
	return b.String()
}

// defaultText is a column's default as a literal.
func defaultText(value any) string {
	switch v := value.(type) {
	case bool, int32, int64, float32, float64:
		return fmt.Sprint(v)
	}
	return quoteText(fmt.Sprint(value))
}

// partitioning are the fields of a table's partition spec as Spark writes them.
func partitioning(tbl *table.Table) []string {
	var parts []string
	spec := tbl.Spec()
	for _, f := range spec.Fields() {
		if _, ok := f.Transform.(iceberg.VoidTransform); ok {
			continue
		}
		column, _ := tbl.Schema().FindColumnName(f.SourceID())
		parts = append(parts, transformText(f.Transform, quoteName(column)))
	}
	return parts
}

func quoteText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// quoteName quotes a name that is more than letters, digits and underscores.
func quoteName(s string) string {
	for _, r := range s {
		if r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return "`" + strings.ReplaceAll(s, "`", "``") + "`"
		}
	}
	return s
}
