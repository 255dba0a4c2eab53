package functions

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// converter makes a value of a type of one of another.
type converter func(ctx *sql.Context, v any, from sql.Type) (any, error)

// castInternal is CAST and TRY_CAST, which the dialect writes
// cast_as(x, 'type').
func castInternal() []Function {
	cast := func(try bool) maker {
		return func(c call) (sql.Expression, error) {
			target, err := c.constant(1)
			if err != nil {
				return nil, err
			}
			name, _ := target.(string)
			return makeCast(c, name, try)
		}
	}
	return []Function{
		{Names: []string{"cast_as"}, Usage: "value, type", min: 2, max: 2, make: cast(false)},
		{Names: []string{"try_cast_as"}, Usage: "value, type", min: 2, max: 2, make: cast(true)},
	}
}

func makeCast(c call, target string, try bool) (sql.Expression, error) {
	t, convert, err := conversion(target)
	if err != nil {
		return nil, c.bad("%s", err)
	}
	from := c.typ(0)
	if lit, ok := c.args[0].(*expression.Literal); ok && c.ctx != nil && lit.Value() != nil {
		// The engine makes of an infinite constant the largest FLOAT.
		if v, err := convert(c.ctx, lit.Value(), from); err == nil && !isInfinite(v) {
			return expression.NewLiteral(v, t), nil
		}
	}
	return c.strict(t, func(ctx *sql.Context, args []any) (any, error) {
		v, err := convert(ctx, args[0], from)
		if err != nil && try {
			return nil, nil
		}
		return v, err
	})
}

func isInfinite(v any) bool {
	f, ok := v.(float32)
	return ok && math.IsInf(float64(f), 0)
}

// conversion is the engine's type for one of Spark's, and how values become it.
func conversion(target string) (sql.Type, converter, error) {
	name, params, _ := strings.Cut(strings.ToLower(strings.TrimSuffix(strings.TrimSpace(target), ")")), "(")
	switch strings.TrimSpace(name) {
	case "string", "varchar", "char":
		return types.LongText, toText(params), nil
	case "tinyint", "byte":
		return types.Int8, toWhole("tinyint", math.MinInt8, math.MaxInt8), nil
	case "smallint", "short":
		return types.Int16, toWhole("smallint", math.MinInt16, math.MaxInt16), nil
	case "int", "integer":
		return types.Int32, toWhole("int", math.MinInt32, math.MaxInt32), nil
	case "bigint", "long":
		return types.Int64, toWhole("bigint", math.MinInt64, math.MaxInt64), nil
	case "boolean":
		return types.Boolean, func(_ *sql.Context, v any, _ sql.Type) (any, error) { return truth(v) }, nil
	case "double":
		return types.Float64, toDouble, nil
	case "float", "real":
		return types.Float32, func(ctx *sql.Context, v any, from sql.Type) (any, error) {
			f, err := toDouble(ctx, v, from)
			if err != nil {
				return nil, err
			}
			return float32(f.(float64)), nil
		}, nil
	case "decimal", "dec", "numeric":
		return toDecimal(params)
	case "date":
		return types.Date, func(_ *sql.Context, v any, _ sql.Type) (any, error) { return day(v) }, nil
	case "timestamp", "timestamp_ltz", "timestamp_ntz":
		return dateTime(), toTimestamp, nil
	case "binary":
		return types.LongBlob, toBinary, nil
	}
	return nil, nil, argumentError("CAST", "no type %q; allowed are string, boolean, tinyint, smallint, int, bigint, float, double, decimal(p, s), date, timestamp, binary", target)
}

// toText cuts text to the length of VARCHAR(n).
func toText(params string) converter {
	length, limited := digits(strings.TrimSpace(params))
	return func(_ *sql.Context, v any, from sql.Type) (any, error) {
		s := text(v, from)
		if limited {
			s = leftOf(s, length)
		}
		return s, nil
	}
}

