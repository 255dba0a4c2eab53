package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/shopspring/decimal"

	"github.com/firndb/firn/server/columnar"
)

// sumWindow adds the values of a window's frame.
type sumWindow struct {
	child  sql.Expression
	framer sql.WindowFramer

	// start is where the partition begins; sums[i] and counts[i] are of its
	// first i rows.
	start  int
	sums   []decimal.Decimal
	counts []int
}

// StartPartition implements sql.WindowFunction.
func (w *sumWindow) StartPartition(ctx *sql.Context, interval sql.WindowInterval, rows sql.WindowBuffer) error {
	w.Dispose()
	w.start = interval.Start
	w.sums, w.counts = []decimal.Decimal{{}}, []int{0}
	sum, count := decimal.Decimal{}, 0
	for _, row := range rows[interval.Start:interval.End] {
		var one columnar.Total
		if err := addTo(ctx, &one, w.child, row); err != nil {
			return err
		}
		sum, count = sum.Add(one.Decimal()), count+one.Count()
		w.sums, w.counts = append(w.sums, sum), append(w.counts, count)
	}
	return nil
}

// DefaultFramer implements sql.WindowFunction.
func (w *sumWindow) DefaultFramer() sql.WindowFramer {
	if w.framer != nil {
		return w.framer
	}
	return aggregation.NewUnboundedPrecedingToCurrentRowFramer()
}

// Compute implements sql.WindowFunction.
func (w *sumWindow) Compute(_ *sql.Context, interval sql.WindowInterval, _ sql.WindowBuffer) any {
	from, to := interval.Start-w.start, interval.End-w.start
	if from >= to || w.counts[from] == w.counts[to] {
		return nil
	}
	return w.sums[to].Sub(w.sums[from])
}

// Dispose implements sql.Disposable.
func (w *sumWindow) Dispose() { expression.Dispose(w.child) }
