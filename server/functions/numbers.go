package functions

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// numbers are the functions of numbers.
func numbers() []Function {
	return slices.Concat(roundings(), tolerant(), analytic(), bitwise())
}

// roundings make whole numbers, or numbers with fewer digits.
func roundings() []Function {
	return []Function{
		{
			Names: []string{"round"}, Usage: "number [, digits]", min: 1, max: 2, make: makeRound(halfUp),
			Doc: "The number rounded to digits after the point, half away from zero.",
		},
		{
			Names: []string{"truncate"}, Usage: "number, digits", min: 2, max: 2, make: makeRound(towardsZero),
			Doc: "The number cut off digits after the point, as in MySQL.",
		},
		{
			Names: []string{"bround"}, Usage: "number [, digits]", min: 1, max: 2, make: makeRound(halfEven),
			Doc: "As round, but half to the even digit.",
		},
		{
			Names: []string{"ceil", "ceiling"}, Usage: "number", min: 1, max: 1, make: makeWholeOf(math.Ceil, decimal.Decimal.Ceil),
			Doc: "The smallest whole number that is not less.",
		},
		{
			Names: []string{"floor"}, Usage: "number", min: 1, max: 1, make: makeWholeOf(math.Floor, decimal.Decimal.Floor),
			Doc: "The largest whole number that is not greater.",
		},
		{
			Names: []string{"pmod"}, Usage: "dividend, divisor", min: 2, max: 2, make: makePmod,
			Doc: "The remainder that is not negative.",
		},
		{
			Names: []string{"positive"}, Usage: "number", min: 1, max: 1, make: func(c call) (sql.Expression, error) { return c.args[0], nil },
			Doc: "The number.",
		},
		{
			Names: []string{"negative"}, Usage: "number", min: 1, max: 1, make: makeNegative,
			Doc: "The number with the other sign.",
		},
		{
			Names: []string{"width_bucket"}, Usage: "value, min, max, buckets", min: 4, max: 4, make: makeWidthBucket,
			Doc: "Which of as many equal ranges from min to max the value is in: 1 is the first, 0 before it.",
		},
	}
}

// tolerant give NULL where the operators have an error.
func tolerant() []Function {
	return []Function{
		{
			Names: []string{"try_divide"}, Usage: "dividend, divisor", min: 2, max: 2, make: makeTryDivide,
			Doc: "The quotient; NULL if the divisor is zero.",
		},
		{
			Names: []string{"try_add"}, Usage: "a, b", min: 2, max: 2, make: makeTry((*big.Int).Add),
			Doc: "The sum of whole numbers; NULL if it is out of range.",
		},
		{
			Names: []string{"try_subtract"}, Usage: "a, b", min: 2, max: 2, make: makeTry((*big.Int).Sub),
			Doc: "The difference of whole numbers; NULL if it is out of range.",
		},
		{
			Names: []string{"try_multiply"}, Usage: "a, b", min: 2, max: 2, make: makeTry((*big.Int).Mul),
			Doc: "The product of whole numbers; NULL if it is out of range.",
		},
	}
}

// analytic are functions of doubles.
func analytic() []Function {
	return []Function{
		real1("The natural logarithm; NULL for what is not positive.", logarithm(math.Log), "ln"),
		real1("The logarithm to base 10.", logarithm(math.Log10), "log10"),
		real1("The logarithm to base 2.", logarithm(math.Log2), "log2"),
		real1("The natural logarithm of one more than the number.", math.Log1p, "log1p"),
		real1("One less than the power of e.", math.Expm1, "expm1"),
		real1("The cube root.", math.Cbrt, "cbrt"),
		{
			Names: []string{"sqrt"}, Usage: "number", min: 1, max: 1, make: makeSqrt,
			Doc: "The square root; NaN of a negative number.",
		},
		real1("The hyperbolic sine.", math.Sinh, "sinh"),
		real1("The hyperbolic cosine.", math.Cosh, "cosh"),
		real1("The hyperbolic tangent.", math.Tanh, "tanh"),
		real1("The whole number that is nearest, to the even one of two, as a double.", math.RoundToEven, "rint"),
		real1("1, 0 or -1 as the number is positive, zero or negative.", signOf, "signum", "sign"),
		{
			Names: []string{"hypot"}, Usage: "a, b", min: 2, max: 2, make: makeReal2(math.Hypot),
			Doc: "The square root of the sum of both squares.",
		},
	}
}

