package server

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/maintenance/datafile"
)

// The engine has no hidden columns. A SELECT that names a metadata column of a
// table therefore reads the table under a name of its own, by which it has
// those columns too, and its stars are written out as what they mean without
// them. So metadata columns stand in any clause, and are never in a star.

const (
	// withMetaColumns ends the name of a table that is to have its metadata
	// columns but _deleted.
	withMetaColumns = "$*"
	// withDeleted ends the name of one that is to have _deleted too, and thus
	// its deleted rows where that column is read.
	withDeleted = "$**"
)

// isMetaColumn says whether name is one that metadata columns have.
func isMetaColumn(name string) bool {
	for _, f := range datafile.MetadataColumns(3, nil) {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

// columnsOf returns the columns of SELECT *, as the engine understands it.
type columnsOf func(ctx *sql.Context, query *ast.Select) (sql.Schema, error)

// metaColumns gives tables the metadata columns that a statement names.
type metaColumns struct {
	ctx     *sql.Context
	names   *provider
	columns columnsOf
}

// level is one SELECT and those around it.
type level struct {
	query *ast.Select
	outer *level
	ctes  []*ast.With
	// tables are what FROM has.
	tables []*ast.AliasedTableExpr
	// marked are those whose metadata columns are named, true if _deleted is.
	marked map[*ast.AliasedTableExpr]bool
	// star are the columns of SELECT *, once they have been asked for.
	star    sql.Schema
	starErr error
	asked   bool
}

// apply changes a query that names metadata columns.
func (m metaColumns) apply(stmt ast.Statement) error {
	query, ok := stmt.(ast.SelectStatement)
	if !ok {
		return nil
	}
	named := false
	err := ast.Walk(func(n ast.SQLNode) (bool, error) {
		if col, ok := n.(*ast.ColName); ok && isMetaColumn(col.Name.String()) {
			named = true
		}
		return !named, nil
	}, query)
	if err != nil || !named {
		return err
	}
	return m.query(query, nil, nil)
}

// query visits a query inside outer, which sees the common table expressions.
func (m metaColumns) query(query ast.SelectStatement, outer *level, ctes []*ast.With) error {
	switch q := query.(type) {
	case *ast.ParenSelect:
		return m.query(q.Select, outer, ctes)
	case *ast.SetOp:
		ctes, err := m.with(q.With, ctes)
		if err != nil {
			return err
		}
		if err := m.query(q.Left, outer, ctes); err != nil {
			return err
		}
		return m.query(q.Right, outer, ctes)
	case *ast.Select:
		ctes, err := m.with(q.With, ctes)
		if err != nil {
			return err
		}
		return m.selection(&level{query: q, outer: outer, ctes: ctes, marked: map[*ast.AliasedTableExpr]bool{}})
	}
	return nil
}

// with visits the common table expressions of a query and adds them to those
// around it.
func (m metaColumns) with(with *ast.With, ctes []*ast.With) ([]*ast.With, error) {
	if with == nil {
		return ctes, nil
	}
	ctes = append(slices.Clip(ctes), with)
	for _, cte := range with.Ctes {
		if sub, ok := cte.Expr.(*ast.Subquery); ok {
			if err := m.query(sub.Select, nil, ctes); err != nil {
				return nil, err
			}
		}
	}
	return ctes, nil
}

// selection visits a SELECT: the queries in FROM, then what names columns,
// then changes the tables whose metadata columns were named.
func (m metaColumns) selection(l *level) error {
	for _, from := range l.query.From {
		if err := m.from(l, from); err != nil {
			return err
		}
	}
	err := ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.With:
			return false, nil
		case *ast.AliasedTableExpr:
			return false, nil
		case *ast.Subquery:
			return false, m.query(n.Select, l, l.ctes)
		case *ast.ColName:
			if isMetaColumn(n.Name.String()) {
				m.mark(l, n)
			}
		}
		return true, nil
	}, l.query)
	if err != nil || len(l.marked) == 0 {
		return err
	}
	return m.change(l)
}

