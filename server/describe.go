package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/metatables"
)

// Describe implements dialect.Statements: a table or view in Spark's form.
func (s statements) Describe(name []string, extended bool) ast.Injectable {
	schema := sql.Schema{textColumn("col_name", false), textColumn("data_type", false), textColumn("comment", true)}
	return s.show("DESCRIBE TABLE", schema, func(ctx *sql.Context) ([]sql.Row, error) {
		db, e, err := s.entry(ctx, name)
		if err != nil {
			return nil, err
		}
		if e.view != nil {
			return describeView(db, e.view, extended), nil
		}
		v, err := e.version(version{})
		if err != nil {
			return nil, err
		}
		r := newRelation(ctx, db, e, v)
		l, err := r.load()
		if err != nil {
			return nil, err
		}
		rows := columnRows(l.fields, nil)
		if r.meta != nil {
			return rows, nil
		}
		rows = append(rows, partitionRows(l.tbl)...)
		if !extended {
			return rows, nil
		}
		full := strings.Join(append([]string{db.catalog.Name()}, e.ident...), ".")
		return append(append(rows, metadataColumnRows(l.tbl)...), detailRows(full, l)...), nil
	})
}

// columnRows describes columns; a column without a comment has none.
func columnRows(fields []iceberg.NestedField, none any) []sql.Row {
	rows := make([]sql.Row, len(fields))
	for i, f := range fields {
		comment := none
		if f.Doc != "" {
			comment = f.Doc
		}
		rows[i] = sql.Row{f.Name, simpleType(f.Type), comment}
	}
	return rows
}

// title begins a part of a description.
func title(text string) []sql.Row { return []sql.Row{{"", "", ""}, {text, "", ""}} }

// partitionRows describes the partitioning: the columns if it is by them alone,
// else the transforms.
func partitionRows(tbl *table.Table) []sql.Row {
	parts := partitioning(tbl)
	if len(parts) == 0 {
		return nil
	}
	spec := tbl.Spec()
	var columns []iceberg.NestedField
	for _, f := range spec.Fields() {
		if _, ok := f.Transform.(iceberg.IdentityTransform); !ok {
			continue
		}
		if column, ok := tbl.Schema().FindFieldByID(f.SourceID()); ok {
			columns = append(columns, column)
		}
	}
	if len(columns) == len(parts) {
		head := []sql.Row{{"# Partition Information", "", ""}, {"# col_name", "data_type", "comment"}}
		return append(head, columnRows(columns, nil)...)
	}
	rows := title("# Partitioning")
	for i, part := range parts {
		rows = append(rows, sql.Row{fmt.Sprintf("Part %d", i), part, ""})
	}
	return rows
}

// metadataColumnRows describes the metadata columns (Java Iceberg:
// SparkTable.metadataColumns).
func metadataColumnRows(tbl *table.Table) []sql.Row {
	rows := append(title("# Metadata Columns"),
		sql.Row{"_spec_id", "int", ""}, sql.Row{"_partition", simpleType(partitionType(tbl)), ""},
		sql.Row{"_file", "string", ""}, sql.Row{"_pos", "bigint", ""}, sql.Row{"_deleted", "boolean", ""})
	if tbl.Metadata().Version() >= 3 {
		rows = append(rows, sql.Row{"_row_id", "bigint", ""}, sql.Row{"_last_updated_sequence_number", "bigint", ""})
	}
	return rows
}

// partitionType is the struct of all partition fields, as the metadata tables
// have it.
func partitionType(tbl *table.Table) iceberg.Type {
	if files, ok := metatables.Find("files"); ok {
		if schema, err := files.Schema(tbl); err == nil {
			if f, ok := schema.FindFieldByName("partition"); ok {
				return f.Type
			}
		}
	}
	return &iceberg.StructType{}
}

