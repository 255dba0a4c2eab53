package server

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"

	"github.com/firndb/firn/procedures"
)

// exactType is the type of decimals with more digits after the point than the
// engine's have: text inside that is compared, sorted and grouped as the number
// it is.
// The zero value is that of any decimal, for comparisons.
type exactType struct{ precision, scale int }

var (
	_ sql.Type               = exactType{}
	_ sql.CollationCoercible = exactType{}
)

// number reads a value of the type.
func (t exactType) number(v any) (decimal.Decimal, error) {
	switch v := v.(type) {
	case decimal.Decimal:
		return v, nil
	case string:
		n, err := decimal.NewFromString(strings.TrimSpace(v))
		if err != nil {
			return n, fmt.Errorf("%w: %q is no number", procedures.ErrArgument, v)
		}
		return n, nil
	}
	return decimal.NewFromString(fmt.Sprint(v))
}

// Compare implements sql.Type.
func (t exactType) Compare(_ context.Context, a, b any) (int, error) {
	switch {
	case a == nil && b == nil:
		return 0, nil
	case a == nil:
		return -1, nil
	case b == nil:
		return 1, nil
	}
	x, err := t.number(a)
	if err != nil {
		return 0, err
	}
	y, err := t.number(b)
	if err != nil {
		return 0, err
	}
	return x.Cmp(y), nil
}

// Convert implements sql.Type: equal numbers become the same text.
func (t exactType) Convert(_ context.Context, v any) (any, sql.ConvertInRange, error) {
	switch b := v.(type) {
	case nil:
		return nil, sql.InRange, nil
	case bool:
		v = map[bool]int{true: 1}[b]
	}
	n, err := t.number(v)
	if err != nil {
		return nil, sql.OutOfRange, err
	}
	text := n.String()
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text, sql.InRange, nil
}

// Equals implements sql.Type.
func (t exactType) Equals(other sql.Type) bool { return t == other }

// MaxTextResponseByteLength implements sql.Type: a sign, a zero, a point and the
// digits.
func (t exactType) MaxTextResponseByteLength(*sql.Context) uint32 {
	return types.DecimalTypeMaxPrecision + 3
}

// Promote implements sql.Type.
func (t exactType) Promote() sql.Type { return t }

// SQL implements sql.Type: the number with all digits.
func (t exactType) SQL(_ *sql.Context, _ []byte, v any) (sqltypes.Value, error) {
	if v == nil {
		return sqltypes.NULL, nil
	}
	n, err := t.number(v)
	if err != nil {
		return sqltypes.NULL, err
	}
	return sqltypes.MakeTrusted(sqltypes.Decimal, []byte(n.StringFixed(int32(t.scale)))), nil
}

// Type implements sql.Type.
func (t exactType) Type() query.Type { return sqltypes.Decimal }

// ValueType implements sql.Type.
func (t exactType) ValueType() reflect.Type { return reflect.TypeFor[string]() }

// Zero implements sql.Type.
func (t exactType) Zero() any { return "0" }

// CollationCoercibility implements sql.CollationCoercible.
func (t exactType) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 5
}

// String implements fmt.Stringer.
func (t exactType) String() string { return fmt.Sprintf("decimal(%d,%d)", t.precision, t.scale) }

// exactKey is its argument as a decimal that is not rounded.
type exactKey struct{ call }

func newExactKey(e sql.Expression) sql.Expression {
	return folded(&exactKey{call{"exact", []sql.Expression{e}, exactType{}}}, e)
}

// Eval implements sql.Expression.
func (k *exactKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := k.args[0].Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	key, _, err := exactType{}.Convert(ctx, value)
	return key, wireError(err)
}

// WithChildren implements sql.Expression.
func (k *exactKey) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), 1)
	}
	return newExactKey(children[0]), nil
}

// decimalLiteral is a constant that the engine must not round to the scale of
// the column that it is compared with.
type decimalLiteral struct{ call }

// decimalLiteralName is the function that makes one.
const decimalLiteralName = "decimal_literal"

func newDecimalLiteral(args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 1 {
		return nil, sql.ErrInvalidArgumentNumber.New(decimalLiteralName, 1, len(args))
	}
	return &decimalLiteral{call{decimalLiteralName, args, args[0].Type()}}, nil
}

// String implements sql.Expression.
func (d *decimalLiteral) String() string { return d.args[0].String() }

// Eval implements sql.Expression.
func (d *decimalLiteral) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	return d.args[0].Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (d *decimalLiteral) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return newDecimalLiteral(children...)
}
