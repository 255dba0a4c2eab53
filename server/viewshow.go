package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/view"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// shown answers a SHOW or DESCRIBE of a view from its metadata alone, so that it
// is answered for one that cannot be read; nil if stmt is none.
func (v *views) shown(ctx *sql.Context, stmt ast.Statement) (ast.Statement, error) {
	show, ok := stmt.(*ast.Show)
	if !ok || show.Table.Name.IsEmpty() {
		return nil, nil
	}
	name := show.Table
	if opt := show.ShowTablesOpt; opt != nil && opt.DbName != "" {
		name.DbQualifier = ast.NewTableIdent(opt.DbName)
	}
	var of func(*viewUse, *ast.Show) (*node, error)
	switch strings.ToLower(show.Type) {
	case "create table", "create view":
		of = showCreateView
	case "columns", "fields":
		of = showViewColumns
	case "index":
		of = showViewIndex
	default:
		return nil, nil
	}
	u, err := v.find(ctx, name)
	if u == nil || err != nil {
		return nil, err
	}
	return ast.InjectedStatement{Statement: injected(func([]sql.Expression) (*node, error) { return of(u, show) })}, nil
}

// showViewColumns is SHOW [FULL] COLUMNS and DESCRIBE.
func showViewColumns(u *viewUse, show *ast.Show) (*node, error) {
	like := ""
	if opt := show.ShowTablesOpt; opt != nil && opt.Filter != nil {
		if like = opt.Filter.Like; opt.Filter.Filter != nil {
			return nil, fmt.Errorf("%w: SHOW COLUMNS of a view with WHERE; information_schema.columns has them too", iceberg.ErrNotImplemented)
		}
	}
	names := "Field,Type,Null,Key,Default,Extra"
	if show.Full {
		names = "Field,Type,Collation,Null,Key,Default,Extra,Privileges,Comment"
	}
	return listed("SHOW COLUMNS", names, func(ctx *sql.Context, _ []sql.Expression) ([]sql.Row, error) {
		schema, err := schemaOf(u.view.CurrentSchema().Fields(), u.name, u.db.Name())
		if err != nil {
			return nil, err
		}
		var rows []sql.Row
		for _, c := range schema {
			ok, err := matches(ctx, c.Name, like)
			if err != nil {
				return nil, err
			}
			if ok {
				rows = append(rows, viewColumnRow(c, show.Full))
			}
		}
		return rows, nil
	}), nil
}

func viewColumnRow(c *sql.Column, full bool) sql.Row {
	null := "NO"
	if c.Nullable {
		null = "YES"
	}
	if !full {
		return sql.Row{c.Name, c.Type.String(), null, "", nil, ""}
	}
	var collation any
	if types.IsTextOnly(c.Type) {
		collation = sql.Collation_Default.String()
	}
	return sql.Row{c.Name, c.Type.String(), collation, null, "", nil, "", "", c.Comment}
}

// showViewIndex is SHOW INDEX, of which a view has none.
func showViewIndex(*viewUse, *ast.Show) (*node, error) {
	const names = "Table,Non_unique,Key_name,Seq_in_index,Column_name,Collation,Cardinality,Sub_part,Packed,Null,Index_type,Comment,Index_comment,Visible,Expression"
	return listed("SHOW INDEX", names, func(*sql.Context, []sql.Expression) ([]sql.Row, error) { return nil, nil }), nil
}

// listed is a node whose columns are text, with these names.
func listed(text, names string, run func(*sql.Context, []sql.Expression) ([]sql.Row, error)) *node {
	n := &node{text: text, run: run}
	for name := range strings.SplitSeq(names, ",") {
		n.schema = append(n.schema, textColumn(name, true))
	}
	return n
}

// showCreateView is SHOW CREATE TABLE or VIEW of a view: Spark's text in MySQL's
// columns.
func showCreateView(u *viewUse, _ *ast.Show) (*node, error) {
	const names = "View,Create View,character_set_client,collation_connection"
	return listed("SHOW CREATE VIEW", names, func(*sql.Context, []sql.Expression) ([]sql.Row, error) {
		text, err := createView(u.String(), u.view)
		if err != nil {
			return nil, err
		}
		return []sql.Row{{u.name, text, sql.Collation_Default.CharacterSet().String(), sql.Collation_Default.String()}}, nil
	}), nil
}

// createView is what Spark's SHOW CREATE TABLE says of a view.
func createView(name string, v *view.View) (string, error) {
	text, err := viewText(v)
	if err != nil {
		return "", err
	}
	var columns, properties []string
	for _, f := range v.CurrentSchema().Fields() {
		column := "  " + quoteName(f.Name)
		if f.Doc != "" {
			column += " COMMENT " + quoteText(f.Doc)
		}
		columns = append(columns, column)
	}
	props := viewProperties(v)
	slices.SortFunc(props, func(a, b property) int { return strings.Compare(a.key, b.key) })
	for _, p := range props {
		properties = append(properties, fmt.Sprintf("  %s = %s", quoteText(p.key), quoteText(p.value)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE VIEW %s (\n%s)\n", name, strings.Join(columns, ",\n"))
	if comment := v.Properties()["comment"]; comment != "" {
		fmt.Fprintf(&b, "COMMENT %s\n", quoteText(comment))
	}
	fmt.Fprintf(&b, "TBLPROPERTIES (\n%s)\nAS\n%s\n", strings.Join(properties, ",\n"), text.Sql)
	return b.String(), nil
}

// viewProperties are the properties of a view as Spark shows them, in its order:
// derived ones first (Java Iceberg: SparkView.properties).
func viewProperties(v *view.View) []property {
	props := []property{
		{"location", v.Location()},
		{"provider", "iceberg"},
		{"format-version", fmt.Sprint(v.Metadata().FormatVersion())},
	}
	hidden := []string{"comment", "owner", "create_engine_version", "engine_version", "spark.query-column-names"}
	var more []property
	for key, value := range v.Properties() {
		if !slices.Contains(hidden, key) && !slices.ContainsFunc(props, func(p property) bool { return p.key == key }) {
			more = append(more, property{key, value})
		}
	}
	slices.SortFunc(more, func(a, b property) int { return strings.Compare(a.key, b.key) })
	return append(props, more...)
}
