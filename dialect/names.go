package dialect

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Resolver maps names as typed to the databases and tables that the engine
// holds. It is called while parsing, once per reference, and must be quick. Its
// errors are no syntax errors: they become the error of the statement.
type Resolver interface {
	// Table resolves the dotted parts of a table name. The database may be
	// empty: the engine then takes its current one.
	Table(ctx *sql.Context, parts []string) (database, table string, err error)
	// Database resolves the dotted parts of a namespace, as in USE a.b.
	Database(ctx *sql.Context, parts []string) (database string, err error)
}

// Statements makes the statements that the engine's grammar has no form for.
type Statements interface {
	// Call is CALL and EXPLAIN CALL. The resolved children are the argument
	// expressions, in the order of the call.
	Call(c Call) ast.Injectable
	// ShowProcedures is SHOW PROCEDURES [IN catalog] [LIKE 'like']. The catalog
	// is its dotted parts as typed, like is empty if not given.
	ShowProcedures(catalog []string, like string) ast.Injectable
	// DescribeProcedure is DESCRIBE PROCEDURE name.
	DescribeProcedure(name []string) ast.Injectable
	// Describe is DESCRIBE TABLE [EXTENDED] table and DESCRIBE EXTENDED table.
	Describe(table []string, extended bool) ast.Injectable
	// ShowTableProperties is SHOW TBLPROPERTIES table [('key')]. The key is
	// empty if not given.
	ShowTableProperties(table []string, key string) ast.Injectable
}

// Call is a CALL statement without its argument expressions.
type Call struct {
	// Explain is set by EXPLAIN CALL.
	Explain bool
	// Procedure is the dotted parts of the procedure's name, as typed.
	Procedure []string
	// ArgNames has one element per argument: its name as typed, or "" for a
	// positional one.
	ArgNames []string
}

// failure is a statement that fails with err when the engine binds it. Errors
// of the Resolver are reported through it because the engine turns every error
// of its parser into a syntax error.
type failure struct{ err error }

// WithResolvedChildren implements ast.Injectable.
func (f failure) WithResolvedChildren([]any) (any, error) { return nil, f.err }

// String names the statement in the engine's logs.
func (f failure) String() string { return "unresolved name" }
