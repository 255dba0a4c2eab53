package server

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/procedures"
	"github.com/firndb/firn/server/nested"
)

// lookupFunction returns Firn's function of that name, in any case. These are
// what the dialect makes of Spark's forms.
func lookupFunction(ctx *sql.Context, name string) (sql.Function, bool) {
	var make func(args ...sql.Expression) (sql.Expression, error)
	name = strings.ToLower(name)
	switch name {
	case "field":
		make = newField
	case "element_at_index":
		make = newElement
	case "map":
		make = newMapCall
	case "array":
		make = newArrayCall
	case "timestamp_literal":
		make = func(args ...sql.Expression) (sql.Expression, error) { return timestampLiteral(ctx, args) }
	case "date_literal":
		make = func(args ...sql.Expression) (sql.Expression, error) { return dateLiteral(ctx, args) }
	case "cast_boolean":
		make = newBooleanCast
	default:
		return nil, false
	}
	return sql.FunctionN{Name: name, Fn: func(args ...sql.Expression) (sql.Expression, error) {
		e, err := make(args...)
		return e, wireError(err)
	}}, true
}

// badArgument is an error about the arguments of a function.
func badArgument(function, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", procedures.ErrArgument, function, fmt.Sprintf(format, args...))
}

// call is what the functions have in common.
type call struct {
	name string
	args []sql.Expression
	typ  sql.Type
}

// Resolved implements sql.Expression.
func (c call) Resolved() bool {
	for _, arg := range c.args {
		if !arg.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (c call) String() string {
	args := make([]string, len(c.args))
	for i, arg := range c.args {
		args[i] = arg.String()
	}
	return c.name + "(" + strings.Join(args, ", ") + ")"
}

// Type implements sql.Expression.
func (c call) Type() sql.Type { return c.typ }

// IsNullable implements sql.Expression.
func (c call) IsNullable() bool { return true }

// Children implements sql.Expression.
func (c call) Children() []sql.Expression { return c.args }

// FunctionName implements sql.FunctionExpression.
func (c call) FunctionName() string { return c.name }

// Description implements sql.FunctionExpression.
func (c call) Description() string { return "see the dialect's reference" }

// CollationCoercibility implements sql.CollationCoercible, as a column has it.
func (c call) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 2
}

// isOpen says that the type of e is not known before a prepared statement is
// executed.
func isOpen(e sql.Expression) bool {
	return !e.Resolved() || types.IsDeferredType(e.Type())
}

// newField makes field(struct, 'name'). With anything but a struct, FIELD is
// MySQL's own function.
func newField(args ...sql.Expression) (sql.Expression, error) {
	if len(args) == 2 {
		if t, ok := args[0].Type().(*nested.Type); ok {
			return newStructField(args, t)
		}
	}
	return function.NewField(args...)
}

// structField is a field of a struct.
type structField struct {
	call
	index int
}

func newStructField(args []sql.Expression, t *nested.Type) (sql.Expression, error) {
	name, err := args[1].Eval(nil, nil)
	if err != nil {
		return nil, err
	}
	text, ok := name.(string)
	if !ok {
		return nil, badArgument("field", "the name of the field must be text")
	}
	i := t.Field(text)
	if i < 0 {
		return nil, fmt.Errorf("%w: %q in %s, which is a %s", errNoField, text, args[0], t)
	}
	return &structField{call{"field", args, t.Parts[i].SQL}, i}, nil
}

// Eval implements sql.Expression.
func (f *structField) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := f.args[0].Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	s, ok := v.(*nested.Value)
	if !ok || f.index >= len(s.Cells) {
		return nil, nil
	}
	return s.Cells[f.index], nil
}

// WithChildren implements sql.Expression.
func (f *structField) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return newField(children...)
}
