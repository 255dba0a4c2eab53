package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// conditions are the functions that choose among their arguments.
func conditions() []Function {
	return []Function{
		{
			Names: []string{"nvl", "ifnull"}, Usage: "a, b", min: 2, max: 2, make: makeCoalesce,
			Doc: "a, or b if a is NULL.",
		},
		{
			Names: []string{"coalesce"}, Usage: "a, b, …", min: 1, max: -1, make: makeCoalesce,
			Doc: "The first that is not NULL.",
		},
		{
			Names: []string{"nvl2"}, Usage: "a, b, c", min: 3, max: 3, make: makeNvl2,
			Doc: "b if a is not NULL, else c.",
		},
		{
			Names: []string{"nullifzero"}, Usage: "number", min: 1, max: 1, make: makeNullIfZero,
			Doc: "The number; NULL if it is zero.",
		},
		{
			Names: []string{"zeroifnull"}, Usage: "number", min: 1, max: 1, make: makeZeroIfNull,
			Doc: "The number; zero if it is NULL.",
		},
		{
			Names: []string{"isnull"}, Usage: "a", min: 1, max: 1, make: makeIsNull(true),
			Doc: "Whether a is NULL.",
		},
		{
			Names: []string{"isnotnull"}, Usage: "a", min: 1, max: 1, make: makeIsNull(false),
			Doc: "Whether a is not NULL.",
		},
		{
			Names: []string{"equal_null"}, Usage: "a, b", min: 2, max: 2, make: makeEqualNull,
			Doc: "Whether a and b are equal or both NULL, as a <=> b.",
		},
		{
			Names: []string{"greatest"}, Usage: "a, b, …", min: 2, max: -1, make: makeExtreme(1),
			Doc: "The largest; NULLs do not count.",
		},
		{
			Names: []string{"least"}, Usage: "a, b, …", min: 2, max: -1, make: makeExtreme(-1),
			Doc: "The smallest; NULLs do not count.",
		},
		{
			Names: []string{"assert_true"}, Usage: "condition", min: 1, max: 1, make: makeAssert,
			Doc: "NULL; an error if the condition does not hold.",
		},
	}
}

// makeCoalesce is the engine's: it computes no more arguments than it must.
func makeCoalesce(c call) (sql.Expression, error) {
	for _, arg := range c.args {
		if IsOpen(arg) {
			return function.NewCoalesce(c.args...)
		}
	}
	return &choice{Call: Call{call: c, typ: commonType(c.args)}, coalesces: true, pick: func(ctx *sql.Context, row sql.Row) (int, any, error) {
		for i, arg := range c.args {
			v, err := arg.Eval(ctx, row)
			if err != nil || v != nil {
				return i, v, err
			}
		}
		return 0, nil, nil
	}}, nil
}

func makeNvl2(c call) (sql.Expression, error) {
	return &choice{Call: Call{call: c, typ: commonType(c.args[1:])}, pick: func(ctx *sql.Context, row sql.Row) (int, any, error) {
		v, err := c.args[0].Eval(ctx, row)
		if err != nil {
			return 0, nil, err
		}
		i := 1
		if v == nil {
			i = 2
		}
		v, err = c.args[i].Eval(ctx, row)
		return i, v, err
	}}, nil
}

// choice is a call that gives one of its arguments and computes no others.
type choice struct {
	Call
	pick func(ctx *sql.Context, row sql.Row) (int, any, error)
	// coalesces says that the first that is not NULL is given.
	coalesces bool
}

// Coalesced are the expressions of which e is the first that is not NULL, as its
// own type; false if e is something else.
func Coalesced(e sql.Expression) ([]sql.Expression, bool) {
	c, ok := e.(*choice)
	if !ok || !c.coalesces {
		return nil, false
	}
	return c.args, true
}

// Eval implements sql.Expression.
func (e *choice) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	i, v, err := e.pick(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return nil, err
	}
	return coerce(ctx, v, e.args[i].Type(), e.typ)
}

func makeNullIfZero(c call) (sql.Expression, error) {
	return c.strict(c.typ(0), func(_ *sql.Context, args []any) (any, error) {
		d, err := exact(args[0])
		if err != nil || d.IsZero() {
			return nil, err
		}
		return args[0], nil
	})
}

func makeZeroIfNull(c call) (sql.Expression, error) {
	t := c.typ(0)
	if !types.IsNumber(t) && !types.IsDecimal(t) {
		t = types.Int32
	}
	return c.lenient(t, func(ctx *sql.Context, args []any) (any, error) {
		if args[0] == nil {
			zero, _, err := t.Convert(ctx, 0)
			return zero, err
		}
		return args[0], nil
	})
}

func makeIsNull(null bool) maker {
	return func(c call) (sql.Expression, error) {
		if null {
			return expression.NewIsNull(c.args[0]), nil
		}
		return expression.NewNot(expression.NewIsNull(c.args[0])), nil
	}
}

