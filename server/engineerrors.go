package server

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/mysql"
	kinds "gopkg.in/src-d/go-errors.v1"

	"github.com/firndb/firn/dialect"
)

// engineClass says how an error of the engine is reported that it would itself
// report as number 1105.
type engineClass struct {
	kind  *kinds.Kind
	num   int
	state string
}

func engineClasses() []engineClass {
	return []engineClass{
		{sql.ErrUnsupportedSyntax, mysql.ERParseError, "42000"},
		{sql.ErrInvalidSyntax, mysql.ERParseError, "42000"},
		{sql.ErrStoredProcedureDoesNotExist, codeNoProcedure, "42000"},
		{sql.ErrFunctionNotFound, codeNoProcedure, "42000"},
		{sql.ErrNoDatabaseSelected, 1046, "3D000"},
		{sql.ErrTableColumnNotFound, mysql.ERBadFieldError, "42S22"},
		{sql.ErrColumnNotFound, mysql.ERBadFieldError, "42S22"},
		{sql.ErrAmbiguousColumnName, 1052, "23000"},
		{sql.ErrAmbiguousColumnOrAliasName, 1052, "23000"},
		{sql.ErrUnknownSystemVariable, mysql.ERUnknownSystemVariable, mysql.SSUnknownSQLState},
		{sql.ErrDatabaseAccessDeniedForUser, mysql.ERDBAccessDenied, "42000"},
		{sql.ErrTableAccessDeniedForUser, 1142, "42000"},
		{sql.ErrPrivilegeCheckFailed, 1142, "42000"},
		{sql.ErrInvalidArgumentNumber, 1582, "42000"},
		{sql.ErrReadOnly, codeReadOnly, mysql.SSUnknownSQLState},
		{sql.ErrSecureFilePriv, codeReadOnly, mysql.SSUnknownSQLState},
		{analyzererrors.ErrReadOnlyDatabase, codeReadOnly, mysql.SSUnknownSQLState},
		{sql.ErrUnsupportedFeature, mysql.ERNotSupportedYet, "42000"},
		{sql.ErrStoredProceduresNotSupported, codeNoProcedure, "42000"},
		{sql.ErrUnboundPreparedStatementVariable, mysql.ERWrongArguments, mysql.SSUnknownSQLState},
		{sql.ErrCteRecursionLimitExceeded, 3636, mysql.SSUnknownSQLState},
		{planbuilder.ErrUnionSchemasDifferentLength, 1222, "21000"},
		{analyzererrors.ErrValidationGroupBy, 1055, "42000"},
		{analyzererrors.ErrIntervalInvalidUse, mysql.ERWrongArguments, mysql.SSUnknownSQLState},
	}
}

// engineText says how an error that the engine has no kind for is reported, by
// how its message begins, and the message in its place.
type engineText struct {
	begins  string
	num     int
	state   string
	message string
}

func engineTexts() []engineText {
	return []engineText{
		{"failed to resolve aggregate column argument", 1111, "HY000", "an aggregate cannot be the argument of an aggregate"},
		{"unable to find field with index", 1111, "HY000", "a column that is not there was looked for; an aggregate cannot stand in WHERE: use HAVING or a subquery"},
		{"cannot use MATCH", 1191, "HY000", "MATCH … AGAINST is not supported; use LIKE or RLIKE"},
		{"unknown using join type: full outer join", mysql.ERNotSupportedYet, "42000", "FULL OUTER JOIN with USING is not supported; use ON"},
	}
}

// classifyText sets number and SQLSTATE of an error that the engine reports as
// unknown, by the constant parts of its message.
func classifyText(e *mysql.SQLError) {
	switch {
	case strings.HasPrefix(e.Message, context.Canceled.Error()):
		e.Num, e.State, e.Message = mysql.ERQueryInterrupted, mysql.SSQueryInterrupted, "Query execution was interrupted"
		return
	case strings.HasPrefix(e.Message, "handler caught panic"):
		e.Num, e.State = codePanic, mysql.SSUnknownSQLState
		return
	case strings.HasPrefix(e.Message, dialect.ErrSyntax.Error()):
		e.Num, e.State = mysql.ERParseError, "42000"
		return
	}
	for _, t := range engineTexts() {
		if strings.HasPrefix(e.Message, t.begins) {
			e.Num, e.State, e.Message = t.num, t.state, t.message
			return
		}
	}
	if number, ok := strings.CutPrefix(e.Message, "strconv.ParseFloat: parsing "); ok {
		e.Num, e.State = 1367, "22007"
		e.Message = fmt.Sprintf("number %s of a DOUBLE", strings.Replace(number, ": value", " is", 1))
		return
	}
	for _, c := range engineClasses() {
		if c.matches(e.Message) {
			e.Num, e.State = c.num, c.state
			return
		}
	}
}

// matches says whether message can be one of the kind's: the constant pieces
// of the kind's format occur in it, in order.
func (c engineClass) matches(message string) bool {
	pieces := formatVerb.Split(c.kind.Message, -1)
	rest, ok := strings.CutPrefix(message, pieces[0])
	for _, piece := range pieces[1:] {
		i := strings.Index(rest, piece)
		if !ok || i < 0 {
			return false
		}
		rest = rest[i+len(piece):]
	}
	return ok
}

// formatVerb is a verb of fmt.
var formatVerb = regexp.MustCompile(`%[a-z]`)