// toWhole makes whole numbers: fractions are cut off.
func toWhole(name string, low, high int64) converter {
	return func(ctx *sql.Context, v any, from sql.Type) (any, error) {
		var n int64
		var err error
		switch x := v.(type) {
		case string:
			n, err = wholeText(x, name)
		case time.Time:
			n, err = epochSeconds(ctx, x)
		case []byte:
			return nil, valueError(v, name)
		default:
			n, err = integer(v)
		}
		if err != nil {
			return nil, err
		}
		if n < low || n > high {
			return nil, rangeError(text(v, from), name)
		}
		switch name {
		case "tinyint":
			return int8(n), nil
		case "smallint":
			return int16(n), nil
		case "int":
			return int32(n), nil
		}
		return n, nil
	}
}

func wholeText(s, name string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0, valueError(s, name)
	}
	return n, nil
}

func toDouble(ctx *sql.Context, v any, _ sql.Type) (any, error) {
	if t, ok := v.(time.Time); ok {
		micros, err := epochMicros(ctx, t)
		return float64(micros) / 1e6, err
	}
	return real(v)
}

// toDecimal reads precision and scale; without them they are 10 and 0.
func toDecimal(params string) (sql.Type, converter, error) {
	precision, scale := 10, 0
	if params = strings.TrimSpace(params); params != "" {
		p, s, found := strings.Cut(params, ",")
		var ok, scaled bool
		precision, ok = digits(strings.TrimSpace(p))
		scaled = true
		if found {
			scale, scaled = digits(strings.TrimSpace(s))
		}
		if !ok || !scaled || precision < 1 || precision > 38 || scale > precision {
			return nil, nil, argumentError("CAST", "no type decimal(%s): the precision is 1 to 38, the scale at most the precision", params)
		}
	}
	if scale > types.DecimalTypeMaxScale {
		return nil, nil, argumentError("CAST", "no type decimal(%s): the scale is at most %d", params, types.DecimalTypeMaxScale)
	}
	t, err := decimalType(precision, scale)
	if err != nil {
		return nil, nil, err
	}
	return t, func(ctx *sql.Context, v any, _ sql.Type) (any, error) {
		if at, ok := v.(time.Time); ok {
			micros, err := epochMicros(ctx, at)
			if err != nil {
				return nil, err
			}
			return fit(decimal.New(micros, -6), precision, scale)
		}
		d, err := exact(v)
		if err != nil {
			return nil, err
		}
		return fit(d, precision, scale)
	}, nil
}

// fit rounds d to scale; it is out of range if it then has too many digits.
func fit(d decimal.Decimal, precision, scale int) (any, error) {
	d = d.Round(int32(scale))
	if d.Abs().Cmp(decimal.New(1, int32(precision-scale))) >= 0 {
		return nil, rangeError(d, "decimal("+strconv.Itoa(precision)+","+strconv.Itoa(scale)+")")
	}
	return d, nil
}

// toTimestamp takes numbers for seconds since 1970 in UTC.
func toTimestamp(ctx *sql.Context, v any, _ sql.Type) (any, error) {
	switch v.(type) {
	case time.Time, string:
		return moment(ctx, v)
	}
	d, err := exact(v)
	if err != nil {
		return nil, err
	}
	return wallOf(ctx, d.Shift(6).Floor().BigInt().Int64())
}

func toBinary(_ *sql.Context, v any, _ sql.Type) (any, error) {
	switch b := v.(type) {
	case []byte:
		return b, nil
	case string:
		return []byte(b), nil
	}
	return nil, valueError(v, "binary")
}

// epochMicros is the instant of a wall clock of the session, in microseconds
// since 1970 in UTC.
func epochMicros(ctx *sql.Context, t time.Time) (int64, error) {
	zone, err := Zone(ctx)
	if err != nil {
		return 0, err
	}
	return Instant(t, zone).UnixMicro(), nil
}

func epochSeconds(ctx *sql.Context, t time.Time) (int64, error) {
	micros, err := epochMicros(ctx, t)
	return floorDiv(micros, 1e6), err
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// wallOf is the wall clock of an instant in the session's zone.
func wallOf(ctx *sql.Context, micros int64) (any, error) {
	zone, err := Zone(ctx)
	if err != nil {
		return nil, err
	}
	return Wall(time.UnixMicro(micros), zone), nil
}