func makeEqualNull(c call) (sql.Expression, error) {
	return expression.NewNullSafeEquals(c.args[0], c.args[1]), nil
}

func makeExtreme(sign int) maker {
	return func(c call) (sql.Expression, error) {
		t := commonType(c.args)
		return c.lenient(t, func(ctx *sql.Context, args []any) (any, error) {
			var best any
			for i, arg := range args {
				if arg == nil {
					continue
				}
				v, err := coerce(ctx, arg, c.typ(i), t)
				if err != nil {
					return nil, err
				}
				if best == nil {
					best = v
					continue
				}
				n, err := compare(ctx, t, v, best)
				if err != nil {
					return nil, err
				}
				if n*sign > 0 {
					best = v
				}
			}
			return best, nil
		})
	}
}

func makeAssert(c call) (sql.Expression, error) {
	return c.lenient(types.Null, func(_ *sql.Context, args []any) (any, error) {
		if args[0] != nil {
			holds, err := truth(args[0])
			if err != nil || holds {
				return nil, err
			}
		}
		return nil, c.bad("%s does not hold", c.args[0])
	})
}

// coerce makes a value of type from one of type to, which [commonType] chose.
func coerce(ctx *sql.Context, v any, from, to sql.Type) (any, error) {
	switch {
	case v == nil || from == to:
		return v, nil
	case types.IsTextOnly(to):
		return text(v, from), nil
	case types.IsDecimal(to):
		d, err := exact(v)
		return d, err
	case types.Float64.Equals(to):
		f, err := real(v)
		return f, err
	case types.DatetimeMaxPrecision.Equals(to):
		return moment(ctx, v)
	case to == types.Boolean:
		return v, nil
	}
	converted, _, err := to.Convert(ctx, v)
	return converted, err
}

// commonType is the type that values of all expressions can have, as Spark
// finds it: the wider of numbers, a timestamp for dates too, else text.
func commonType(all []sql.Expression) sql.Type {
	var t sql.Type
	for _, e := range all {
		if IsOpen(e) {
			return types.LongText
		}
		if next := e.Type(); next != types.Null {
			if t == nil {
				t = next
				continue
			}
			t = widen(t, next)
		}
	}
	if t == nil {
		return types.Null
	}
	if types.IsTextOnly(t) {
		return types.LongText
	}
	if types.IsInteger(t) && t != types.Boolean && t != types.Int64 {
		return wider(t, t)
	}
	return t
}

// widen is the type for values of both.
func widen(a, b sql.Type) sql.Type {
	switch {
	case a == b, a.Equals(b) && a != types.Boolean && b != types.Boolean && !types.IsDecimal(a):
		return a
	case a == types.Boolean, b == types.Boolean:
	case types.IsInteger(a) && types.IsInteger(b):
		return wider(a, b)
	case isNumber(a) && isNumber(b):
		if types.IsFloat(a) || types.IsFloat(b) {
			return types.Float64
		}
		return widenDecimal(decimalFor(a), decimalFor(b))
	case types.IsTime(a) && types.IsTime(b):
		return dateTime()
	}
	return types.LongText
}

func isNumber(t sql.Type) bool {
	return t != types.Boolean && (types.IsNumber(t) || types.IsDecimal(t))
}

// decimalFor is the decimal type that holds a whole type's values.
func decimalFor(t sql.Type) sql.Type {
	digits := uint8(20)
	switch {
	case types.IsDecimal(t):
		return t
	case types.Int8.Equals(t), types.Uint8.Equals(t):
		digits = 3
	case types.Int16.Equals(t), types.Uint16.Equals(t):
		digits = 5
	case types.Int32.Equals(t), types.Uint32.Equals(t):
		digits = 10
	}
	return types.MustCreateDecimalType(digits, 0)
}

// widenDecimal has the digits that either has before and after the point.
func widenDecimal(a, b sql.Type) sql.Type {
	p1, s1 := decimalOfType(a)
	p2, s2 := decimalOfType(b)
	scale := max(s1, s2)
	precision := min(max(p1-s1, p2-s2)+scale, 38)
	t, err := decimalType(precision, min(scale, precision))
	if err != nil {
		return types.InternalDecimalType
	}
	return t
}

// compare compares values of type t as Spark orders them: NaN is the largest
// number.
func compare(ctx *sql.Context, t sql.Type, a, b any) (int, error) {
	switch x := a.(type) {
	case decimal.Decimal:
		if y, ok := b.(decimal.Decimal); ok {
			return x.Cmp(y), nil
		}
	case float64:
		if y, ok := b.(float64); ok {
			return compareFloats(x, y), nil
		}
	case float32:
		if y, ok := b.(float32); ok {
			return compareFloats(float64(x), float64(y)), nil
		}
	}
	return t.Compare(ctx, a, b)
}

func compareFloats(a, b float64) int {
	switch {
	case a < b, b != b && a == a:
		return -1
	case a > b, a != a && b == b:
		return 1
	}
	return 0
}
