package server

import (
	"context"
	"errors"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/firndb/firn/dialect"
)

// parser is the dialect's parser with errors that keep their class, of which
// the engine would make text, with views and with metadata columns.
type parser struct {
	*dialect.Parser
	names  *provider
	tables sql.Catalog
	views  *views
	users  []User
}

// newParser makes the parser of an engine.
func newParser(names *provider, cfg Config, engine *sqle.Engine) sql.Parser {
	tables := engine.Analyzer.Catalog
	p := parser{dialect.NewParser(resolver{names}, statements{names, cfg, engine}), names, tables, &views{names: names, tables: tables}, cfg.Users}
	p.views.parser = p
	return p
}

// Parse implements sql.Parser.
func (p parser) Parse(ctx *sql.Context, query string, multi bool) (ast.Statement, string, string, error) {
	stmt, parsed, rest, err := p.Parser.Parse(ctx, query, multi)
	stmt, err = p.finish(ctx, stmt, err)
	return stmt, parsed, rest, err
}

// ParseWithOptions implements sql.Parser.
func (p parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, options ast.ParserOptions) (ast.Statement, string, string, error) {
	stmt, parsed, rest, err := p.Parser.ParseWithOptions(ctx, query, delimiter, multi, options)
	stmt, err = p.finish(ctx, stmt, err)
	return stmt, parsed, rest, err
}

// ParseOneWithOptions implements sql.Parser.
func (p parser) ParseOneWithOptions(ctx context.Context, query string, options ast.ParserOptions) (ast.Statement, int, error) {
	stmt, next, err := p.Parser.ParseOneWithOptions(ctx, query, options)
	stmt, err = p.finish(ctx, stmt, err)
	return stmt, next, err
}

// finish mends the parsed statement, or gives the error its class; but it
// leaves alone the error that says that there is no statement, by which the
// engine knows it.
func (p parser) finish(ctx context.Context, stmt ast.Statement, err error) (ast.Statement, error) {
	stmt = answered(stmt, p.users)
	if errors.Is(err, ast.ErrEmpty) {
		return stmt, err
	}
	if err != nil {
		return stmt, wireError(err)
	}
	if err := fixUp(stmt); err != nil {
		return stmt, wireError(err)
	}
	ours, ok := ctx.(*sql.Context)
	if !ok || stmt == nil {
		return stmt, nil
	}
	if shown, err := p.views.shown(ours, stmt); shown != nil || err != nil {
		return shown, wireError(err)
	}
	read := stmt
	if explain, ok := stmt.(*ast.Explain); ok {
		read = explain.Statement
	}
	if err := p.views.replace(ours, read); err != nil {
		return stmt, err
	}
	return stmt, wireError(metaColumns{ours, p.names, p.star}.apply(read))
}

// star is the columns of a query that the engine makes of it.
func (p parser) star(ctx *sql.Context, query *ast.Select) (sql.Schema, error) {
	bound, _, err := planbuilder.New(ctx, p.tables, nil, p).BindOnly(query, "", nil)
	if err != nil {
		return nil, err
	}
	return bound.Schema(), nil
}
