package server

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	kinds "gopkg.in/src-d/go-errors.v1"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/dialect"
	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/procedures"
)

// Firn's own error numbers, for what MySQL has none for. Their SQLSTATE is
// HY000.
const (
	codeOther         = 20000
	codeCommitUnknown = 20001
	codeCorrupt       = 20002
	codeRefused       = 20003
	codeConfig        = 20004
	codePanic         = 20005
	codeMemory        = 20006
	codeWarning       = 20007
)

// codeNoProcedure is ER_SP_DOES_NOT_EXIST, which vitess does not name.
const codeNoProcedure = 1305

// codeReadOnly is ER_OPTION_PREVENTS_STATEMENT, which vitess does not name.
const codeReadOnly = 1290

// Error classes that arise in this package.
var (
	errStop = errors.New("server is shutting down")
	// errMemory: a query holds more in memory than it may.
	errMemory = errors.New("query is too large")
	// errNoVersion: a time-travel clause selects nothing.
	errNoVersion = errors.New("no such version")
	// errView: what a view refers to is not there or has changed.
	errView = errors.New("the view cannot be read")
	// errViewText: a view's text is beyond our SQL.
	errViewText = errors.New("the view's text has what Firn does not support")
)

// codeViewInvalid is ER_VIEW_INVALID, which vitess does not name.
const codeViewInvalid = 1356

// class says how an error class is reported: its MySQL number and SQLSTATE.
type class struct {
	is    error
	num   int
	state string
}

// classes is the table of our error classes; the first match counts.
func classes() []class {
	return []class{
		{dialect.ErrSyntax, mysql.ERParseError, "42000"},
		{guard.ErrPanic, codePanic, mysql.SSUnknownSQLState},
		{errStop, mysql.ERServerShutdown, "08S01"},
		{dialect.ErrReadOnly, codeReadOnly, mysql.SSUnknownSQLState},
		{errMemory, codeMemory, mysql.SSUnknownSQLState},
		{errNoVersion, mysql.ERWrongArguments, mysql.SSUnknownSQLState},
		{errView, codeViewInvalid, mysql.SSUnknownSQLState},
		{errViewText, mysql.ERNotSupportedYet, "42000"},
		{catalog.ErrNoSuchTable, mysql.ERNoSuchTable, "42S02"},
		{catalog.ErrNoSuchNamespace, mysql.ERBadDb, "42000"},
		{catalog.ErrNoSuchCatalog, mysql.ERBadDb, "42000"},
		{catalog.ErrConfig, codeConfig, mysql.SSUnknownSQLState},
		{procedures.ErrNoSuchProcedure, codeNoProcedure, "42000"},
		{procedures.ErrArgument, mysql.ERWrongArguments, mysql.SSUnknownSQLState},
		{maintenance.ErrInvalid, mysql.ERWrongArguments, mysql.SSUnknownSQLState},
		{maintenance.ErrConflict, mysql.ERLockDeadlock, mysql.SSLockDeadlock},
		{maintenance.ErrCommitUnknown, codeCommitUnknown, mysql.SSUnknownSQLState},
		{maintenance.ErrCorrupt, codeCorrupt, mysql.SSUnknownSQLState},
		{maintenance.ErrRefused, codeRefused, mysql.SSUnknownSQLState},
		{maintenance.ErrUnsupported, mysql.ERNotSupportedYet, "42000"},
		{catalog.ErrLocation, mysql.ERNotSupportedYet, "42000"},
		{iceberg.ErrNotImplemented, mysql.ERNotSupportedYet, "42000"},
		{context.Canceled, mysql.ERQueryInterrupted, mysql.SSQueryInterrupted},
		{context.DeadlineExceeded, mysql.ERQueryInterrupted, mysql.SSQueryInterrupted},
	}
}

// states are the SQLSTATEs of numbers that the engine reports without one.
func states() map[int]string {
	return map[int]string{
		mysql.ERNoSuchTable: "42S02", mysql.ERBadDb: "42000", mysql.ERBadFieldError: "42S22",
		mysql.ERDbCreateExists: "HY000", mysql.ERMixOfGroupFuncAndFields: "42000", mysql.ERSubqueryNo1Row: "21000",
	}
}

// wireError turns an error of ours into what the client is to see. It is to be
// applied where an error enters the engine, which knows nothing of our classes.
// Errors of the engine's own kinds are left to it.
func wireError(err error) error {
	if err == nil {
		return nil
	}
	var done *mysql.SQLError
	if errors.As(err, &done) {
		return done
	}
	var kind *kinds.Error
	if errors.As(err, &kind) {
		return err
	}
	for _, c := range classes() {
		if errors.Is(err, c.is) {
			return &mysql.SQLError{Num: c.num, State: c.state, Message: err.Error()}
		}
	}
	return &mysql.SQLError{Num: codeOther, State: mysql.SSUnknownSQLState, Message: err.Error()}
}

// errnoText is how an SQLError's number stands in its text, by which it is
// found again when the engine wraps the text in another error.
var errnoText = regexp.MustCompile(` \(errno (\d+)\) \(sqlstate ([0-9A-Z]{5})\)`)

// finalError completes what the engine reports for a statement: the number of
// an error that it only has as text, and the SQLSTATE.
func finalError(err error) error {
	if err == nil {
		return nil
	}
	e := sql.CastSQLError(err)
	out := &mysql.SQLError{Num: e.Num, State: e.State, Message: e.Message}
	if m := errnoText.FindStringSubmatch(out.Message); m != nil {
		if num, err := strconv.Atoi(m[1]); err == nil {
			out.Num, out.State = num, m[2]
			out.Message = strings.Replace(out.Message, m[0], "", 1)
		}
	}
	if out.Num == mysql.ERUnknownError {
		classifyText(out)
	}
	if state, ok := states()[out.Num]; ok && out.State == mysql.SSUnknownSQLState {
		out.State = state
	}
	return out
}
