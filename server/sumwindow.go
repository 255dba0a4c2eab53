package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/shopspring/decimal"
)

// sumWindow computes from the sum and the number of the values of a window's
// frame.
type sumWindow struct {
	child  sql.Expression
	framer sql.WindowFramer
	// value is that of child for a row, false for NULL.
	value func(ctx *sql.Context, child sql.Expression, row sql.Row) (decimal.Decimal, bool, error)
	// result is of values of which there is one at least.
	result func(sum decimal.Decimal, n int) any

	// start is where the partition begins; sums[i] and counts[i] are of its
	// first i rows.
	start  int
	sums   []decimal.Decimal
	counts []int
}

func newSumWindow(
	window *sql.WindowDefinition, child sql.Expression,
	value func(*sql.Context, sql.Expression, sql.Row) (decimal.Decimal, bool, error),
	result func(sum decimal.Decimal, n int) any,
) (*sumWindow, error) {
	w := &sumWindow{child: child, value: value, result: result}
	if window == nil || window.Frame == nil {
		return w, nil
	}
	var err error
	w.framer, err = window.Frame.NewFramer(window)
	return w, err
}

// StartPartition implements sql.WindowFunction.
func (w *sumWindow) StartPartition(ctx *sql.Context, interval sql.WindowInterval, rows sql.WindowBuffer) error {
	w.Dispose()
	w.start = interval.Start
	w.sums, w.counts = []decimal.Decimal{{}}, []int{0}
	sum, count := decimal.Decimal{}, 0
	for _, row := range rows[interval.Start:interval.End] {
		n, ok, err := w.value(ctx, w.child, row)
		if err != nil {
			return err
		}
		if ok {
			sum, count = sum.Add(n), count+1
		}
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
	return w.result(w.sums[to].Sub(w.sums[from]), w.counts[to]-w.counts[from])
}

// Dispose implements sql.Disposable.
func (w *sumWindow) Dispose() { expression.Dispose(w.child) }