// from collects the tables of FROM and visits its queries.
func (m metaColumns) from(l *level, t ast.TableExpr) error {
	switch t := t.(type) {
	case *ast.AliasedTableExpr:
		l.tables = append(l.tables, t)
		if sub, ok := t.Expr.(*ast.Subquery); ok {
			outer := l.outer
			if t.Lateral {
				outer = l
			}
			return m.query(sub.Select, outer, l.ctes)
		}
	case *ast.JoinTableExpr:
		if err := m.from(l, t.LeftExpr); err != nil {
			return err
		}
		return m.from(l, t.RightExpr)
	case *ast.ParenTableExpr:
		for _, inner := range t.Exprs {
			if err := m.from(l, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// mark finds the tables that a name of a metadata column means, in the
// innermost SELECT that has such. A column that is really called so is meant
// first, as in Spark.
func (m metaColumns) mark(l *level, col *ast.ColName) {
	deleted := strings.EqualFold(col.Name.String(), datafile.DeletedName)
	for ; l != nil; l = l.outer {
		if qualifier := col.Qualifier.Name.String(); qualifier != "" {
			i := slices.IndexFunc(l.tables, func(t *ast.AliasedTableExpr) bool { return strings.EqualFold(nameOf(t), qualifier) })
			if i < 0 {
				continue
			}
			if m.isData(l, l.tables[i]) {
				l.marked[l.tables[i]] = l.marked[l.tables[i]] || deleted
			}
			return
		}
		if m.star(l).IndexOfColName(strings.ToLower(col.Name.String())) >= 0 {
			return
		}
		found := false
		for _, t := range l.tables {
			if m.isData(l, t) {
				l.marked[t], found = l.marked[t] || deleted, true
			}
		}
		if found {
			return
		}
	}
}

// nameOf is what columns of a table in FROM are qualified with.
func nameOf(t *ast.AliasedTableExpr) string {
	if !t.As.IsEmpty() {
		return t.As.String()
	}
	if name, ok := t.Expr.(ast.TableName); ok {
		return name.Name.String()
	}
	return ""
}

// isData says whether an operand of FROM is an Iceberg table, at any version.
func (m metaColumns) isData(l *level, t *ast.AliasedTableExpr) bool {
	name, ok := t.Expr.(ast.TableName)
	if !ok {
		return false
	}
	in := name.DbQualifier.String()
	if in == "" {
		for _, with := range l.ctes {
			for _, cte := range with.Ctes {
				if strings.EqualFold(cte.As.String(), name.Name.String()) {
					return false
				}
			}
		}
		if in = currentDatabase(m.ctx); in == "" {
			return false
		}
	}
	db, err := m.names.database(m.ctx, strings.Split(in, "."))
	if err != nil {
		return false
	}
	e, err := db.find(m.ctx, name.Name.String())
	return err == nil && e.meta == nil
}

// star are the columns that SELECT * has without metadata columns, nil if the
// FROM cannot stand alone.
func (m metaColumns) star(l *level) sql.Schema {
	if !l.asked {
		l.asked = true
		alone := &ast.Select{SelectExprs: ast.SelectExprs{&ast.StarExpr{}}, From: l.query.From}
		if len(l.ctes) > 0 {
			alone.With = &ast.With{}
			for _, with := range l.ctes {
				alone.With.Ctes = append(alone.With.Ctes, with.Ctes...)
				alone.With.Recursive = alone.With.Recursive || with.Recursive
			}
		}
		l.star, l.starErr = m.columns(m.ctx, alone)
	}
	return l.star
}

// change writes out the stars and natural joins of a SELECT and renames its
// marked tables.
func (m metaColumns) change(l *level) error {
	var exprs ast.SelectExprs
	for _, e := range l.query.SelectExprs {
		star, ok := e.(*ast.StarExpr)
		if !ok {
			exprs = append(exprs, e)
			continue
		}
		columns := m.star(l)
		if l.starErr != nil {
			return l.starErr
		}
		for _, c := range columns {
			if qualifier := star.TableName.Name.String(); qualifier == "" || strings.EqualFold(qualifier, c.Source) {
				exprs = append(exprs, &ast.AliasedExpr{Expr: &ast.ColName{
					Name: ast.NewColIdent(c.Name), Qualifier: ast.TableName{Name: ast.NewTableIdent(c.Source)},
				}})
			}
		}
	}
	for _, from := range l.query.From {
		if err := m.unnatural(l, from); err != nil {
			return err
		}
	}
	l.query.SelectExprs = exprs
	for t, deleted := range l.marked {
		suffix := withMetaColumns
		if deleted {
			suffix = withDeleted
		}
		name := t.Expr.(ast.TableName)
		name.Name = ast.NewTableIdent(name.Name.String() + suffix)
		t.Expr = name
	}
	return nil
}

// unnatural makes a natural join one by the columns that it is by without
// metadata columns: the engine has put them there when it was asked for the
// star.
func (m metaColumns) unnatural(l *level, t ast.TableExpr) error {
	switch t := t.(type) {
	case *ast.ParenTableExpr:
		for _, inner := range t.Exprs {
			if err := m.unnatural(l, inner); err != nil {
				return err
			}
		}
	case *ast.JoinTableExpr:
		if err := m.unnatural(l, t.LeftExpr); err != nil {
			return err
		}
		if err := m.unnatural(l, t.RightExpr); err != nil {
			return err
		}
		join, natural := natural(t.Join)
		if !natural {
			return nil
		}
		if m.star(l); l.starErr != nil {
			return l.starErr
		}
		t.Join = join
	}
	return nil
}

// natural is the join that a natural one is when its columns are known.
func natural(join string) (string, bool) {
	switch join {
	case ast.NaturalJoinStr:
		return ast.JoinStr, true
	case ast.NaturalLeftJoinStr:
		return ast.LeftJoinStr, true
	case ast.NaturalRightJoinStr:
		return ast.RightJoinStr, true
	}
	return join, false
}
