package server

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/procedures"
)

// timestampLiteral makes the constant of timestamp_literal('text'). Text
// without a zone is in the session's.
func timestampLiteral(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	t, zone, err := literalTime(ctx, "TIMESTAMP", args)
	if err != nil {
		return nil, err
	}
	return expression.NewLiteral(wall(t, zone), types.DatetimeMaxPrecision), nil
}

// dateLiteral makes the constant of date_literal('text').
func dateLiteral(ctx *sql.Context, args []sql.Expression) (sql.Expression, error) {
	t, zone, err := literalTime(ctx, "DATE", args)
	if err != nil {
		return nil, err
	}
	day := wall(t, zone).Truncate(24 * time.Hour)
	return expression.NewLiteral(day, types.Date), nil
}

// literalTime reads the text of a typed literal.
func literalTime(ctx *sql.Context, name string, args []sql.Expression) (time.Time, *time.Location, error) {
	if len(args) != 1 {
		return time.Time{}, nil, sql.ErrInvalidArgumentNumber.New(name, 1, len(args))
	}
	value, err := args[0].Eval(ctx, nil)
	if err != nil {
		return time.Time{}, nil, err
	}
	text, ok := value.(string)
	if !ok {
		return time.Time{}, nil, badArgument(name, "a literal is text: got %v", value)
	}
	zone, err := zoneOf(ctx)
	if err != nil {
		return time.Time{}, nil, err
	}
	t, err := procedures.ParseTimestamp(text, zone)
	if err != nil {
		return time.Time{}, nil, badArgument(name, "%s", err)
	}
	return t, zone, nil
}

// booleanCast is CAST(x AS BOOLEAN).
type booleanCast struct{ call }

func newBooleanCast(args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 1 {
		return nil, sql.ErrInvalidArgumentNumber.New("cast_boolean", 1, len(args))
	}
	return &booleanCast{call{"cast_boolean", args, types.Boolean}}, nil
}

// Eval implements sql.Expression. Text is one of the words that Spark knows.
func (b *booleanCast) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := b.args[0].Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	text, ok := value.(string)
	if !ok {
		return sql.ConvertToBool(ctx, value)
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "t", "true", "y", "yes", "1":
		return true, nil
	case "f", "false", "n", "no", "0":
		return false, nil
	}
	return nil, wireError(badArgument("CAST AS BOOLEAN", "%q is neither true nor false", text))
}

// WithChildren implements sql.Expression.
func (b *booleanCast) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return newBooleanCast(children...)
}
