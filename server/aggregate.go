package server

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/firndb/firn/server/columnar"
)

// aggregateRows are the rows of a GROUP BY that is computed from record batches.
type aggregateRows struct {
	source *source
	result *columnar.Aggregation
	read   bool
	at     int
}

// newAggregateRows returns false if n must be left to the engine.
func newAggregateRows(ctx *sql.Context, in *source, n *plan.GroupBy) (*aggregateRows, bool) {
	result, ok := columnar.NewAggregation(ctx, in.columnar(), in.conditions, n.SelectedExprs, n.GroupByExprs)
	return &aggregateRows{source: in, result: result}, ok
}

// Next implements sql.RowIter.
func (r *aggregateRows) Next(ctx *sql.Context) (sql.Row, error) {
	if !r.read {
		if err := r.compute(ctx); err != nil {
			return nil, wireError(err)
		}
		r.read = true
	}
	if r.at >= r.result.Groups() {
		return nil, io.EOF
	}
	row, err := r.result.Row(r.at)
	r.at++
	return row, wireError(err)
}

func (r *aggregateRows) compute(ctx *sql.Context) error {
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
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Close implements sql.RowIter.
func (r *aggregateRows) Close(*sql.Context) error { return nil }
