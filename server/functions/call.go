package functions

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// call is a call of a function that is to become an expression.
type call struct {
	// ctx is the context in which the statement is analyzed; nil when a part
	// of its plan is copied.
	ctx      *sql.Context
	function Function
	name     string
	args     []sql.Expression
}

// evaluator computes a call's value of its arguments'.
type evaluator func(ctx *sql.Context, args []any) (any, error)

// strict is an expression that is NULL if one of its arguments is.
func (c call) strict(t sql.Type, eval evaluator) (sql.Expression, error) {
	return c.computed(t, eval), nil
}

// computed is strict as what it makes.
func (c call) computed(t sql.Type, eval evaluator) *Call {
	return &Call{call: c, typ: t, eval: func(ctx *sql.Context, args []any) (any, error) {
		for _, arg := range args {
			if arg == nil {
				return nil, nil
			}
		}
		return eval(ctx, args)
	}}
}

// operator is strict for a [Call.Operator].
func (c call) operator(name string, t sql.Type, eval evaluator) (sql.Expression, error) {
	made := c.computed(t, eval)
	made.operator = name
	return made, nil
}

// lenient is an expression that sees the NULLs among its arguments.
func (c call) lenient(t sql.Type, eval evaluator) (sql.Expression, error) {
	return &Call{call: c, typ: t, eval: eval}, nil
}

// typ is the type of argument i; open if it is not known before a prepared
// statement is executed.
func (c call) typ(i int) sql.Type {
	if IsOpen(c.args[i]) {
		return types.LongText
	}
	return c.args[i].Type()
}

// nested is the nested type of argument i, nil if it is none.
func (c call) nested(i int) *nested.Type {
	t, _ := c.typ(i).(*nested.Type)
	return t
}

// constant is the value of argument i, which must be known in advance.
func (c call) constant(i int) (any, error) {
	if IsOpen(c.args[i]) {
		return nil, nil
	}
	known := true
	sql.Inspect(c.args[i], func(e sql.Expression) bool {
		if _, ok := e.(interface{ TableId() sql.TableId }); ok {
			known = false
		}
		return known
	})
	if !known {
		return nil, c.bad("argument %d must be a constant", i+1)
	}
	return c.args[i].Eval(c.ctx, nil)
}

// open says whether one of the arguments is.
func (c call) open() bool {
	for _, arg := range c.args {
		if IsOpen(arg) {
			return true
		}
	}
	return false
}

// bad is an error about the call.
func (c call) bad(format string, args ...any) error { return argumentError(c.name, format, args...) }

// IsOpen says that the type of e is not known before a prepared statement is
// executed.
func IsOpen(e sql.Expression) bool {
	return !e.Resolved() || types.IsDeferredType(e.Type())
}

// Call is a call of one of the functions as an expression.
type Call struct {
	call
	typ  sql.Type
	eval evaluator
	// field is, plus one, which field of the struct that is argument 0 the
	// call gives; operator is which of + - * / % DIV it is.
	field    int
	operator string
}

// Field returns the struct and the index of its field, if that is what the call
// gives.
func (s *Call) Field() (of sql.Expression, index int, ok bool) {
	if s.field == 0 {
		return nil, 0, false
	}
	return s.args[0], s.field - 1, true
}

// Operator returns +, -, *, /, % or DIV and its operands, if the call is one of
// these, of whole numbers or of doubles.
func (s *Call) Operator() (op string, left, right sql.Expression) {
	if s.operator == "" {
		return "", nil, nil
	}
	return s.operator, s.args[0], s.args[1]
}

// WithType returns the call with another type of the same values.
func (s *Call) WithType(t sql.Type) *Call {
	changed := *s
	changed.typ = t
	changed.function.make = func(again call) (sql.Expression, error) {
		e, err := s.function.make(again)
		if made, ok := e.(*Call); ok && err == nil {
			return made.WithType(t), nil
		}
		return e, err
	}
	return &changed
}

var (
	_ sql.FunctionExpression = (*Call)(nil)
	_ sql.CollationCoercible = (*Call)(nil)
)

// Eval implements sql.Expression.
func (s *Call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	args := make([]any, len(s.args))
	for i, arg := range s.args {
		v, err := arg.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if args[i], err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, err
		}
	}
	return s.eval(ctx, args)
}

// Resolved implements sql.Expression.
func (s *Call) Resolved() bool {
	for _, arg := range s.args {
		if !arg.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (s *Call) String() string {
	args := make([]string, len(s.args))
	for i, arg := range s.args {
		args[i] = arg.String()
	}
	return s.name + "(" + strings.Join(args, ", ") + ")"
}

// Type implements sql.Expression.
func (s *Call) Type() sql.Type { return s.typ }

// IsNullable implements sql.Expression.
func (s *Call) IsNullable() bool { return true }

// Children implements sql.Expression.
func (s *Call) Children() []sql.Expression { return s.args }

// WithChildren implements sql.Expression.
func (s *Call) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return s.function.call(s.ctx, s.name, children)
}

// FunctionName implements sql.FunctionExpression.
func (s *Call) FunctionName() string { return s.name }

// Description implements sql.FunctionExpression.
func (s *Call) Description() string { return s.function.Doc }

// CollationCoercibility implements sql.CollationCoercible, as a column has it:
// text is compared byte by byte.
func (s *Call) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 2
}
