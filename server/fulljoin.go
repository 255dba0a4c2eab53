package server

import (
	"errors"
	"io"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// fullJoin are the rows of a FULL OUTER JOIN. The right side is kept, and looked
// up by the values that the condition says are equal. The engine's compares every
// row with every other, has rows of NULLs in subqueries, and never ends if the
// right side fails.
type fullJoin struct {
	builder *builder
	node    *plan.JoinNode
	// parent is the row of the query around it that the join is for.
	parent sql.Row
	keys   []equalKeys
	budget *budget

	left    sql.RowIter
	leftRow sql.Row
	// candidates are places of right that leftRow is still to be compared with;
	// found says that one was the same.
	candidates []int
	found      bool

	right   []sql.Row
	bytes   int64
	matched []bool
	// byKey has the places of right by key, in all if there are no keys.
	byKey map[string][]int
	// rest is the first place that has not been looked at after the left side.
	rest     int
	compared int
}

func newFullJoin(ctx *sql.Context, b *builder, n *plan.JoinNode, row sql.Row) *fullJoin {
	f := &fullJoin{builder: b, node: n, parent: row, budget: budgetOf(ctx), byKey: map[string][]int{}}
	if len(row) == n.ScopeLen {
		f.keys = equalKeysOf(n)
	}
	return f
}

// Next implements sql.RowIter.
func (f *fullJoin) Next(ctx *sql.Context) (sql.Row, error) {
	if f.matched == nil {
		if err := f.keepRight(ctx); err != nil {
			return nil, err
		}
	}
	for f.left != nil {
		row, err := f.nextOfLeft(ctx)
		if row != nil || err != nil {
			return row, err
		}
	}
	for ; f.rest < len(f.right); f.rest++ {
		if !f.matched[f.rest] {
			row := f.joined(nil, f.right[f.rest])
			f.rest++
			return f.result(row), nil
		}
	}
	return nil, io.EOF
}

// keepRight reads the right side and begins the left.
func (f *fullJoin) keepRight(ctx *sql.Context) error {
	rows, err := f.builder.all.Build(ctx, f.node.Right(), f.parentOfRight())
	if err != nil {
		return err
	}
	for {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = f.keep(ctx, row)
		}
		if err != nil {
			return errors.Join(err, rows.Close(ctx))
		}
	}
	if err := rows.Close(ctx); err != nil {
		return err
	}
	f.matched = make([]bool, len(f.right))
	f.left, err = f.builder.all.Build(ctx, f.node.Left(), f.parent)
	return err
}

func (f *fullJoin) keep(ctx *sql.Context, row sql.Row) error {
	if key, ok, err := f.key(ctx, f.joined(nil, row), false); err != nil {
		return err
	} else if ok {
		f.byKey[key] = append(f.byKey[key], len(f.right))
	}
	size := sizeOf(row)
	f.right = append(f.right, row)
	f.bytes += size
	return f.budget.take("a join", 1, size)
}

// nextOfLeft is the next row that has one of the left side, nil if that is to be
// asked again or has ended.
func (f *fullJoin) nextOfLeft(ctx *sql.Context) (sql.Row, error) {
	if f.leftRow == nil {
		row, err := f.left.Next(ctx)
		if errors.Is(err, io.EOF) {
			left := f.left
			f.left = nil
			return nil, left.Close(ctx)
		}
		if err != nil {
			return nil, err
		}
		key, ok, err := f.key(ctx, f.joined(row, nil), true)
		if err != nil {
			return nil, err
		}
		f.leftRow, f.candidates, f.found = row, nil, false
		if ok {
			f.candidates = f.byKey[key]
		}
	}
	for len(f.candidates) > 0 {
		at := f.candidates[0]
		f.candidates = f.candidates[1:]
		row := f.joined(f.leftRow, f.right[at])
		same, err := f.meets(ctx, row)
		if err != nil {
			return nil, err
		}
		if same {
			f.found, f.matched[at] = true, true
			return f.result(row), nil
		}
	}
	alone := f.leftRow
	f.leftRow = nil
	if f.found {
		return nil, nil
	}
	return f.result(f.joined(alone, nil)), nil
}

// meets says whether the condition holds, and from time to time whether to go on.
func (f *fullJoin) meets(ctx *sql.Context, row sql.Row) (bool, error) {
	const often = 1024
	if f.compared++; f.compared%often == 0 && ctx.Err() != nil {
		return false, wireError(ctx.Err())
	}
	if f.node.Filter == nil {
		return true, nil
	}
	value, err := sql.EvaluateCondition(ctx, f.node.Filter, row)
	return sql.IsTrue(value), err
}

// parentOfRight is the row that the right side is for. A join there counts the
// columns of the left side too.
func (f *fullJoin) parentOfRight() sql.Row {
	joins := false
	transform.Inspect(f.node.Right(), func(n sql.Node) bool {
		_, join := n.(*plan.JoinNode)
		joins = joins || join
		return !joins
	})
	if !joins {
		return f.parent
	}
	return f.parent.Append(make(sql.Row, len(f.node.Left().Schema())))
}

// joined is a row of the query around it and of both sides, nil for one of NULLs.
func (f *fullJoin) joined(left, right sql.Row) sql.Row {
	border := len(f.parent) + len(f.node.Left().Schema())
	row := make(sql.Row, border+len(f.node.Right().Schema()))
	copy(row, f.parent)
	copy(row[len(f.parent):], left)
	copy(row[border:], right)
	return row
}

// result is a joined row as it is passed on: with as much of the row around it
// as the node says.
func (f *fullJoin) result(row sql.Row) sql.Row {
	copy(row[f.node.ScopeLen:], row[len(f.parent):])
	return row[:len(row)-len(f.parent)+f.node.ScopeLen]
}

// key is what rows of both sides have in common that may meet the condition,
// false if a row can meet it with none.
func (f *fullJoin) key(ctx *sql.Context, row sql.Row, left bool) (string, bool, error) {
	var key []byte
	for _, k := range f.keys {
		of := k.right
		if left {
			of = k.left
		}
		value, err := of.Eval(ctx, row)
		if err != nil {
			return "", false, err
		}
		if value == nil {
			if !k.nulls {
				return "", false, nil
			}
			key = append(key, "N,"...)
			continue
		}
		text, err := k.text(ctx, value)
		if err != nil {
			return "", false, err
		}
		key = append(strconv.AppendInt(key, int64(len(text)), 10), ':')
		key = append(key, text...)
	}
	return string(key), true, nil
}

// Close implements sql.RowIter.
func (f *fullJoin) Close(ctx *sql.Context) error {
	f.budget.give(int64(len(f.right)), f.bytes)
	f.right, f.bytes, f.byKey = nil, 0, nil
	if f.left == nil {
		return nil
	}
	left := f.left
	f.left = nil
	return left.Close(ctx)
}
