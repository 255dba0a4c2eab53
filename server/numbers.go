package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/firndb/firn/server/functions"
)

// numbers makes numbers compare as in Spark. The engine rounds a decimal to the
// scale of the other side, cannot join by decimals, fails when it compares an
// infinite DOUBLE with a decimal, and has no order for NaN, which here equals
// itself and is larger than everything else.
func numbers(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, numbersOf)
}

func numbersOf(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	_, joins := n.(*plan.JoinNode)
	n, same, err := transform.OneNodeExprsWithNode(n, func(_ sql.Node, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		return numberExpr(e, joins)
	})
	if err != nil {
		return nil, transform.SameTree, err
	}
	sort, ok := n.(*plan.Sort)
	if !ok {
		return n, same, nil
	}
	fields, changed := orderedFields(sort.SortFields)
	if !changed {
		return n, same, nil
	}
	return plan.NewSort(fields, sort.Child), transform.NewTree, nil
}

// numberExpr changes one expression, whose children are changed already.
func numberExpr(e sql.Expression, joins bool) (sql.Expression, transform.TreeIdentity, error) {
	ordered, windowed := orderedWindow(e)
	changed, same, err := numberOf(ordered, joins)
	if windowed && err == nil {
		same = transform.NewTree
	}
	return changed, same, err
}

// orderedWindow orders the rows of a window function by Spark's order of
// floating-point numbers, and tells its partitions apart by it.
func orderedWindow(e sql.Expression) (sql.Expression, bool) {
	over, ok := e.(sql.WindowAdaptableExpression)
	if !ok || over.Window() == nil {
		return e, false
	}
	window := *over.Window()
	keys, partitions := make([]sql.Expression, len(window.PartitionBy)), false
	for i, key := range window.PartitionBy {
		keys[i] = key
		if types.IsFloat(key.Type()) {
			keys[i], partitions = newFloatKey(key), true
		}
	}
	window.PartitionBy = keys
	fields, orders := orderedFields(window.OrderBy)
	if orders {
		window.OrderBy = fields
	}
	if !partitions && !orders {
		return e, false
	}
	return over.WithWindow(&window), true
}

// orderedFields replaces floating-point numbers by what has Spark's order, false
// if there are none.
func orderedFields(by sql.SortFields) (sql.SortFields, bool) {
	fields := make(sql.SortFields, len(by))
	changed := false
	for i, f := range by {
		fields[i] = f
		if types.IsFloat(f.Column.Type()) {
			fields[i].Column, fields[i].Column2, changed = newFloatKey(f.Column), nil, true
		}
	}
	return fields, changed
}

func numberOf(e sql.Expression, joins bool) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.Equals, *expression.NullSafeEquals, *expression.LessThan, *expression.LessThanOrEqual,
		*expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.Between, *expression.InTuple:
		return comparable(e, joins)
	case *aggregation.Min, *aggregation.Max:
		child := e.Children()[0]
		if !types.IsFloat(child.Type()) {
			break
		}
		changed, err := e.WithChildren(&orderedFloat{call{"ordered", []sql.Expression{child}, orderedType{child.Type()}}})
		return changed, transform.NewTree, err
	case *expression.Case:
		return comparableCase(e)
	case *aggregation.CountDistinct:
		return distinctBytes(e)
	case *function.NullIf:
		if key := keyFor(e.Children(), false); key != nil && types.IsNumber(e.LeftChild.Type()) {
			return newNumberNullIf(e.LeftChild, key(e.LeftChild), key(e.RightChild)), transform.NewTree, nil
		}
	case *expression.Convert:
		if types.IsFloat(e.Type()) && types.IsText(e.Child.Type()) {
			return &floatCast{call{"cast_float", []sql.Expression{e.Child, e}, e.Type()}}, transform.NewTree, nil
		}
	case *plan.Subquery:
		query, same, err := transform.NodeWithOpaque(e.Query, numbersOf)
		if err != nil || same == transform.SameTree {
			return e, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	}
	return e, transform.SameTree, nil
}

// comparable replaces the operands of a comparison by what compares right.
func comparable(e sql.Expression, joins bool) (sql.Expression, transform.TreeIdentity, error) {
	key := keyFor(operands(e), joins)
	if key == nil {
		return e, transform.SameTree, nil
	}
	children := make([]sql.Expression, len(e.Children()))
	for i, child := range e.Children() {
		tuple, ok := child.(expression.Tuple)
		if !ok {
			children[i] = key(child)
			continue
		}
		keys := make(expression.Tuple, len(tuple))
		for j, element := range tuple {
			keys[j] = key(element)
		}
		children[i] = keys
	}
	changed, err := e.WithChildren(children...)
	return changed, transform.NewTree, err
}

// comparableCase is comparable for CASE x WHEN y.
func comparableCase(e *expression.Case) (sql.Expression, transform.TreeIdentity, error) {
	if e.Expr == nil {
		return e, transform.SameTree, nil
	}
	compared := []sql.Expression{e.Expr}
	for _, b := range e.Branches {
		compared = append(compared, b.Cond)
	}
	key := keyFor(compared, false)
	if key == nil {
		return e, transform.SameTree, nil
	}
	changed := &expression.Case{Expr: key(e.Expr), Else: e.Else}
	for _, b := range e.Branches {
		changed.Branches = append(changed.Branches, expression.CaseBranch{Cond: key(b.Cond), Value: b.Value})
	}
	return changed, transform.NewTree, nil
}

// operands are what a comparison compares.
func operands(e sql.Expression) []sql.Expression {
	var all []sql.Expression
	for _, child := range e.Children() {
		if tuple, ok := child.(expression.Tuple); ok {
			all = append(all, tuple...)
			continue
		}
		all = append(all, child)
	}
	return all
}

// keyFor says by what operands are compared, nil if as they are.
func keyFor(operands []sql.Expression, joins bool) func(sql.Expression) sql.Expression {
	floats, exact := false, false
	var decimals []sql.DecimalType
	for _, e := range operands {
		t := e.Type()
		_, isExact := t.(exactType)
		decimal, isDecimal := t.(sql.DecimalType)
		switch {
		case functions.IsOpen(e), !isExact && !types.IsNumber(t) && !types.IsText(t) && t != types.Null, isBytes(t):
			return nil
		case isExact:
			exact = true
		case isDecimal:
			decimals = append(decimals, decimal)
			exact = exact || joins || decimal.Scale() != decimals[0].Scale()
		}
		floats = floats || types.IsFloat(t)
	}
	switch {
	case floats:
		return newFloatKey
	case exact:
		return newExactKey
	}
	return nil
}

// distinctBytes counts distinct bytes by their digits: the engine takes them
// for text.
func distinctBytes(e *aggregation.CountDistinct) (sql.Expression, transform.TreeIdentity, error) {
	children := e.Children()
	keys := make([]sql.Expression, len(children))
	changed := false
	for i, child := range children {
		keys[i] = child
		if isBytes(child.Type()) {
			keys[i], changed = function.NewHex(child), true
		}
	}
	if !changed {
		return e, transform.SameTree, nil
	}
	return aggregation.NewCountDistinct(keys...).WithId(e.Id()), transform.NewTree, nil
}

func isBytes(t sql.Type) bool {
	return types.IsBinaryType(t) && t.Type() != sqltypes.TypeJSON
}
