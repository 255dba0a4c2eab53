package server

import (
	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/firndb/firn/maintenance/datafile"
)

// fileFilter says whether a file may have wanted rows.
type fileFilter func(iceberg.DataFile) bool

// fileFilter makes a filter of the parts of a condition that are about metadata
// columns with one value in each file: _file, _spec_id, _partition. Nil if there
// is none.
func (t translator) fileFilter(condition sql.Expression) fileFilter {
	var parts []sql.Expression
	for _, e := range expression.SplitConjunction(condition) {
		fields := 0
		if !varies(e, func(f *expression.GetField) bool {
			fields++
			return !t.isFixed(f.Name())
		}) && fields > 0 {
			parts = append(parts, e)
		}
	}
	if parts == nil {
		return nil
	}
	return func(file iceberg.DataFile) bool {
		for _, e := range parts {
			if !t.mayHold(e, file) {
				return false
			}
		}
		return true
	}
}

// isFixed says whether the column has one value in all rows of a file.
func (t translator) isFixed(name string) bool {
	i := t.tbl.column(name)
	return i >= t.tbl.own && datafile.IsFixed(t.tbl.fields[i].ID)
}

// mayHold says whether a condition on fixed columns can be true for a file; an
// error is for the engine to report.
func (t translator) mayHold(e sql.Expression, file iceberg.DataFile) bool {
	of, _, err := transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		get, ok := e.(*expression.GetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		column := t.tbl.fields[t.tbl.column(get.Name())]
		arr, err := datafile.FixedValue(column, file)
		if err != nil {
			return nil, transform.SameTree, err
		}
		defer arr.Release()
		read, err := newCells(column.Type, arr, t.zone)
		if err != nil {
			return nil, transform.SameTree, err
		}
		return expression.NewLiteral(read(0), get.Type()), transform.NewTree, nil
	})
	if err != nil {
		return true
	}
	value, err := of.Eval(t.ctx, nil)
	if err != nil {
		return true
	}
	if value == nil {
		return false
	}
	holds, err := sql.ConvertToBool(t.ctx, value)
	return err != nil || holds
}

// varies says whether an expression may have another value each time, or may be
// unknown before the query runs. field says so of columns.
func varies(e sql.Expression, field func(*expression.GetField) bool) bool {
	return transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			return field(e)
		case *plan.Subquery, *expression.BindVar, *expression.UserVar, *expression.ProcedureParam:
			return true
		case sql.NonDeterministicExpression:
			return e.IsNonDeterministic()
		}
		return false
	})
}
