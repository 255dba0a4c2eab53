package server

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// widening makes the expression that brings a column of a view's query into the
// type that the view's schema says.
type widening struct{ to sql.Type }

// WithResolvedChildren implements the parser's Injectable.
func (w widening) WithResolvedChildren(children []any) (any, error) {
	if len(children) != 1 {
		return nil, fmt.Errorf("a column of a view has %d expressions", len(children))
	}
	e, ok := children[0].(sql.Expression)
	if !ok {
		return nil, fmt.Errorf("a column of a view is no expression: %T", children[0])
	}
	return newWidened(w.to, e), nil
}

// widened is a column of a view's query in the type of the view's schema.
type widened struct {
	expression.UnaryExpression
	to sql.Type
}

func newWidened(to sql.Type, e sql.Expression) *widened {
	return &widened{expression.UnaryExpression{Child: e}, to}
}

// Type implements sql.Expression.
func (w *widened) Type() sql.Type { return w.to }

// String implements sql.Expression.
func (w *widened) String() string { return "widened(" + w.Child.String() + ")" }

// CollationCoercibility implements sql.CollationCoercible, as a column has it.
func (w *widened) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 2
}

// Eval implements sql.Expression.
func (w *widened) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := w.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	out, in, err := w.to.Convert(ctx, v)
	if err == nil && in != sql.InRange {
		err = sql.ErrValueOutOfRange.New(v, w.to)
	}
	return out, err
}

// WithChildren implements sql.Expression.
func (w *widened) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(w, len(children), 1)
	}
	return newWidened(w.to, children[0]), nil
}

// canWiden says whether values of a type may be shown as those of another
// without a change of what they are. The engine's types of expressions are not
// quite Spark's, so that within a kind all are let through.
func canWiden(from, to sql.Type) bool {
	switch {
	case types.IsDeferredType(from) || from.Equals(types.Null):
		return true
	case types.IsNumber(from):
		return types.IsNumber(to)
	case types.IsTime(from):
		return types.IsTime(to)
	case types.IsTextOnly(from):
		return types.IsTextOnly(to)
	case types.IsText(from):
		return types.IsText(to)
	}
	return from.Type() == to.Type() && from.Equals(to)
}
