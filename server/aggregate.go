package server

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/firndb/firn/server/columnar"
)

// aggregateRows are the rows of a GROUP BY that is computed from record batches.
type aggregateRows struct {
	source *source
	result *columnar.Aggregation
	budget *budget
	read   bool
	at     int
	// values and bytes are what has been taken from the budget.
	values, bytes int64
	// engine makes the engine's iterator, which takes over if a value cannot be
	// computed here.
	engine func() (sql.RowIter, error)
	over   sql.RowIter
}

// newAggregateRows returns nil if n must be left to the engine.
func newAggregateRows(ctx *sql.Context, n *plan.GroupBy, row sql.Row) (*aggregateRows, error) {
	in, of, err := sourceOfAll(ctx, n.Child, row, n.Expressions())
	if in == nil || err != nil {
		return nil, err
	}
	selected, keys := of[:len(n.SelectedExprs)], of[len(n.SelectedExprs):]
	result, ok := columnar.NewAggregation(ctx, in.columnar(), in.conditions, selected, keys)
	if !ok {
		return nil, nil
	}
	return &aggregateRows{source: in, result: result, budget: budgetOf(ctx)}, nil
}

// Next implements sql.RowIter.
func (r *aggregateRows) Next(ctx *sql.Context) (sql.Row, error) {
	if !r.read {
		err := r.compute(ctx)
		if errors.Is(err, columnar.ErrUnsure) {
			r.giveBack()
			r.over, err = r.engine()
		}
		if err != nil {
			return nil, wireError(err)
		}
		r.read = true
	}
	if r.over != nil {
		return r.over.Next(ctx)
	}
	if r.at >= r.result.Groups() {
		return nil, io.EOF
	}
	row, err := r.result.Row(r.at)
	r.at++
	return row, wireError(err)
}

func (r *aggregateRows) compute(ctx *sql.Context) error {
	if r.result.OnlyCounts() {
		n, ok, err := r.source.relation.count(ctx, r.source.loaded)
		if err != nil {
			return err
		}
		if ok {
			r.result.AddCount(n)
			return nil
		}
	}
	batches, err := r.source.batches(ctx)
	if err != nil {
		return err
	}
	for batch, err := range batches {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = r.result.Add(batch)
		}
		if batch != nil {
			batch.Release()
		}
		if err == nil {
			err = r.hold()
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// hold takes from the budget what the groups have come to.
func (r *aggregateRows) hold() error {
	values, bytes := r.result.Held()
	more, moreBytes := values-r.values, bytes-r.bytes
	r.values, r.bytes = values, bytes
	return r.budget.take("GROUP BY", more, moreBytes)
}

func (r *aggregateRows) giveBack() {
	r.budget.give(r.values, r.bytes)
	r.values, r.bytes = 0, 0
}

// Close implements sql.RowIter.
func (r *aggregateRows) Close(ctx *sql.Context) error {
	r.giveBack()
	if r.over != nil {
		return r.over.Close(ctx)
	}
	return nil
}
