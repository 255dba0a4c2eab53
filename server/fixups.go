package server

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/dialect"
	"github.com/firndb/firn/procedures"
)

// maxSetOps is how many UNIONs a statement may have: the engine's time to
// analyze them grows with their cube, and it cannot be interrupted meanwhile.
const maxSetOps = 200

// fixUp changes what the engine would get wrong in a parsed statement.
func fixUp(stmt ast.Statement) error {
	if explain, ok := stmt.(*ast.Explain); ok {
		// Without a format the engine answers with placeholders, the text NULL
		// in columns of numbers among them, which clients stumble over.
		explain.Plan = true
		return fixUp(explain.Statement)
	}
	query, ok := stmt.(ast.SelectStatement)
	if !ok {
		return checkReads(stmt)
	}
	setOps := 0
	return ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.SetOp:
			if setOps++; setOps > maxSetOps {
				return false, fmt.Errorf("%w: a statement has more than %d of UNION, INTERSECT and EXCEPT", dialect.ErrSyntax, maxSetOps)
			}
		case *ast.Select:
			fixDistinct(n)
			return true, checkGroups(n)
		case *ast.JoinTableExpr:
			return true, checkRowwise("ON", n.Condition.On)
		case *ast.AliasedTableExpr:
			return true, checkAsOf(n.AsOf)
		case *ast.ColName:
			return true, checkVariable(n.Name.String())
		case *ast.ComparisonExpr:
			n.Left, n.Right = unrounded(n.Left), unrounded(n.Right)
		}
		return true, nil
	}, query)
}

// unrounded keeps a number with a point in a comparison from being rounded to
// the scale of a column.
func unrounded(e ast.Expr) ast.Expr {
	sign, number := ast.Expr(nil), e
	if unary, ok := e.(*ast.UnaryExpr); ok && unary.Operator == ast.UMinusStr {
		sign, number = e, unary.Expr
	}
	if value, ok := number.(*ast.SQLVal); !ok || value.Type != ast.FloatVal || bytes.ContainsAny(value.Val, "eE") {
		return e
	}
	if sign != nil {
		number = sign
	}
	return &ast.FuncExpr{Name: ast.NewColIdent(decimalLiteralName), Exprs: ast.SelectExprs{&ast.AliasedExpr{Expr: number}}}
}

// checkAsOf refuses NULL, and a version that is not known when a statement is prepared:
// the columns of its result depend on it.
func checkAsOf(asOf *ast.AsOf) error {
	if asOf == nil {
		return nil
	}
	if _, null := asOf.Time.(*ast.NullVal); null {
		return fmt.Errorf("%w: AS OF takes a snapshot id, a branch or tag, or a timestamp: got NULL", procedures.ErrArgument)
	}
	if value, ok := asOf.Time.(*ast.SQLVal); ok && value.Type == ast.ValArg {
		return mysql.NewSQLError(mysql.ERNotSupportedYet, "42000", "AS OF takes no parameter of a prepared statement; write the version or timestamp into the statement")
	}
	return nil
}

// checkGroups refuses aggregates where rows are chosen or grouped, at which the
// engine fails when it runs.
func checkGroups(s *ast.Select) error {
	if s.Where != nil {
		if err := checkRowwise("WHERE", s.Where.Expr); err != nil {
			return err
		}
	}
	for _, key := range s.GroupBy {
		if err := checkRowwise("GROUP BY", key); err != nil {
			return err
		}
	}
	return nil
}

// checkRowwise refuses an aggregate in an expression of a clause; queries within
// it are not looked at.
func checkRowwise(clause string, e ast.Expr) error {
	if e == nil {
		return nil
	}
	return ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Subquery:
			return false, nil
		case *ast.FuncExpr:
			if n.IsAggregate() && n.Over == nil {
				return false, mysql.NewSQLError(mysql.ERInvalidGroupFuncUse, mysql.SSUnknownSQLState,
					"the aggregate %s cannot be in %s; conditions on aggregates go into HAVING", n.Name.Lowered(), clause)
			}
		}
		return true, nil
	}, e)
}

// checkVariable refuses a variable without a name, at which the engine panics.
func checkVariable(name string) error {
	name, ok := strings.CutPrefix(name, "@@")
	if !ok {
		return nil
	}
	for part := range strings.SplitSeq(name, ".") {
		if strings.Trim(part, "`") == "" {
			return fmt.Errorf("%w: a variable's name is expected after @@", dialect.ErrSyntax)
		}
	}
	return nil
}

// checkReads refuses statements that would change tables, databases or users.
func checkReads(stmt ast.Statement) error {
	switch stmt.(type) {
	case nil, ast.InjectedStatement, *ast.Set, *ast.Show, *ast.ShowGrants, *ast.ShowPrivileges, *ast.Use,
		*ast.Begin, *ast.Commit, *ast.Rollback, *ast.Savepoint, *ast.RollbackSavepoint, *ast.ReleaseSavepoint,
		*ast.LockTables, *ast.UnlockTables, *ast.Flush, *ast.Kill, *ast.Analyze,
		*ast.Prepare, *ast.Execute, *ast.Deallocate, *ast.OtherRead, *ast.OtherAdmin:
		return nil
	}
	return dialect.ErrReadOnly
}

// fixDistinct replaces the column numbers in ORDER BY of a SELECT DISTINCT by
// the columns: the engine looks for a number's column below the DISTINCT,
// where it no longer is.
func fixDistinct(s *ast.Select) {
	if !s.QueryOpts.Distinct {
		return
	}
	for _, order := range s.OrderBy {
		number, ok := order.Expr.(*ast.SQLVal)
		if !ok || number.Type != ast.IntVal {
			continue
		}
		n, err := strconv.Atoi(string(number.Val))
		if err != nil || n < 1 || n > len(s.SelectExprs) {
			continue
		}
		item, ok := selected(s.SelectExprs, n)
		switch {
		case !ok:
		case !item.As.IsEmpty():
			order.Expr = &ast.ColName{Name: item.As}
		default:
			order.Expr = item.Expr
		}
	}
}

// selected is the n-th column, counted from 1, unless a star makes the number
// mean something else.
func selected(exprs ast.SelectExprs, n int) (item *ast.AliasedExpr, ok bool) {
	for _, e := range exprs[:n] {
		if item, ok = e.(*ast.AliasedExpr); !ok {
			return nil, false
		}
	}
	return item, true
}
