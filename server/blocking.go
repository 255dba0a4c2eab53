package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
)

// engineBuild has the engine make the iterator of n, whose children are made by
// child.
func (b *builder) engineBuild(ctx *sql.Context, n sql.Node, row sql.Row, child func(sql.Node, sql.Row) (sql.RowIter, error)) (sql.RowIter, error) {
	return rowexec.NewOverrideBuilder(&around{all: b.all, node: n, child: child}).Build(ctx, n, row)
}

// around builds the children of one node.
type around struct {
	all   sql.NodeExecBuilder
	node  sql.Node
	child func(sql.Node, sql.Row) (sql.RowIter, error)
}

// Build implements sql.NodeExecBuilder.
func (a *around) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if n == a.node {
		return nil, nil
	}
	if a.child != nil {
		return a.child(n, row)
	}
	return a.all.Build(ctx, n, row)
}

// holdChildren counts the rows that n gets, which it keeps until it has the last.
// It keeps at most so many, or all if most is 0.
func (b *builder) holdChildren(ctx *sql.Context, n sql.Node, row sql.Row, what string, most int64) (sql.RowIter, error) {
	held := budgetOf(ctx)
	return b.engineBuild(ctx, n, row, func(child sql.Node, row sql.Row) (sql.RowIter, error) {
		rows, err := b.all.Build(ctx, child, row)
		if err != nil {
			return nil, err
		}
		if _, compares := n.(*plan.SetOp); compares {
			rows = unsigned(rows, child.Schema())
		}
		return &heldRows{RowIter: rows, budget: held, what: what, most: most}, nil
	})
}

// holdRows counts the rows of n, which keeps each, or what tells it from others:
// all zeros are the same then.
func (b *builder) holdRows(ctx *sql.Context, n sql.Node, row sql.Row, what string, kept bool) (sql.RowIter, error) {
	rows, err := b.engineBuild(ctx, n, row, func(child sql.Node, row sql.Row) (sql.RowIter, error) {
		rows, err := b.all.Build(ctx, child, row)
		if err != nil || kept || plan.IsEmptyIter(rows) {
			return rows, err
		}
		return unsigned(rows, child.Schema()), nil
	})
	if err != nil || plan.IsEmptyIter(rows) {
		return rows, err
	}
	return &heldRows{RowIter: rows, budget: budgetOf(ctx), what: what, kept: kept}, nil
}

// hashLookup counts the rows of the side of a join that is kept.
func (b *builder) hashLookup(ctx *sql.Context, n *plan.HashLookup, row sql.Row) (sql.RowIter, error) {
	n.Mutex.Lock()
	made := n.Lookup != nil
	n.Mutex.Unlock()
	if _, cached := n.Child.(*plan.CachedResults); made || cached {
		return nil, nil
	}
	return b.holdRows(ctx, n, row, "a join", true)
}

// cachedResults counts the rows of a result that is kept.
func (b *builder) cachedResults(ctx *sql.Context, n *plan.CachedResults, row sql.Row) (sql.RowIter, error) {
	n.Mutex.Lock()
	made := n.NoCache || n.Finalized || n.GetCachedResults() != nil
	n.Mutex.Unlock()
	if made {
		return nil, nil
	}
	return b.holdRows(ctx, n, row, "a join", true)
}

// setOp counts what a union, an intersection or a difference keeps.
func (b *builder) setOp(ctx *sql.Context, n *plan.SetOp, row sql.Row) (sql.RowIter, error) {
	switch {
	case n.SetOpType != plan.UnionType || len(n.SortFields) > 0 && n.Limit == nil:
		return b.holdChildren(ctx, n, row, "a set operation", 0)
	case n.Distinct:
		return b.holdRows(ctx, n, row, "UNION", false)
	}
	return nil, nil
}

// topN counts the rows that are the first so far.
func (b *builder) topN(ctx *sql.Context, n *plan.TopN, row sql.Row) (sql.RowIter, error) {
	most, ok := rowsOf(ctx, n.Limit)
	if !ok {
		most = 0
	}
	return b.holdChildren(ctx, n, row, "ORDER BY", most)
}
