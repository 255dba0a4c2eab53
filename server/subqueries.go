package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// heldQuery is the query of a subquery that is an expression. The engine reads
// all its rows before it looks at one.
type heldQuery struct {
	plan.UnaryNode
	// kept says that the rows are kept until the statement ends.
	kept bool
}

// String implements fmt.Stringer.
func (h *heldQuery) String() string { return h.Child.String() }

// DebugString implements sql.DebugStringer.
func (h *heldQuery) DebugString() string { return sql.DebugString(h.Child) }

// IsReadOnly implements sql.Node.
func (h *heldQuery) IsReadOnly() bool { return h.Child.IsReadOnly() }

// WithChildren implements sql.Node.
func (h *heldQuery) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(h, len(children), 1)
	}
	return &heldQuery{plan.UnaryNode{Child: children[0]}, h.kept}, nil
}

// holdSubqueries has the rows of subqueries counted.
func holdSubqueries(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, holdSubqueriesOf)
}

func holdSubqueriesOf(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.OneNodeExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		subquery, ok := e.(*plan.Subquery)
		if !ok {
			return e, transform.SameTree, nil
		}
		query, _, err := transform.NodeWithOpaque(subquery.Query, holdSubqueriesOf)
		if err != nil {
			return nil, transform.SameTree, err
		}
		held := &heldQuery{plan.UnaryNode{Child: query}, subquery.CanCacheResults()}
		return subquery.WithQuery(held), transform.NewTree, nil
	})
}

// heldQuery counts the rows of a subquery.
func (b *builder) heldQuery(ctx *sql.Context, n *heldQuery, row sql.Row) (sql.RowIter, error) {
	rows, err := b.all.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &heldRows{RowIter: rows, budget: budgetOf(ctx), what: "a subquery", kept: n.kept}, nil
}
