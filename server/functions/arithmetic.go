package functions

import (
	"math/big"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// operator is one of + - *.
type operator struct {
	name    string
	whole   func(z, x, y *big.Int) *big.Int
	float   func(a, b float64) float64
	decimal func(a, b decimal.Decimal) decimal.Decimal
	engine  func(a, b sql.Expression) *expression.Arithmetic
}

// arithmetics are the operators, which the dialect writes as calls.
func arithmetics() []Function {
	function := func(name string, make maker) Function {
		return Function{Names: []string{name}, Usage: "a, b", min: 2, max: 2, make: make}
	}
	plus := operator{"+", (*big.Int).Add, func(a, b float64) float64 { return a + b }, decimal.Decimal.Add, expression.NewPlus}
	minus := operator{"-", (*big.Int).Sub, func(a, b float64) float64 { return a - b }, decimal.Decimal.Sub, expression.NewMinus}
	times := operator{"*", (*big.Int).Mul, func(a, b float64) float64 { return a * b }, decimal.Decimal.Mul, expression.NewMult}
	return []Function{
		function("divide", makeDivide),
		function("divide_whole", makeDivideWhole),
		function("remainder", makeRemainder),
		function("plus", makeArithmetic(plus)),
		function("minus", makeArithmetic(minus)),
		function("times", makeArithmetic(times)),
		{Names: []string{"bits_not"}, Usage: "a", min: 1, max: 1, make: makeBitsNot},
	}
}

// makeArithmetic computes as Spark does: a whole number that is out of range is
// an error, and so is text that is no number. Spark's class DecimalPrecision
// has the digits of decimals.
func makeArithmetic(op operator) maker {
	return func(c call) (sql.Expression, error) {
		a, b := c.typ(0), c.typ(1)
		if interval, ok := c.args[1].(*expression.Interval); ok {
			return c.addInterval(c.args[0], interval, op.name == "-")
		}
		if interval, ok := c.args[0].(*expression.Interval); ok {
			return c.addInterval(c.args[1], interval, false)
		}
		switch {
		case c.open():
			return op.engine(c.args[0], c.args[1]), nil
		case types.IsDateType(a) && types.IsInteger(b) && op.name != "*":
			sign := 1
			if op.name == "-" {
				sign = -1
			}
			return c.strict(types.Date, func(_ *sql.Context, args []any) (any, error) {
				d, err := day(args[0])
				if err != nil {
					return nil, err
				}
				n, err := small(args[1])
				return d.AddDate(0, 0, sign*n), err
			})
		case types.IsTime(a), types.IsTime(b), types.IsTimespan(a), types.IsTimespan(b):
			return nil, argumentError(op.name, "%s and %s cannot be taken for numbers; there are datediff(a, b), timestampdiff(unit, a, b) and a + INTERVAL 1 DAY",
				typeName(a), typeName(b))
		case types.IsInteger(a) && types.IsInteger(b):
			return c.wholeArithmetic(op, wider(a, b))
		case types.IsFloat(a), types.IsFloat(b), types.IsTextOnly(a), types.IsTextOnly(b):
			return c.floatArithmetic(op)
		case isNumber(a) && isNumber(b):
			return c.decimalArithmetic(op)
		}
		return op.engine(c.args[0], c.args[1]), nil
	}
}

func (c call) wholeArithmetic(op operator, t sql.Type) (sql.Expression, error) {
	return c.operator(op.name, t, func(_ *sql.Context, args []any) (any, error) {
		x, okX := whole(args[0])
		y, okY := whole(args[1])
		if !okX || !okY {
			return nil, rangeError(text(args[0], nil)+" "+op.name+" "+text(args[1], nil), typeName(t))
		}
		if n, ok := quick(op.name, x, y); ok {
			return narrow(n, t)
		}
		n := op.whole(new(big.Int), big.NewInt(x), big.NewInt(y))
		if !n.IsInt64() {
			return nil, rangeError(n, typeName(t))
		}
		return narrow(n.Int64(), t)
	})
}

func (c call) floatArithmetic(op operator) (sql.Expression, error) {
	return c.operator(op.name, types.Float64, func(_ *sql.Context, args []any) (any, error) {
		x, err := real(args[0])
		if err != nil {
			return nil, err
		}
		y, err := real(args[1])
		return op.float(x, y), err
	})
}

// quick computes with numbers that are far from overflowing.
func quick(op string, x, y int64) (int64, bool) {
	const far = 1 << 31
	if x >= far || x <= -far || y >= far || y <= -far {
		return 0, false
	}
	switch op {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	}
	return x * y, true
}

func (c call) decimalArithmetic(op operator) (sql.Expression, error) {
	p1, s1 := decimalOfType(decimalFor(c.typ(0)))
	p2, s2 := decimalOfType(decimalFor(c.typ(1)))
	scale := max(s1, s2)
	precision := max(p1-s1, p2-s2) + scale + 1
	if op.name == "*" {
		precision, scale = p1+p2+1, s1+s2
	}
	precision, scale = adjust(precision, scale)
	t, err := decimalType(precision, scale)
	if err != nil {
		return nil, err
	}
	return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
		x, err := exact(args[0])
		if err != nil {
			return nil, err
		}
		y, err := exact(args[1])
		if err != nil {
			return nil, err
		}
		return fit(op.decimal(x, y), precision, int(t.Scale()))
	})
}

