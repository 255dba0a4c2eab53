package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/view"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/dialect"
)

// viewUse is a view that a statement names.
type viewUse struct {
	db   *database
	name string
	view *view.View
	// open is set while the view's query is made: a view that is met within its
	// own query is defined by itself.
	open bool
	// types are the types of the query's columns, once it was bound.
	types []sql.Type
}

// String is the view's full name.
func (u *viewUse) String() string { return u.db.Name() + "." + u.name }

// useView remembers that the statement names a view of db.
func (s *statement) useView(db *database, e entry) *viewUse {
	u := &viewUse{db: db, name: e.name(db), view: e.view}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.views == nil {
		s.views = map[string]*viewUse{}
	}
	if kept := s.views[u.String()]; kept != nil {
		return kept
	}
	s.views[u.String()] = u
	return u
}

// views puts the queries of views in the place of their names. The engine has
// views of its own, but only while a database is in use.
type views struct {
	names  *provider
	tables sql.Catalog
	parser sql.Parser
}

// query is the view's query in the columns of the view's schema: by position, as
// Spark has it. The error names the view.
func (v *views) query(ctx *sql.Context, u *viewUse) (ast.SelectStatement, error) {
	if u.open {
		return nil, u.wrong(fmt.Errorf("%w: it is defined by itself", errView))
	}
	u.open = true
	defer func() { u.open = false }()
	query, err := v.columns(ctx, u)
	if err != nil {
		return nil, u.wrong(err)
	}
	return query, nil
}

func (v *views) columns(ctx *sql.Context, u *viewUse) (ast.SelectStatement, error) {
	inner, err := v.parse(ctx, u)
	if err != nil {
		return nil, err
	}
	if u.types == nil {
		if u.types, err = v.bind(ctx, inner); err != nil {
			return nil, err
		}
		// Binding may have changed it.
		if inner, err = v.parse(ctx, u); err != nil {
			return nil, err
		}
	}
	fields := u.view.CurrentSchema().Fields()
	if len(u.types) < len(fields) {
		return nil, fmt.Errorf("%w: its query has %d columns and the view %d", errView, len(u.types), len(fields))
	}
	names := make(ast.Columns, len(u.types))
	for i := range names {
		names[i] = ast.NewColIdent(fmt.Sprintf("c%d", i))
	}
	exprs := make(ast.SelectExprs, len(fields))
	for i, f := range fields {
		e, err := viewColumn(names[i], u.types[i], f)
		if err != nil {
			return nil, err
		}
		exprs[i] = &ast.AliasedExpr{Expr: e, As: ast.NewColIdent(f.Name)}
	}
	return &ast.Select{
		SelectExprs: exprs,
		From: ast.TableExprs{&ast.AliasedTableExpr{
			Expr: &ast.Subquery{Select: inner, Columns: names}, As: ast.NewTableIdent("_view"),
		}},
	}, nil
}

// viewColumn is a column of a view's query as the view's schema has it.
func viewColumn(name ast.ColIdent, from sql.Type, f iceberg.NestedField) (ast.Expr, error) {
	to, err := typeOf(f.Type)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", f.Name, err)
	}
	column := &ast.ColName{Name: name}
	if from.Equals(to) {
		return column, nil
	}
	if !canWiden(from, to) {
		return nil, fmt.Errorf("%w: column %q is %s in its query and %s in the view", errView, f.Name, from, to)
	}
	return ast.InjectedExpr{
		Expression: widening{to},
		Children:   ast.Exprs{column},
		Auth:       ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore},
	}, nil
}

// parse parses the view's text with the names resolved as the view means them.
func (v *views) parse(ctx *sql.Context, u *viewUse) (ast.SelectStatement, error) {
	text, err := viewText(u.view)
	if err != nil {
		return nil, err
	}
	stmt, _, _, err := dialect.NewParser(v.namesIn(u), noStatements{}).ParseWithOptions(ctx, text.Sql, ';', false, ast.ParserOptions{})
	if err != nil {
		return nil, err
	}
	if err := fixUp(stmt); err != nil {
		return nil, err
	}
	if failed, ok := stmt.(ast.InjectedStatement); ok {
		// A name that could not be resolved.
		if _, err := failed.Statement.WithResolvedChildren(nil); err != nil {
			return nil, err
		}
	}
	query, ok := stmt.(ast.SelectStatement)
	if !ok {
		return nil, fmt.Errorf("%w: its text is no query", errView)
	}
	return query, v.replace(ctx, query)
}

// viewText is the text of a view's query: Spark's, or if there is none the first
// of another dialect.
func viewText(v *view.View) (view.Representation, error) {
	representations := v.CurrentVersion().Representations
	if i := slices.IndexFunc(representations, isSpark); i >= 0 {
		return representations[i], nil
	}
	if len(representations) == 0 {
		return view.Representation{}, fmt.Errorf("%w: it has no text", errView)
	}
	return representations[0], nil
}

func isSpark(r view.Representation) bool { return strings.EqualFold(r.Dialect, "spark") }

// bind has the engine bind a view's query and returns its columns' types.
func (v *views) bind(ctx *sql.Context, query ast.Statement) ([]sql.Type, error) {
	b := planbuilder.New(ctx, v.tables, nil, v.parser)
	b.DisableAuth()
	bound, _, err := b.BindOnly(query, ast.String(query), nil)
	if err != nil {
		return nil, err
	}
	var columns []sql.Type
	for _, column := range bound.Schema() {
		columns = append(columns, column.Type)
	}
	return columns, nil
}

// wrong says that and why a view cannot be read: because of a construct that
// Firn's SQL has not, or of what the view refers to.
func (u *viewUse) wrong(err error) error {
	class, message := errView, err.Error()
	var done *mysql.SQLError
	if errors.As(finalError(wireError(err)), &done) {
		message = strings.TrimPrefix(done.Message, errView.Error()+": ")
		if done.Num == mysql.ERParseError || done.Num == codeNoProcedure || done.Num == mysql.ERNotSupportedYet {
			class = errViewText
			message = strings.TrimPrefix(message, errViewText.Error()+": ")
		}
	}
	in := ""
	if text, err := viewText(u.view); err == nil && !isSpark(text) {
		in = fmt.Sprintf(" in the SQL of %s", text.Dialect)
	}
	return fmt.Errorf("%w: %q%s: %s", class, u, in, message)
}
