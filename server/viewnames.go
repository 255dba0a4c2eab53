package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/dialect"
)

// viewNames resolves the names in a view's text: those without a catalog are of
// the catalog and the namespace in which the view was made, wherever the session
// is.
type viewNames struct {
	resolver
	catalog   string
	namespace []string
}

var _ dialect.Resolver = viewNames{}

// namesIn is the resolver for the text of a view. A version without a default
// catalog means the view's own (Iceberg's view specification, "versions").
func (v *views) namesIn(u *viewUse) dialect.Resolver {
	version := u.view.CurrentVersion()
	in := viewNames{resolver{v.names}, u.db.catalog.Name(), version.DefaultNamespace}
	if version.DefaultCatalog != "" {
		in.catalog = version.DefaultCatalog
	}
	return in
}

// Table implements dialect.Resolver.
func (v viewNames) Table(ctx *sql.Context, parts []string) (database, table string, err error) {
	if len(parts) > 1 && (v.set.Has(parts[0]) || isEngineDatabase(parts[0])) {
		return v.resolver.Table(ctx, parts)
	}
	if !v.set.Has(v.catalog) {
		return "", "", fmt.Errorf("%w: the view's default catalog %q, in which %q would be, is not configured", errView, v.catalog, strings.Join(parts, "."))
	}
	if len(parts) > 1 && !(len(parts) == 2 && statementOf(ctx).isPart(parts[1])) {
		return v.resolver.Table(ctx, append([]string{v.catalog}, parts...))
	}
	return v.resolver.Table(ctx, slices.Concat([]string{v.catalog}, v.namespace, parts))
}

// replace puts the queries of the views that a statement reads in the place of
// their names.
func (v *views) replace(ctx *sql.Context, stmt ast.SQLNode) error {
	return ast.Walk(func(n ast.SQLNode) (bool, error) {
		from, ok := n.(*ast.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		name, ok := from.Expr.(ast.TableName)
		if !ok {
			return true, nil
		}
		u, err := v.find(ctx, name)
		switch {
		case err != nil:
			return false, wireError(err)
		case u == nil:
			return true, nil
		case from.AsOf != nil:
			return false, wireError(fmt.Errorf("%w: %q is a view, which has no versions", catalog.ErrNoSuchTable, u))
		}
		query, err := v.query(ctx, u)
		if err != nil {
			return false, wireError(err)
		}
		from.Expr = &ast.Subquery{Select: query}
		if from.As.IsEmpty() {
			from.As = name.Name
		}
		return false, nil
	}, stmt)
}

// find is the view of that name, nil if there is none.
func (v *views) find(ctx *sql.Context, name ast.TableName) (*viewUse, error) {
	in := name.DbQualifier.String()
	if in == "" {
		in = currentDatabase(ctx)
	}
	if in == "" || isEngineDatabase(in) {
		return nil, nil
	}
	db, err := v.names.database(ctx, strings.Split(in, "."))
	if errors.Is(err, catalog.ErrNoSuchNamespace) || err == nil && (db.namespace == nil || db.table != nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := db.find(ctx, name.Name.String())
	if errors.Is(err, catalog.ErrNoSuchTable) || err == nil && e.view == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return statementOf(ctx).useView(db, e), nil
}

// noStatements refuses what is no query in the text of a view.
type noStatements struct{}

var _ dialect.Statements = noStatements{}

// Call implements dialect.Statements.
func (noStatements) Call(dialect.Call) ast.Injectable { return injected(notInView) }

// ShowProcedures implements dialect.Statements.
func (noStatements) ShowProcedures([]string, string) ast.Injectable { return injected(notInView) }

// DescribeProcedure implements dialect.Statements.
func (noStatements) DescribeProcedure([]string) ast.Injectable { return injected(notInView) }

// Describe implements dialect.Statements.
func (noStatements) Describe([]string, bool) ast.Injectable { return injected(notInView) }

// ShowTableProperties implements dialect.Statements.
func (noStatements) ShowTableProperties([]string, string) ast.Injectable { return injected(notInView) }

func notInView([]sql.Expression) (*node, error) {
	return nil, fmt.Errorf("%w: its text is no query", errView)
}