// detailRows describes the table itself.
func detailRows(name string, l *loaded) []sql.Row {
	rows := append(title("# Detailed Table Information"), sql.Row{"Name", name, ""}, sql.Row{"Type", "MANAGED", ""})
	add := func(key, value string) {
		if value != "" {
			rows = append(rows, sql.Row{key, value, ""})
		}
	}
	props := l.tbl.Properties()
	add("Comment", props["comment"])
	add("Location", l.tbl.Location())
	add("Provider", "iceberg")
	add("Owner", props["owner"])
	add("Table_type", "EXTERNAL")
	var listed []string
	for _, p := range sparkProperties(l.tbl) {
		listed = append(listed, p.key+"="+p.value)
	}
	add("Table Properties", "["+strings.Join(listed, ",")+"]")
	rows = append(rows, defaultRows(l.fields)...)
	return append(rows, sql.Row{"Statistics", statistics(l), nil})
}

// defaultRows describes the columns that have a default, each below a title of its
// own as Spark has it.
func defaultRows(fields []iceberg.NestedField) []sql.Row {
	var rows []sql.Row
	for _, f := range fields {
		if f.WriteDefault != nil {
			rows = append(append(rows, title("# Column Default Values")...), sql.Row{f.Name, simpleType(f.Type), defaultText(f.WriteDefault)})
		}
	}
	return rows
}

// statistics is the size that Spark's planner takes a table to have: its rows,
// deleted ones too, times the usual size of one (Java Iceberg:
// SparkSchemaUtil.estimateSize).
func statistics(l *loaded) string {
	var records int64
	if s := l.tbl.CurrentSnapshot(); s != nil && s.Summary != nil {
		if n, err := strconv.ParseInt(s.Summary.Properties["total-records"], 10, 64); err == nil {
			records = n
		}
	}
	var size int64
	for _, f := range l.fields {
		size += usualSize(f.Type)
	}
	return fmt.Sprintf("%d bytes, %d rows", records*size, records)
}

// usualSize is how many bytes Spark takes a value of a type to have.
func usualSize(t iceberg.Type) int64 {
	switch t := t.(type) {
	case iceberg.BooleanType, iceberg.UnknownType:
		return 1
	case iceberg.Int32Type, iceberg.Float32Type, iceberg.DateType:
		return 4
	case iceberg.DecimalType:
		if t.Precision() > 18 {
			return 16
		}
		return 8
	case iceberg.StringType, iceberg.UUIDType:
		return 20
	case iceberg.BinaryType, iceberg.FixedType:
		return 100
	case iceberg.VariantType:
		return 2048
	case *iceberg.ListType:
		return usualSize(t.Element)
	case *iceberg.MapType:
		return usualSize(t.KeyType) + usualSize(t.ValueType)
	case *iceberg.StructType:
		var size int64
		for _, f := range t.FieldList {
			size += usualSize(f.Type)
		}
		return size
	}
	return 8
}

// describeView describes a view in Spark's form.
func describeView(db *database, v *view.View, extended bool) []sql.Row {
	rows := columnRows(v.CurrentSchema().Fields(), "")
	if !extended {
		return rows
	}
	props := v.Properties()
	var listed []string
	all := viewProperties(v)
	slices.SortFunc(all, func(a, b property) int { return strings.Compare(a.key, b.key) })
	for _, p := range all {
		listed = append(listed, quoteText(p.key)+" = "+quoteText(p.value))
	}
	columns := strings.ReplaceAll(props["spark.query-column-names"], ",", ", ")
	return append(append(rows, title("# Detailed View Information")...),
		sql.Row{"Comment", props["comment"], ""}, sql.Row{"View Catalog and Namespace", db.Name(), ""},
		sql.Row{"View Query Output Columns", "[" + columns + "]", ""},
		sql.Row{"View Properties", "[" + strings.Join(listed, ", ") + "]", ""},
		sql.Row{"Created By", props["create_engine_version"], ""})
}

// simpleType is an Iceberg type as Spark's DESCRIBE writes it.
func simpleType(t iceberg.Type) string {
	switch t := t.(type) {
	case *iceberg.ListType:
		return "array<" + simpleType(t.Element) + ">"
	case *iceberg.MapType:
		return "map<" + simpleType(t.KeyType) + "," + simpleType(t.ValueType) + ">"
	case *iceberg.StructType:
		fields := make([]string, len(t.FieldList))
		for i, f := range t.FieldList {
			fields[i] = f.Name + ":" + simpleType(f.Type)
		}
		return "struct<" + strings.Join(fields, ",") + ">"
	}
	return strings.ToLower(sparkType(t))
}
