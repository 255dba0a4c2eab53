package server

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// join lets a join be interrupted that finds no rows for long, and reads a table
// on its right side once: the engine reads it anew for every row of the left.
func (b *builder) join(ctx *sql.Context, n *plan.JoinNode, row sql.Row) (sql.RowIter, error) {
	if n.Op.IsFullOuter() {
		return newFullJoin(ctx, b, n, row), nil
	}
	const often = 1024
	seen := 0
	check := func() error {
		if seen++; seen%often != 0 {
			return nil
		}
		return wireError(ctx.Err())
	}
	right := &repeated{budget: budgetOf(ctx)}
	joined, err := b.engineBuild(ctx, n, row, func(child sql.Node, row sql.Row) (rows sql.RowIter, err error) {
		if child == n.Right() && !n.Op.IsLateral() && readsOneRelation(child) {
			rows, err = right.iterator(func() (sql.RowIter, error) { return b.all.Build(ctx, child, row) })
		} else {
			rows, err = b.all.Build(ctx, child, row)
		}
		if err != nil || plan.IsEmptyIter(rows) {
			return rows, err
		}
		return &interruptible{rows, check}, nil
	})
	if err != nil {
		return nil, err
	}
	return &joinedRows{joined, right}, nil
}

// readsOneRelation says whether the rows of n are those of one of our tables.
func readsOneRelation(n sql.Node) bool {
	switch node := n.(type) {
	case *plan.Filter:
		return readsOneRelation(node.Child)
	case *plan.TableAlias:
		return readsOneRelation(node.Child)
	}
	return relationOf(n) != nil
}

// interruptible asks before each row whether to go on.
type interruptible struct {
	sql.RowIter
	check func() error
}

// Next implements sql.RowIter.
func (i *interruptible) Next(ctx *sql.Context) (sql.Row, error) {
	if err := i.check(); err != nil {
		return nil, err
	}
	return i.RowIter.Next(ctx)
}

// joinedRows are the rows of a join, which lets go of its right side when it
// ends.
type joinedRows struct {
	sql.RowIter
	right *repeated
}

// Close implements sql.RowIter.
func (j *joinedRows) Close(ctx *sql.Context) error {
	j.right.forget()
	return j.RowIter.Close(ctx)
}

// repeated are rows that are read several times, and kept once they have been
// read to the end.
type repeated struct {
	budget *budget
	rows   []sql.Row
	bytes  int64
	whole  bool
}

// iterator iterates over the rows, which make makes if they are not kept.
func (r *repeated) iterator(make func() (sql.RowIter, error)) (sql.RowIter, error) {
	if r.whole {
		return sql.RowsToRowIter(r.rows...), nil
	}
	r.forget()
	rows, err := make()
	if err != nil {
		return nil, err
	}
	return &recorder{rows, r}, nil
}

// forget drops what has been kept of a reading that did not come to its end.
func (r *repeated) forget() {
	r.budget.give(int64(len(r.rows)), r.bytes)
	r.rows, r.bytes = nil, 0
}

// recorder keeps the rows that it passes on.
type recorder struct {
	sql.RowIter
	to *repeated
}

// Next implements sql.RowIter.
func (r *recorder) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil {
		r.to.whole = errors.Is(err, io.EOF)
		return nil, err
	}
	size := sizeOf(row)
	r.to.rows = append(r.to.rows, row)
	r.to.bytes += size
	return row, r.to.budget.take("a join", 1, size)
}
