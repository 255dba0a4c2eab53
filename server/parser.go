package server

import (
	"context"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/dialect"
)

// parser is the dialect's parser with errors that keep their class: the engine
// makes text of them.
type parser struct{ *dialect.Parser }

func newParser(names *provider, cfg Config) sql.Parser {
	return parser{dialect.NewParser(resolver{names}, statements{names, cfg})}
}

// Parse implements sql.Parser.
func (p parser) Parse(ctx *sql.Context, query string, multi bool) (ast.Statement, string, string, error) {
	stmt, parsed, rest, err := p.Parser.Parse(ctx, query, multi)
	return answered(stmt), parsed, rest, finish(stmt, err)
}

// ParseWithOptions implements sql.Parser.
func (p parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, options ast.ParserOptions) (ast.Statement, string, string, error) {
	stmt, parsed, rest, err := p.Parser.ParseWithOptions(ctx, query, delimiter, multi, options)
	return answered(stmt), parsed, rest, finish(stmt, err)
}

// ParseOneWithOptions implements sql.Parser.
func (p parser) ParseOneWithOptions(ctx context.Context, query string, options ast.ParserOptions) (ast.Statement, int, error) {
	stmt, next, err := p.Parser.ParseOneWithOptions(ctx, query, options)
	return answered(stmt), next, finish(stmt, err)
}

// finish mends the parsed statement, or gives the error its class; but it
// leaves alone the error that says that there is no statement, by which the
// engine knows it.
func finish(stmt ast.Statement, err error) error {
	if errors.Is(err, ast.ErrEmpty) {
		return err
	}
	if err != nil {
		return wireError(err)
	}
	return wireError(fixUp(stmt))
}
