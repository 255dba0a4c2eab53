package functions

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// Numbers of MySQL that vitess does not name.
const (
	codeWrongValue   = 1292 // ER_TRUNCATED_WRONG_VALUE
	codeDivideByZero = 1365 // ER_DIVISION_BY_ZERO
)

// argumentError is an error about how a function is called.
func argumentError(function, format string, args ...any) error {
	return mysql.NewSQLError(mysql.ERWrongArguments, mysql.SSUnknownSQLState, "%s", function+": "+fmt.Sprintf(format, args...))
}

// valueError says that v cannot become what.
func valueError(v any, what string) error {
	if s, ok := v.(string); ok {
		v = fmt.Sprintf("%q", s)
	}
	return mysql.NewSQLError(codeWrongValue, "22007", "%v is no %s; try_cast gives NULL instead", v, what)
}

// rangeError says that v is outside the range of a type.
func rangeError(v any, what string) error {
	return mysql.NewSQLError(mysql.ERDataOutOfRange, mysql.SSDataOutOfRange, "%v is out of the range of %s", v, what)
}

// zeroError says that something is divided by zero.
func zeroError() error {
	return mysql.NewSQLError(codeDivideByZero, "22012", "division by zero; use NULLIF(divisor, 0) to get NULL instead")
}

// typeName is Spark's name of a type.
func typeName(t sql.Type) string {
	switch {
	case t == types.Boolean:
		return "boolean"
	case types.IsDatetimeType(t):
		return "timestamp"
	case types.IsTextOnly(t):
		return "string"
	}
	return t.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
