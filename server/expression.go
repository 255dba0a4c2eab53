package server

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// call is what expressions of our own have in common.
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

// CollationCoercibility implements sql.CollationCoercible, as a column has it.
func (c call) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 2
}
