package functions

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// makeDivide is a / b: of whole numbers and doubles a double, of decimals a
// decimal with the digits that Spark's has, class DecimalPrecision.
func makeDivide(c call) (sql.Expression, error) {
	a, b := c.typ(0), c.typ(1)
	if c.open() || !types.IsDecimal(a) && !types.IsDecimal(b) || !isNumber(a) || !isNumber(b) || types.IsFloat(a) || types.IsFloat(b) {
		return c.operator("/", types.Float64, func(_ *sql.Context, args []any) (any, error) {
			x, y, err := reals(args)
			if err != nil {
				return nil, err
			}
			return x / y, nil
		})
	}
	p1, s1 := decimalOfType(decimalFor(a))
	p2, s2 := decimalOfType(decimalFor(b))
	scale := max(6, s1+p2+1)
	precision, scale := adjust(p1-s1+s2+scale, scale)
	t, err := decimalType(precision, scale)
	if err != nil {
		return nil, err
	}
	return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
		x, y, err := decimals(args)
		if err != nil {
			return nil, err
		}
		return x.DivRound(y, int32(t.Scale())), nil
	})
}

// adjust bounds a decimal type by 38 digits: the digits after the point give
// way, but for six.
func adjust(precision, scale int) (int, int) {
	if precision <= 38 {
		return precision, scale
	}
	return 38, max(38-(precision-scale), min(scale, 6))
}

// reals are two numbers, of which the second divides.
func reals(args []any) (x, y float64, err error) {
	if x, err = real(args[0]); err != nil {
		return 0, 0, err
	}
	if y, err = real(args[1]); err == nil && y == 0 {
		err = zeroError()
	}
	return x, y, err
}

func decimals(args []any) (x, y decimal.Decimal, err error) {
	if x, err = exact(args[0]); err != nil {
		return x, y, err
	}
	if y, err = exact(args[1]); err == nil && y.IsZero() {
		err = zeroError()
	}
	return x, y, err
}

// makeDivideWhole is a DIV b, a BIGINT.
func makeDivideWhole(c call) (sql.Expression, error) {
	return c.operator("DIV", types.Int64, func(_ *sql.Context, args []any) (any, error) {
		x, y, err := decimals(args)
		if err != nil {
			return nil, err
		}
		q, _ := x.QuoRem(y, 0)
		return integer(q)
	})
}

// makeRemainder is a % b with the sign of a.
func makeRemainder(c call) (sql.Expression, error) {
	a, b := c.typ(0), c.typ(1)
	switch {
	case !c.open() && types.IsInteger(a) && types.IsInteger(b):
		t := wider(a, b)
		return c.operator("%", t, func(_ *sql.Context, args []any) (any, error) {
			x, y, err := decimals(args)
			if err != nil {
				return nil, err
			}
			return narrow(x.Mod(y).IntPart(), t)
		})
	case !c.open() && isNumber(a) && isNumber(b) && !types.IsFloat(a) && !types.IsFloat(b):
		return c.strict(widenDecimal(decimalFor(a), decimalFor(b)), func(_ *sql.Context, args []any) (any, error) {
			x, y, err := decimals(args)
			if err != nil {
				return nil, err
			}
			return x.Mod(y), nil
		})
	}
	return c.operator("%", types.Float64, func(_ *sql.Context, args []any) (any, error) {
		x, y, err := reals(args)
		if err != nil {
			return nil, err
		}
		return math.Mod(x, y), nil
	})
}
