package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// builder makes the iterators of the nodes that are run in a way of our own;
// the engine makes the others.
type builder struct {
	// all makes the iterator of any node.
	all sql.NodeExecBuilder
}

func newBuilder() sql.NodeExecBuilder {
	b := &builder{}
	b.all = rowexec.NewOverrideBuilder(b)
	return b.all
}

// Build implements sql.NodeExecBuilder. It returns nil for a node that is the
// engine's.
func (b *builder) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.GroupBy:
		return b.groupBy(ctx, n, row)
	case *plan.Filter:
		return b.filter(ctx, n, row)
	case *plan.Limit:
		return noRows(ctx, n, row)
	case *plan.Sort:
		return b.holdChildren(ctx, n, row, "ORDER BY", 0)
	case *plan.TopN:
		return b.topN(ctx, n, row)
	case *plan.Window:
		return b.holdChildren(ctx, framedWindow(n), row, "a window", 0)
	case *plan.Distinct:
		return b.holdRows(ctx, n, row, "DISTINCT", false)
	case *plan.SetOp:
		return b.setOp(ctx, n, row)
	case *plan.RecursiveCte:
		return b.holdRows(ctx, n, row, "WITH RECURSIVE", false)
	case *plan.HashLookup:
		return b.hashLookup(ctx, n, row)
	case *plan.CachedResults:
		return b.cachedResults(ctx, n, row)
	case *heldQuery:
		return b.heldQuery(ctx, n, row)
	case *plan.JoinNode:
		return b.join(ctx, n, row)
	case *plan.ValueDerivedTable:
		return valueRows(ctx, n, row)
	case *plan.ShowStatus:
		return showStatus(ctx, n, row)
	}
	return nil, nil
}

// noRows are those of LIMIT 0. The engine would make the iterator below, and
// panic when it closes that of an aggregation that was never asked for a row.
func noRows(ctx *sql.Context, n *plan.Limit, row sql.Row) (sql.RowIter, error) {
	value, err := n.Limit.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	limit, _, err := types.Int64.Convert(ctx, value)
	if err != nil || limit != int64(0) || n.CalcFoundRows {
		return nil, nil
	}
	return sql.RowsToRowIter(), nil
}

// valueRows are the rows of VALUES. The engine panics at NULL among decimals.
func valueRows(ctx *sql.Context, n *plan.ValueDerivedTable, row sql.Row) (sql.RowIter, error) {
	schema := n.Schema()
	rows := make([]sql.Row, len(n.ExpressionTuples))
	for i, tuple := range n.ExpressionTuples {
		rows[i] = make(sql.Row, len(tuple))
		for j, e := range tuple {
			value, err := e.Eval(ctx, row)
			if err != nil {
				return nil, err
			}
			if value, _, err = schema[j].Type.Convert(ctx, value); err != nil {
				return nil, err
			}
			if t, ok := schema[j].Type.(sql.DecimalType); ok && value != nil {
				number, err := toDecimal(ctx, value)
				if err != nil {
					return nil, err
				}
				value = number.Round(int32(t.Scale()))
			}
			rows[i][j] = value
		}
	}
	return sql.RowsToRowIter(rows...), nil
}

// groupBy aggregates below the engine what can be.
func (b *builder) groupBy(ctx *sql.Context, n *plan.GroupBy, row sql.Row) (sql.RowIter, error) {
	rows, err := newAggregateRows(ctx, n, row)
	if err != nil {
		return nil, err
	}
	if rows == nil {
		return b.holdGroups(ctx, n, row)
	}
	rows.engine = func() (sql.RowIter, error) {
		held, err := b.holdGroups(ctx, n, row)
		if held == nil && err == nil {
			return b.engineBuild(ctx, n, row, nil)
		}
		return held, err
	}
	return rows, nil
}

// filter makes rows only of what meets the conditions, if these can be
// evaluated below the engine.
func (b *builder) filter(ctx *sql.Context, n *plan.Filter, row sql.Row) (sql.RowIter, error) {
	in, err := sourceOf(ctx, n, row)
	if in == nil || err != nil {
		return nil, err
	}
	return in.filtered(ctx)
}