// bitwise are of NaN and of bits.
func bitwise() []Function {
	return []Function{
		{
			Names: []string{"isnan"}, Usage: "number", min: 1, max: 1, make: makeIsNaN,
			Doc: "Whether the number is NaN; false for NULL.",
		},
		{
			Names: []string{"nanvl"}, Usage: "a, b", min: 2, max: 2, make: makeNanvl,
			Doc: "a, or b if a is NaN.",
		},
		{
			Names: []string{"bin"}, Usage: "number", min: 1, max: 1, make: makeBin,
			Doc: "The whole number with binary digits.",
		},
		{
			Names: []string{"bit_count"}, Usage: "number", min: 1, max: 1, make: makeBitCount,
			Doc: "How many bits of the whole number are set.",
		},
		{
			Names: []string{"shiftleft"}, Usage: "number, bits", min: 2, max: 2, make: makeShiftBits(func(n int64, bits uint) int64 { return n << bits }),
			Doc: "The number with its bits moved to the left.",
		},
		{
			Names: []string{"shiftright"}, Usage: "number, bits", min: 2, max: 2, make: makeShiftBits(func(n int64, bits uint) int64 { return n >> bits }),
			Doc: "The number with its bits moved to the right.",
		},
		{
			Names: []string{"factorial"}, Usage: "number", min: 1, max: 1, make: makeFactorial,
			Doc: "The factorial of 0 to 20; NULL for others.",
		},
	}
}

// real1 is a function of doubles.
func real1(doc string, f func(float64) float64, names ...string) Function {
	return Function{Names: names, Usage: "number", Doc: doc, min: 1, max: 1, make: func(c call) (sql.Expression, error) {
		return c.strict(types.Float64, func(_ *sql.Context, args []any) (any, error) {
			n, err := real(args[0])
			if err != nil {
				return nil, err
			}
			// What has no value is NULL, as Spark has it of logarithms.
			if y := f(n); !math.IsNaN(y) || math.IsNaN(n) {
				return y, nil
			}
			return nil, nil
		})
	}}
}

func makeSqrt(c call) (sql.Expression, error) {
	return c.strict(types.Float64, func(_ *sql.Context, args []any) (any, error) {
		n, err := real(args[0])
		return math.Sqrt(n), err
	})
}

func logarithm(f func(float64) float64) func(float64) float64 {
	return func(n float64) float64 {
		if n <= 0 {
			return math.NaN()
		}
		return f(n)
	}
}

func signOf(n float64) float64 {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return n
}

func makeReal2(f func(a, b float64) float64) maker {
	return func(c call) (sql.Expression, error) {
		return c.strict(types.Float64, func(_ *sql.Context, args []any) (any, error) {
			a, err := real(args[0])
			if err != nil {
				return nil, err
			}
			b, err := real(args[1])
			return f(a, b), err
		})
	}
}

func decimalOf(n int64) decimal.Decimal { return decimal.NewFromInt(n) }

// narrow is n as a value of a whole type, if it fits.
func narrow(n int64, t sql.Type) (any, error) {
	v, in, err := t.Convert(context.Background(), n)
	if err != nil || in != sql.InRange {
		return nil, rangeError(n, typeName(t))
	}
	return v, nil
}

// makeWholeOf is BIGINT of a double, a decimal without scale of a decimal.
func makeWholeOf(ofFloat func(float64) float64, ofDecimal func(decimal.Decimal) decimal.Decimal) maker {
	return func(c call) (sql.Expression, error) {
		from := c.typ(0)
		if types.IsDecimal(from) && from != types.InternalDecimalType {
			precision, scale := decimalOfType(from)
			t, err := types.CreateDecimalType(uint8(max(1, min(precision-scale+1, 38))), 0)
			if err != nil {
				return nil, err
			}
			return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
				d, err := exact(args[0])
				return ofDecimal(d), err
			})
		}
		return c.strict(types.Int64, func(_ *sql.Context, args []any) (any, error) {
			if n, ok := whole(args[0]); ok {
				return n, nil
			}
			f, err := real(args[0])
			if err != nil {
				return nil, err
			}
			return floatInteger(ofFloat(f))
		})
	}
}

func makePmod(c call) (sql.Expression, error) {
	a, b := c.typ(0), c.typ(1)
	if types.IsInteger(a) && types.IsInteger(b) {
		return c.strict(wider(a, b), func(_ *sql.Context, args []any) (any, error) {
			x, _ := whole(args[0])
			y, _ := whole(args[1])
			if y == 0 {
				return nil, zeroError()
			}
			r := x % y
			if r < 0 {
				r = (r + y) % y
			}
			return narrow(r, wider(a, b))
		})
	}
	return c.strict(types.Float64, func(_ *sql.Context, args []any) (any, error) {
		x, err := real(args[0])
		if err != nil {
			return nil, err
		}
		y, err := real(args[1])
		if err != nil {
			return nil, err
		}
		if y == 0 {
			return nil, zeroError()
		}
		r := math.Mod(x, y)
		if r < 0 {
			r = math.Mod(r+y, y)
		}
		return r, nil
	})
}