// decimalType is the type of decimals; the engine has no more than thirty
// digits after the point.
func decimalType(precision, scale int) (sql.DecimalType, error) {
	return types.CreateColumnDecimalType(uint8(precision), uint8(min(scale, types.DecimalTypeMaxScale)))
}

// addInterval moves a date or timestamp. A date stays one if it is moved by
// days or longer units.
func (c call) addInterval(moved sql.Expression, interval *expression.Interval, back bool) (sql.Expression, error) {
	shift := shiftBy(interval.Unit)
	if shift == nil {
		if back {
			return expression.NewMinus(moved, interval), nil
		}
		return expression.NewPlus(moved, interval), nil
	}
	t := dateTime()
	if types.IsDateType(moved.Type()) && interval.Unit != "HOUR" && interval.Unit != "MINUTE" && !strings.HasSuffix(interval.Unit, "SECOND") {
		t = types.Date
	}
	inner := c
	inner.args = []sql.Expression{moved, interval.Child}
	inner.function = Function{Usage: "time, interval", min: 2, max: 2, make: func(again call) (sql.Expression, error) {
		return again.addInterval(again.args[0], expression.NewInterval(again.args[1], interval.Unit), back)
	}}
	inner.name = c.name + "_" + strings.ToLower(interval.Unit)
	return inner.strict(t, func(ctx *sql.Context, args []any) (any, error) {
		at, err := moment(ctx, args[0])
		if err != nil {
			return nil, err
		}
		n, err := exact(args[1])
		if err != nil {
			return nil, err
		}
		if back {
			n = n.Neg()
		}
		return shift(at, n)
	})
}

// shiftBy moves a time by a number of units; nil for units of MySQL's own.
func shiftBy(unit string) func(t time.Time, n decimal.Decimal) (any, error) {
	months := func(each int64) func(time.Time, decimal.Decimal) (any, error) {
		return func(t time.Time, n decimal.Decimal) (any, error) {
			total := n.Truncate(0).IntPart() * each
			if total > 120_000 || total < -120_000 {
				return nil, rangeError(n, "interval")
			}
			return addMonths(t, int(total)), nil
		}
	}
	micros := func(each int64) func(time.Time, decimal.Decimal) (any, error) {
		return func(t time.Time, n decimal.Decimal) (any, error) {
			total := n.Mul(decimal.NewFromInt(each)).Truncate(0)
			if total.Abs().Cmp(decimal.New(1, 17)) > 0 {
				return nil, rangeError(n, "interval")
			}
			m := total.IntPart()
			return t.AddDate(0, 0, int(m/86_400_000_000)).Add(time.Duration(m%86_400_000_000) * time.Microsecond), nil
		}
	}
	switch unit {
	case "YEAR":
		return months(12)
	case "QUARTER":
		return months(3)
	case "MONTH":
		return months(1)
	case "WEEK":
		return micros(7 * 86_400_000_000)
	case "DAY":
		return micros(86_400_000_000)
	case "HOUR":
		return micros(3_600_000_000)
	case "MINUTE":
		return micros(60_000_000)
	case "SECOND":
		return micros(1_000_000)
	case "MICROSECOND":
		return micros(1)
	}
	return nil
}

func makeBitsNot(c call) (sql.Expression, error) {
	t := wider(c.typ(0), c.typ(0))
	return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
		n, err := integer(args[0])
		if err != nil {
			return nil, err
		}
		return narrow(^n, t)
	})
}
