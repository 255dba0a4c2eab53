package functions

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// rounding rounds to digits after the point.
type rounding func(d decimal.Decimal, digits int32) decimal.Decimal

func halfUp(d decimal.Decimal, digits int32) decimal.Decimal { return d.Round(digits) }

// towardsZero cuts off.
func towardsZero(d decimal.Decimal, digits int32) decimal.Decimal { return d.RoundDown(digits) }

func halfEven(d decimal.Decimal, digits int32) decimal.Decimal { return d.RoundBank(digits) }

// makeRound keeps the type of numbers; a decimal gets the scale asked for.
func makeRound(round rounding) maker {
	return func(c call) (sql.Expression, error) {
		digits := int64(0)
		if len(c.args) == 2 {
			v, err := c.constant(1)
			if err != nil {
				return nil, err
			}
			if v != nil {
				if digits, err = integer(v); err != nil {
					return nil, err
				}
			}
		}
		from := c.typ(0)
		switch {
		case types.IsInteger(from):
			return c.strict(from, func(_ *sql.Context, args []any) (any, error) {
				n, _ := whole(args[0])
				rounded, err := integer(round(decimal.NewFromInt(n), int32(min(digits, 0))))
				if err != nil {
					return nil, err
				}
				return narrow(rounded, from)
			})
		case types.IsDecimal(from) && from != types.InternalDecimalType:
			return c.roundDecimal(from, int32(digits), round)
		}
		t := sql.Type(types.Float64)
		if types.Float32.Equals(from) {
			t = types.Float32
		}
		return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
			return roundFloat(args[0], int32(digits), round)
		})
	}
}

func roundFloat(v any, digits int32, round rounding) (any, error) {
	f, err := real(v)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return f, err
	}
	d, err := exact(v)
	if err != nil {
		return nil, err
	}
	f, _ = round(d, digits).Float64()
	if _, ok := v.(float32); ok {
		return float32(f), nil
	}
	return f, nil
}

// roundDecimal has one more digit before the point: 9.9 becomes 10.
func (c call) roundDecimal(from sql.Type, digits int32, round rounding) (sql.Expression, error) {
	precision, scale := decimalOfType(from)
	kept := min(scale, max(int(digits), 0))
	p := min(precision-scale+kept+1, 38)
	if digits < 0 {
		p = min(max(precision-scale, -int(digits))+1, 38)
	}
	t, err := decimalType(p, kept)
	if err != nil {
		return nil, err
	}
	return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
		d, err := exact(args[0])
		return round(d, digits), err
	})
}

// decimalOfType is precision and scale of a DECIMAL.
func decimalOfType(t sql.Type) (precision, scale int) {
	dt, ok := t.(sql.DecimalType)
	if !ok {
		return 38, 18
	}
	return int(dt.Precision()), int(dt.Scale())
}
