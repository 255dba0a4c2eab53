package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// joinKeys gives hash joins keys that are equal if the values are. The engine
// looks values up as a Go map does, by which two decimals, structs, lists or
// maps are never the same. It checks the condition of the join afterwards, so
// that a key may be the same for different values.
func joinKeys(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, joinKeysOf)
}

func joinKeysOf(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	n, same, err := transform.OneNodeExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		subquery, ok := e.(*plan.Subquery)
		if !ok {
			return e, transform.SameTree, nil
		}
		query, same, err := transform.NodeWithOpaque(subquery.Query, joinKeysOf)
		if err != nil || same == transform.SameTree {
			return e, transform.SameTree, err
		}
		return subquery.WithQuery(query), transform.NewTree, nil
	})
	if err != nil {
		return nil, transform.SameTree, err
	}
	lookup, ok := n.(*plan.HashLookup)
	if !ok {
		return n, same, nil
	}
	left, right, changed := joinKeyPair(lookup.LeftProbeKey, lookup.RightEntryKey)
	if !changed {
		return n, same, nil
	}
	return plan.NewHashLookup(lookup.Child, right, left, lookup.JoinType), transform.NewTree, nil
}

// joinKeyPair replaces the two sides of a lookup, or their elements.
func joinKeyPair(left, right sql.Expression) (l, r sql.Expression, changed bool) {
	lefts, ok := left.(expression.Tuple)
	rights, both := right.(expression.Tuple)
	if ok && both && len(lefts) == len(rights) {
		ls, rs := make(expression.Tuple, len(lefts)), make(expression.Tuple, len(rights))
		for i := range lefts {
			var c bool
			ls[i], rs[i], c = joinKeyPair(lefts[i], rights[i])
			changed = changed || c
		}
		return ls, rs, changed
	}
	a, b := left.Type(), right.Type()
	switch {
	case isNested(a) && isNested(b):
		return newNestedKey(left), newNestedKey(right), true
	case types.IsDecimal(a) && types.IsNumber(b), types.IsNumber(a) && types.IsDecimal(b):
		return newExactKey(left), newExactKey(right), true
	}
	return left, right, false
}

func isNested(t sql.Type) bool {
	_, ok := t.(*nested.Type)
	return ok
}

// nestedKey is the text of a struct, list or map.
type nestedKey struct{ call }

func newNestedKey(e sql.Expression) sql.Expression {
	return &nestedKey{call{"nested_key", []sql.Expression{e}, types.LongText}}
}

// Eval implements sql.Expression.
func (k *nestedKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := k.args[0].Eval(ctx, row)
	if v, ok := value.(*nested.Value); ok && err == nil {
		return v.String(), nil
	}
	return nil, err
}

// WithChildren implements sql.Expression.
func (k *nestedKey) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), 1)
	}
	return newNestedKey(children[0]), nil
}