// wider is the whole type that holds the values of both: BIGINT or INT, which
// is what Spark takes a small literal for.
func wider(a, b sql.Type) sql.Type {
	for _, t := range []sql.Type{a, b} {
		switch t {
		case types.Int64, types.Uint64, types.Uint32:
			return types.Int64
		}
	}
	return types.Int32
}

func makeNegative(c call) (sql.Expression, error) {
	from := c.typ(0)
	if !types.IsInteger(from) {
		return c.strict(from, func(_ *sql.Context, args []any) (any, error) {
			if d, ok := args[0].(decimal.Decimal); ok {
				return d.Neg(), nil
			}
			f, err := real(args[0])
			return -f, err
		})
	}
	return c.strict(wider(from, from), func(_ *sql.Context, args []any) (any, error) {
		n, _ := whole(args[0])
		if n == math.MinInt64 {
			return nil, rangeError("-"+strconv.FormatInt(n, 10), "bigint")
		}
		return narrow(-n, wider(from, from))
	})
}

func makeWidthBucket(c call) (sql.Expression, error) {
	return c.strict(types.Int64, func(_ *sql.Context, args []any) (any, error) {
		var n [4]float64
		for i, arg := range args {
			var err error
			if n[i], err = real(arg); err != nil {
				return nil, err
			}
		}
		v, low, high, buckets := n[0], n[1], n[2], n[3]
		if buckets <= 0 || low == high || math.IsNaN(v) || math.IsInf(low, 0) || math.IsInf(high, 0) {
			return nil, nil
		}
		if low > high {
			v, low, high = -v, -low, -high
		}
		switch {
		case v < low:
			return int64(0), nil
		case v >= high:
			return int64(buckets) + 1, nil
		}
		return int64(buckets*(v-low)/(high-low)) + 1, nil
	})
}

func makeTryDivide(c call) (sql.Expression, error) {
	return c.strict(types.Float64, func(_ *sql.Context, args []any) (any, error) {
		a, err := real(args[0])
		if err != nil {
			return nil, err
		}
		b, err := real(args[1])
		if err != nil || b == 0 {
			return nil, err
		}
		return a / b, nil
	})
}

func makeTry(op func(z, x, y *big.Int) *big.Int) maker {
	return func(c call) (sql.Expression, error) {
		if !c.open() && (!types.IsInteger(c.typ(0)) || !types.IsInteger(c.typ(1))) {
			return nil, c.bad("both arguments must be whole numbers")
		}
		t := wider(c.typ(0), c.typ(1))
		return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
			a, _ := whole(args[0])
			b, _ := whole(args[1])
			n := op(new(big.Int), big.NewInt(a), big.NewInt(b))
			if !n.IsInt64() {
				return nil, nil
			}
			if v, err := narrow(n.Int64(), t); err == nil {
				return v, nil
			}
			return nil, nil
		})
	}
}

func makeIsNaN(c call) (sql.Expression, error) {
	return c.lenient(types.Boolean, func(_ *sql.Context, args []any) (any, error) {
		if args[0] == nil {
			return false, nil
		}
		f, err := real(args[0])
		return math.IsNaN(f), err
	})
}

func makeNanvl(c call) (sql.Expression, error) {
	return c.lenient(types.Float64, func(_ *sql.Context, args []any) (any, error) {
		for i, arg := range args {
			if arg == nil {
				return nil, nil
			}
			f, err := real(arg)
			if err != nil || i == 1 || !math.IsNaN(f) {
				return f, err
			}
		}
		return nil, nil
	})
}

func makeBin(c call) (sql.Expression, error) {
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		n, err := integer(args[0])
		return strconv.FormatUint(uint64(n), 2), err
	})
}

func makeBitCount(c call) (sql.Expression, error) {
	return c.strict(types.Int32, func(_ *sql.Context, args []any) (any, error) {
		n, err := integer(args[0])
		return int32(strings.Count(strconv.FormatUint(uint64(n), 2), "1")), err
	})
}

func makeShiftBits(shift func(n int64, bits uint) int64) maker {
	return func(c call) (sql.Expression, error) {
		t := wider(c.typ(0), c.typ(0))
		return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
			n, err := integer(args[0])
			if err != nil {
				return nil, err
			}
			bits, err := small(args[1])
			if err != nil {
				return nil, err
			}
			if t == types.Int32 {
				return int32(shift(n, uint(bits)&31)), nil
			}
			return shift(n, uint(bits)&63), nil
		})
	}
}

func makeFactorial(c call) (sql.Expression, error) {
	return c.strict(types.Int64, func(_ *sql.Context, args []any) (any, error) {
		n, err := integer(args[0])
		if err != nil || n < 0 || n > 20 {
			return nil, err
		}
		f := int64(1)
		for i := int64(2); i <= n; i++ {
			f *= i
		}
		return f, nil
	})
}
