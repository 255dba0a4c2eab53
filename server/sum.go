package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/firndb/firn/server/columnar"
	"github.com/firndb/firn/server/functions"
)

// wholeSum is SUM of whole numbers: exact, and a BIGINT, as Spark has it. The
// engine's own adds floats.
type wholeSum struct{ *aggregation.Sum }

var (
	_ sql.Aggregation        = (*wholeSum)(nil)
	_ sql.CollationCoercible = (*wholeSum)(nil)
	_ columnar.ExactSum      = (*wholeSum)(nil)
)

// Summed implements columnar.ExactSum.
func (s *wholeSum) Summed() sql.Expression { return s.Child }

// isWhole says whether all values of e are whole numbers.
func isWhole(e sql.Expression) bool {
	if functions.IsOpen(e) || !types.IsInteger(e.Type()) {
		return false
	}
	whole := true
	transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e.(type) {
		case *function.If, *function.IfNull:
			// The engine takes the type of the first value for that of both.
			children := e.Children()
			for _, value := range children[len(children)-2:] {
				whole = whole && (types.IsInteger(value.Type()) || value.Type() == types.Null)
			}
		}
		return !whole
	})
	return whole
}

// Type implements sql.Expression. In a window it is a decimal, as in MySQL: the
// engine has no way to end a window's function with the error that a sum is too
// large.
func (s *wholeSum) Type() sql.Type {
	if s.Window() != nil {
		return types.MustCreateDecimalType(38, 0)
	}
	return types.Int64
}

// IsNullable implements sql.Expression: the sum of nothing is NULL.
func (s *wholeSum) IsNullable() bool { return true }

// CollationCoercibility implements sql.CollationCoercible, as numbers have it.
func (s *wholeSum) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (s *wholeSum) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := s.Sum.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return s.with(e), nil
}

// WithWindow implements sql.WindowAdaptableExpression.
func (s *wholeSum) WithWindow(window *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return s.with(s.Sum.WithWindow(window))
}

// WithId implements sql.IdExpression.
func (s *wholeSum) WithId(id sql.ColumnId) sql.IdExpression {
	return s.with(s.Sum.WithId(id))
}

// with is s around a changed copy of the engine's sum.
func (s *wholeSum) with(e sql.Expression) *wholeSum {
	if sum, ok := e.(*aggregation.Sum); ok {
		return &wholeSum{sum}
	}
	return s
}

// NewBuffer implements sql.Aggregation.
func (s *wholeSum) NewBuffer() (sql.AggregationBuffer, error) {
	child, err := transform.Clone(s.Child)
	if err != nil {
		return nil, err
	}
	return &sumBuffer{child: child}, nil
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (s *wholeSum) NewWindowFunction() (sql.WindowFunction, error) {
	child, err := transform.Clone(s.Child)
	if err != nil {
		return nil, err
	}
	return newSumWindow(s.Window(), child, wholeOf, func(sum decimal.Decimal, _ int) any { return sum })
}

// wholeOf is the whole number that is the value of e for row, false for NULL.
func wholeOf(ctx *sql.Context, e sql.Expression, row sql.Row) (decimal.Decimal, bool, error) {
	var one columnar.Total
	if err := addTo(ctx, &one, e, row); err != nil {
		return decimal.Decimal{}, false, err
	}
	return one.Decimal(), one.Count() > 0, nil
}

// addTo evaluates e for row and adds its value.
func addTo(ctx *sql.Context, t *columnar.Total, e sql.Expression, row sql.Row) error {
	v, err := e.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	n, ok := v.(int64)
	if !ok {
		if u, unsigned := v.(uint64); unsigned && u > 1<<63-1 {
			t.AddUnsigned(u)
			return nil
		}
		converted, _, err := types.Int64.Convert(ctx, v)
		if err != nil {
			return err
		}
		n, _ = converted.(int64)
	}
	t.Add(n)
	return nil
}

// sumBuffer adds the values of a group.
type sumBuffer struct {
	child sql.Expression
	total columnar.Total
}

// Update implements sql.AggregationBuffer.
func (b *sumBuffer) Update(ctx *sql.Context, row sql.Row) error {
	return addTo(ctx, &b.total, b.child, row)
}

// Eval implements sql.AggregationBuffer.
func (b *sumBuffer) Eval(*sql.Context) (any, error) { return b.total.Value() }

// Dispose implements sql.Disposable.
func (b *sumBuffer) Dispose() { expression.Dispose(b.child) }
