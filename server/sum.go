package server

import (
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

// wholeSum is SUM of whole numbers: exact, and a BIGINT, as Spark has it. The
// engine's own adds floats.
type wholeSum struct{ *aggregation.Sum }

var (
	_ sql.Aggregation        = (*wholeSum)(nil)
	_ sql.CollationCoercible = (*wholeSum)(nil)
)

// isWhole says whether all values of e are whole numbers.
func isWhole(e sql.Expression) bool {
	if isOpen(e) || !types.IsInteger(e.Type()) {
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
	w := &sumWindow{child: child}
	if window := s.Window(); window != nil && window.Frame != nil {
		if w.framer, err = window.Frame.NewFramer(window); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// total is a sum of whole numbers of any size.
type total struct {
	// small is the sum until it overflows, large what was carried over.
	small int64
	large *big.Int
	// count is how many numbers there were.
	count int
}

// add evaluates e for row and adds its value.
func (t *total) add(ctx *sql.Context, e sql.Expression, row sql.Row) error {
	v, err := e.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	t.count++
	n, ok := v.(int64)
	if !ok {
		if u, unsigned := v.(uint64); unsigned && u > 1<<63-1 {
			t.carry(new(big.Int).SetUint64(u))
			return nil
		}
		converted, _, err := types.Int64.Convert(ctx, v)
		if err != nil {
			return err
		}
		n, _ = converted.(int64)
	}
	sum := t.small + n
	if (n > 0) != (sum > t.small) && n != 0 {
		t.carry(big.NewInt(n))
		return nil
	}
	t.small = sum
	return nil
}

func (t *total) carry(n *big.Int) {
	if t.large == nil {
		t.large = new(big.Int)
	}
	t.large.Add(t.large, n)
}

// value is the sum as a BIGINT, NULL if there was no number.
func (t *total) value() (any, error) {
	switch {
	case t.count == 0:
		return nil, nil
	case t.large == nil:
		return t.small, nil
	}
	sum := new(big.Int).Add(t.large, big.NewInt(t.small))
	if sum.IsInt64() {
		return sum.Int64(), nil
	}
	return nil, mysql.NewSQLError(mysql.ERDataOutOfRange, mysql.SSDataOutOfRange,
		"BIGINT value is out of range in SUM: the sum is %s; add CAST(… AS DECIMAL(38, 0)) instead", sum)
}

// decimal is the sum as a decimal.
func (t *total) decimal() decimal.Decimal {
	sum := decimal.NewFromInt(t.small)
	if t.large != nil {
		sum = sum.Add(decimal.NewFromBigInt(t.large, 0))
	}
	return sum
}

// sumBuffer adds the values of a group.
type sumBuffer struct {
	child sql.Expression
	total total
}

// Update implements sql.AggregationBuffer.
func (b *sumBuffer) Update(ctx *sql.Context, row sql.Row) error {
	return b.total.add(ctx, b.child, row)
}

// Eval implements sql.AggregationBuffer.
func (b *sumBuffer) Eval(*sql.Context) (any, error) { return b.total.value() }

// Dispose implements sql.Disposable.
func (b *sumBuffer) Dispose() { expression.Dispose(b.child) }
