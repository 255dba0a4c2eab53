package server

import (
	"maps"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/functions"
)

// sumTypes makes sums of whole numbers and averages of decimals exact, and gives
// what refers to one its type: the engine takes each for a DOUBLE, which loses
// digits on the way to the client.
func sumTypes(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return retyper{}.node(n)
}

// retyper knows the types of columns that hold sums, or what is made of them.
type retyper map[sql.ColumnId]sql.Type

// node changes n from the bottom up, so that a column is known before it is
// referred to.
func (r retyper) node(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		n, same, err := transform.OneNodeExprsWithNode(n, func(_ sql.Node, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			return r.expr(e)
		})
		if err != nil {
			return nil, transform.SameTree, err
		}
		switch n := n.(type) {
		case *plan.SubqueryAlias:
			r.learn(n.Columns(), n.Schema())
			if mapped := r.mapping(n); mapped != nil {
				return n.WithScopeMapping(mapped), transform.NewTree, nil
			}
		case *plan.SetOp:
			r.learn(n.Columns(), n.Schema())
		}
		return n, same, nil
	})
}

// mapping changes what n's columns stand for within it, by which conditions are
// moved into n; nil if nothing changes.
func (r retyper) mapping(n *plan.SubqueryAlias) map[sql.ColumnId]sql.Expression {
	var changed map[sql.ColumnId]sql.Expression
	for id, e := range n.ScopeMapping {
		field, ok := e.(*expression.GetField)
		if !ok {
			continue
		}
		e, same := retyped(field, r[id])
		if same == transform.SameTree {
			continue
		}
		if changed == nil {
			changed = maps.Clone(n.ScopeMapping)
		}
		changed[id] = e
	}
	return changed
}

// learn remembers the types of a derived table's columns.
func (r retyper) learn(columns sql.ColSet, schema sql.Schema) {
	i := 0
	columns.ForEach(func(id sql.ColumnId) {
		if i < len(schema) {
			r[id] = schema[i].Type
		}
		i++
	})
}

// expr changes e, whose children are changed already.
func (r retyper) expr(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *aggregation.Sum:
		if isWhole(e.Child) {
			whole := &wholeSum{e}
			r[e.Id()] = whole.Type()
			return whole, transform.NewTree, nil
		}
		if t, ok := decimalSum(e); ok {
			r[e.Id()] = t
			if e.Window() != nil {
				return &decimalSumOver{e, t}, transform.NewTree, nil
			}
		}
	case *aggregation.Avg:
		if average, ok := newDecimalAvg(e); ok {
			r[e.Id()] = average.typ
			return average, transform.NewTree, nil
		}
		if e.Window() != nil && !functions.IsOpen(e.Child) && types.IsNumber(e.Child.Type()) {
			r[e.Id()] = types.Float64
			return &doubleAvgOver{e}, transform.NewTree, nil
		}
	case *aggregation.Max, *aggregation.Min, *aggregation.First, *aggregation.Last, *aggregation.AnyValue, *expression.Alias:
		// These have the type of their argument; AVG of others says so and has not.
		if id := e.(sql.IdExpression).Id(); id != 0 {
			r[id] = e.Type()
		}
	case *plan.Subquery:
		query, same, err := r.node(e.Query)
		if err != nil || same == transform.SameTree {
			return e, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	case *expression.GetField:
		changed, same := retyped(e, r[e.Id()])
		return changed, same, nil
	}
	return e, transform.SameTree, nil
}

// retyped is the reference e with type t, if that is a sum's type and t is not
// nil.
func retyped(e *expression.GetField, t sql.Type) (sql.Expression, transform.TreeIdentity) {
	switch {
	case t == types.Float64 && types.IsInteger(e.Type()):
	case t == nil, t == e.Type(), t != types.Int64 && !types.IsDecimal(t) && !isExact(t):
		return e, transform.SameTree
	case e.Type() != types.Float64 && !types.IsInteger(e.Type()):
		return e, transform.SameTree
	}
	field := expression.NewGetFieldWithTable(e.Index(), int(e.TableId()), t, e.Database(), e.Table(), e.Name(), e.IsNullable())
	return field.WithId(e.Id()), transform.NewTree
}

// decimalSum is the type of the sum of a decimal column: ten digits more than
// the column, as Spark has it.
func decimalSum(sum *aggregation.Sum) (sql.Type, bool) {
	child := sum.Child
	if distinct, ok := child.(*expression.DistinctExpression); ok {
		child = distinct.Child
	}
	column, ok := child.(*expression.GetField)
	if !ok {
		return nil, false
	}
	t, ok := column.Type().(sql.DecimalType)
	if !ok {
		return nil, false
	}
	wide, err := types.CreateDecimalType(min(t.Precision()+10, types.DecimalTypeMaxPrecision), t.Scale())
	return wide, err == nil
}
