package server

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

// maxDigits is how many digits a decimal has at most, in Iceberg and Spark.
const maxDigits = 38

// decimalAvg is AVG of decimals: a decimal with four more digits before and
// after the point, as Spark has it. The engine's own is a DOUBLE.
type decimalAvg struct {
	*aggregation.Avg
	typ   sql.Type
	scale int32
}

var (
	_ sql.Aggregation        = (*decimalAvg)(nil)
	_ sql.CollationCoercible = (*decimalAvg)(nil)
)

// newDecimalAvg is false if avg is not of decimals of a known scale.
func newDecimalAvg(avg *aggregation.Avg) (*decimalAvg, bool) {
	child := avg.Child
	if distinct, ok := child.(*expression.DistinctExpression); ok {
		child = distinct.Child
	}
	var precision, scale int
	switch t := child.Type().(type) {
	case exactType:
		precision, scale = t.precision, t.scale
	case sql.DecimalType:
		precision, scale = int(t.Precision()), int(t.Scale())
		if t == types.InternalDecimalType {
			return nil, false
		}
	default:
		return nil, false
	}
	precision, scale = min(precision+4, maxDigits), min(scale+4, maxDigits)
	if scale > maxScale {
		return &decimalAvg{avg, exactType{precision, scale}, int32(scale)}, true
	}
	t, err := types.CreateDecimalType(uint8(precision), uint8(scale))
	return &decimalAvg{avg, t, int32(scale)}, err == nil
}

// Type implements sql.Expression.
func (a *decimalAvg) Type() sql.Type { return a.typ }

// CollationCoercibility implements sql.CollationCoercible, as numbers have it.
func (a *decimalAvg) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (a *decimalAvg) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := a.Avg.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return a.with(e), nil
}

// WithWindow implements sql.WindowAdaptableExpression.
func (a *decimalAvg) WithWindow(window *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return a.with(a.Avg.WithWindow(window))
}

// WithId implements sql.IdExpression.
func (a *decimalAvg) WithId(id sql.ColumnId) sql.IdExpression {
	return a.with(a.Avg.WithId(id))
}

// with is a around a changed copy of the engine's average.
func (a *decimalAvg) with(e sql.Expression) *decimalAvg {
	if avg, ok := e.(*aggregation.Avg); ok {
		return &decimalAvg{avg, a.typ, a.scale}
	}
	return a
}

// Averaged is what the average is of.
func (a *decimalAvg) Averaged() sql.Expression { return a.Child }

// Average is the average of n numbers whose sum is given, NULL of none. The
// error says that it has more digits than a decimal.
func (a *decimalAvg) Average(sum decimal.Decimal, n int64) (any, error) {
	if n == 0 {
		return nil, nil
	}
	average := sum.DivRound(decimal.NewFromInt(n), a.scale)
	if average.NumDigits()+int(average.Exponent()+a.scale) > maxDigits {
		return nil, mysql.NewSQLError(mysql.ERDataOutOfRange, mysql.SSDataOutOfRange,
			"DECIMAL value is out of range in AVG: %s does not fit decimal(%d, %d)", average, maxDigits, a.scale)
	}
	if isExact(a.typ) {
		return average.StringFixed(a.scale), nil
	}
	return average, nil
}

// NewBuffer implements sql.Aggregation.
func (a *decimalAvg) NewBuffer() (sql.AggregationBuffer, error) {
	child, err := transform.Clone(a.Child)
	if err != nil {
		return nil, err
	}
	return &avgBuffer{of: a, child: child}, nil
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (a *decimalAvg) NewWindowFunction() (sql.WindowFunction, error) {
	child, err := transform.Clone(a.Child)
	if err != nil {
		return nil, err
	}
	return newSumWindow(a.Window(), child, decimalOf, func(sum decimal.Decimal, n int) any {
		average, err := a.Average(sum, int64(n))
		if err != nil {
			return nil
		}
		return average
	})
}

// decimalOf is the decimal that is the value of e for row, false for NULL.
func decimalOf(ctx *sql.Context, e sql.Expression, row sql.Row) (decimal.Decimal, bool, error) {
	v, err := e.Eval(ctx, row)
	if err != nil || v == nil {
		return decimal.Decimal{}, false, err
	}
	n, err := toDecimal(ctx, v)
	return n, err == nil, err
}

func toDecimal(ctx context.Context, v any) (decimal.Decimal, error) {
	switch n := v.(type) {
	case decimal.Decimal:
		return n, nil
	case string:
		return decimal.NewFromString(n)
	}
	converted, _, err := types.InternalDecimalType.Convert(ctx, v)
	n, _ := converted.(decimal.Decimal)
	return n, err
}

// avgBuffer averages the values of a group.
type avgBuffer struct {
	of    *decimalAvg
	child sql.Expression
	sum   decimal.Decimal
	n     int64
}

// Update implements sql.AggregationBuffer.
func (b *avgBuffer) Update(ctx *sql.Context, row sql.Row) error {
	n, ok, err := decimalOf(ctx, b.child, row)
	if ok {
		b.sum = b.sum.Add(n)
		b.n++
	}
	return err
}

// Eval implements sql.AggregationBuffer.
func (b *avgBuffer) Eval(*sql.Context) (any, error) { return b.of.Average(b.sum, b.n) }

// Dispose implements sql.Disposable.
func (b *avgBuffer) Dispose() { expression.Dispose(b.child) }
