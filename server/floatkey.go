package server

import (
	"context"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/columnar"
)

var (
	_ columnar.FloatKey     = (*floatKey)(nil)
	_ columnar.OrderedFloat = (*orderedFloat)(nil)
)

// floatKey is a whole number that is ordered as its argument is as a DOUBLE.
type floatKey struct{ call }

func newFloatKey(e sql.Expression) sql.Expression {
	key := &floatKey{call{"float_key", []sql.Expression{e}, types.Int64}}
	return folded(key, e)
}

// folded is key as a constant if its argument is one.
func folded(key, arg sql.Expression) sql.Expression {
	switch arg.(type) {
	case *expression.Literal, *decimalLiteral:
	default:
		return key
	}
	value, err := key.Eval(sql.NewEmptyContext(), nil)
	if err != nil {
		return key
	}
	return expression.NewLiteral(value, key.Type())
}

// Keyed implements columnar.FloatKey.
func (k *floatKey) Keyed() sql.Expression { return k.args[0] }

// Eval implements sql.Expression.
func (k *floatKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := k.args[0].Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	f, err := toFloat(ctx, value)
	if err != nil {
		return nil, err
	}
	return columnar.OrderedBits(f), nil
}

// WithChildren implements sql.Expression.
func (k *floatKey) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), 1)
	}
	return newFloatKey(children[0]), nil
}

func toFloat(ctx context.Context, value any) (float64, error) {
	switch v := value.(type) {
	case float64:
		return v, nil
	case float32:
		return float64(v), nil
	case string:
		if f, ok := namedFloat(v); ok {
			return f, nil
		}
	}
	converted, _, err := types.Float64.Convert(ctx, value)
	if err != nil {
		return 0, err
	}
	f, _ := converted.(float64)
	return f, nil
}

// namedFloat is the number that a word is, in the words that Spark casts.
func namedFloat(text string) (float64, bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "nan":
		return math.NaN(), true
	case "infinity", "+infinity", "inf", "+inf":
		return math.Inf(1), true
	case "-infinity", "-inf":
		return math.Inf(-1), true
	}
	return 0, false
}

// orderedType is a type of floating-point numbers with Spark's order.
type orderedType struct{ numberType }

// numberType is a type of the engine, under a name that its method Type leaves free.
type numberType = sql.Type

// Compare implements sql.Type.
func (t orderedType) Compare(ctx context.Context, a, b any) (int, error) {
	if a == nil || b == nil {
		return t.numberType.Compare(ctx, a, b)
	}
	x, err := toFloat(ctx, a)
	if err != nil {
		return 0, err
	}
	y, err := toFloat(ctx, b)
	if err != nil {
		return 0, err
	}
	return types.Int64.Compare(ctx, columnar.OrderedBits(x), columnar.OrderedBits(y))
}

// orderedFloat is its argument with a type that has Spark's order.
type orderedFloat struct{ call }

// Ordered implements columnar.OrderedFloat.
func (o *orderedFloat) Ordered() sql.Expression { return o.args[0] }

// Eval implements sql.Expression.
func (o *orderedFloat) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return o.args[0].Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (o *orderedFloat) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(o, len(children), 1)
	}
	return &orderedFloat{call{o.name, children, o.typ}}, nil
}

// floatCast is a CAST of text to FLOAT or DOUBLE that knows NaN and infinity;
// its second argument is the engine's cast.
type floatCast struct{ call }

// Eval implements sql.Expression.
func (c *floatCast) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := c.args[0].Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	if text, ok := value.(string); ok {
		if f, ok := namedFloat(text); ok && c.typ.Equals(types.Float32) {
			return float32(f), nil
		} else if ok {
			return f, nil
		}
	}
	return c.args[1].Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (c *floatCast) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 2)
	}
	return &floatCast{call{c.name, children, c.typ}}, nil
}

// numberNullIf is NULLIF of numbers: its first argument, NULL if the keys of both
// are the same.
type numberNullIf struct{ call }

func newNumberNullIf(value, left, right sql.Expression) *numberNullIf {
	return &numberNullIf{call{"nullif", []sql.Expression{value, left, right}, value.Type()}}
}

// Eval implements sql.Expression.
func (n *numberNullIf) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := n.args[0].Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	same, err := expression.NewEquals(n.args[1], n.args[2]).Eval(ctx, row)
	if err != nil || sql.IsTrue(same) {
		return nil, err
	}
	return value, nil
}

// WithChildren implements sql.Expression.
func (n *numberNullIf) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 3 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 3)
	}
	return newNumberNullIf(children[0], children[1], children[2]), nil
}
