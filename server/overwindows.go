package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// decimalSumOver is SUM of decimals in a window, where the engine's own adds
// doubles.
type decimalSumOver struct {
	*aggregation.Sum
	typ sql.Type
}

// doubleAvgOver is AVG of other numbers in a window: a DOUBLE, which the engine
// rounds to the type of the numbers.
type doubleAvgOver struct{ *aggregation.Avg }

var (
	_ sql.Aggregation        = (*decimalSumOver)(nil)
	_ sql.CollationCoercible = (*decimalSumOver)(nil)
	_ sql.Aggregation        = (*doubleAvgOver)(nil)
	_ sql.CollationCoercible = (*doubleAvgOver)(nil)
)

// Type implements sql.Expression.
func (s *decimalSumOver) Type() sql.Type { return s.typ }

// CollationCoercibility implements sql.CollationCoercible, as numbers have it.
func (s *decimalSumOver) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (s *decimalSumOver) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := s.Sum.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return s.with(e), nil
}

// WithWindow implements sql.WindowAdaptableExpression.
func (s *decimalSumOver) WithWindow(window *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return s.with(s.Sum.WithWindow(window))
}

// WithId implements sql.IdExpression.
func (s *decimalSumOver) WithId(id sql.ColumnId) sql.IdExpression { return s.with(s.Sum.WithId(id)) }

// with is s around a changed copy of the engine's sum.
func (s *decimalSumOver) with(e sql.Expression) *decimalSumOver {
	if sum, ok := e.(*aggregation.Sum); ok {
		return &decimalSumOver{sum, s.typ}
	}
	return s
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (s *decimalSumOver) NewWindowFunction() (sql.WindowFunction, error) {
	child, err := transform.Clone(s.Child)
	if err != nil {
		return nil, err
	}
	return newSumWindow(s.Window(), child, decimalOf, func(sum decimal.Decimal, _ int) any { return sum })
}

// Type implements sql.Expression.
func (a *doubleAvgOver) Type() sql.Type { return types.Float64 }

// CollationCoercibility implements sql.CollationCoercible, as numbers have it.
func (a *doubleAvgOver) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (a *doubleAvgOver) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := a.Avg.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return a.with(e), nil
}

// WithWindow implements sql.WindowAdaptableExpression.
func (a *doubleAvgOver) WithWindow(window *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return a.with(a.Avg.WithWindow(window))
}

// WithId implements sql.IdExpression.
func (a *doubleAvgOver) WithId(id sql.ColumnId) sql.IdExpression { return a.with(a.Avg.WithId(id)) }

// with is a around a changed copy of the engine's average.
func (a *doubleAvgOver) with(e sql.Expression) *doubleAvgOver {
	if avg, ok := e.(*aggregation.Avg); ok {
		return &doubleAvgOver{avg}
	}
	return a
}
