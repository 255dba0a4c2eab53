package dialect

import (
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// maxDepth is how deep brackets may nest.
const maxDepth = 200

// Parser is the parser of the engine: it implements sql.Parser. It holds no
// state of its own and is safe for concurrent use if its Resolver and
// Statements are.
type Parser struct {
	names Resolver
	stmts Statements
}

var _ sql.Parser = (*Parser)(nil)

// NewParser returns a parser that finds names and makes statements with these.
func NewParser(names Resolver, stmts Statements) *Parser {
	return &Parser{names: names, stmts: stmts}
}

// ParseSimple implements sql.Parser.
func (p *Parser) ParseSimple(query string) (ast.Statement, error) {
	stmt, _, _, err := p.ParseWithOptions(context.Background(), query, ';', false, ast.ParserOptions{})
	return stmt, err
}

// Parse implements sql.Parser.
func (p *Parser) Parse(ctx *sql.Context, query string, multi bool) (ast.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, sql.LoadSqlMode(ctx).ParserOptions())
}

// ParseWithOptions implements sql.Parser. The positions in its errors count
// from 1 in query.
func (p *Parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, options ast.ParserOptions) (ast.Statement, string, string, error) {
	stmt, src, next, err := p.parseOne(ctx, query, options)
	if src == nil {
		return stmt, sql.RemoveSpaceAndDelimiter(query, delimiter), "", err
	}
	if !multi {
		if rest := sql.RemoveSpaceAndDelimiter(query[next:], delimiter); err == nil && rest != "" {
			if more, _ := lex(rest, options.AnsiQuotes); len(more) > 0 {
				at := next + strings.Index(query[next:], rest)
				return nil, query, "", fmt.Errorf("%w at position %d: only one statement is expected", ErrSyntax, at+1)
			}
		}
		return stmt, sql.RemoveSpaceAndDelimiter(query, delimiter), "", err
	}
	parsed := sql.RemoveSpaceAndDelimiter(query[:next], delimiter)
	remainder := query[next:]
	if sql.RemoveSpaceAndDelimiter(remainder, delimiter) == "" {
		remainder = ""
	}
	return stmt, parsed, remainder, err
}

// ParseOneWithOptions implements sql.Parser.
func (p *Parser) ParseOneWithOptions(ctx context.Context, query string, options ast.ParserOptions) (ast.Statement, int, error) {
	stmt, _, next, err := p.parseOne(ctx, query, options)
	return stmt, next, err
}

// parseOne parses the first statement in text that is not empty. It returns the
// index of what follows it.
func (p *Parser) parseOne(ctx context.Context, text string, options ast.ParserOptions) (stmt ast.Statement, src *source, next int, err error) {
	defer recoverParse(&err)
	toks, err := lex(text, options.AnsiQuotes)
	if err != nil {
		return nil, nil, len(text), err
	}
	if len(toks) == 0 && strings.Contains(text, "/*!") {
		// A comment that the engine executes.
		stmt, err := ast.ParseWithOptions(ctx, text, options)
		return stmt, nil, len(text), err
	}
	for len(toks) > 0 && toks[0].is(";") {
		toks = toks[1:]
	}
	if len(toks) == 0 {
		return nil, nil, len(text), ast.ErrEmpty
	}
	src = &source{text: text, toks: toks, last: len(text)}
	if isCompound(toks) {
		stmt, next, err := ast.ParseOneWithOptions(ctx, text, options)
		if err != nil {
			return nil, src, len(text), src.syntaxFrom(err, pieces{{text, 0}})
		}
		return stmt, src, next, nil
	}
	next = len(text)
	for i, t := range toks {
		if t.is(";") {
			src.toks, src.last, next = toks[:i], t.pos, t.end
			break
		}
	}
	if err := src.checkDepth(); err != nil {
		return nil, src, next, err
	}
	sqlCtx, ok := ctx.(*sql.Context)
	if !ok {
		sqlCtx = sql.NewContext(ctx)
	}
	st := &statement{
		rewriter: rewriter{source: src, ctx: sqlCtx, names: p.names},
		stmts:    p.stmts,
		parse: func(text string) (stmt ast.Statement, err error) {
			defer recoverParse(&err)
			if stmt, err = ast.ParseWithOptions(ctx, text, options); err != nil {
				return nil, err
			}
			return stmt, arithmetic(stmt)
		},
	}
	stmt, err = st.build()
	return stmt, src, next, err
}

// recoverParse makes an error of a panic of the engine's grammar, which it has
// for some texts.
func recoverParse(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: the statement cannot be read: %v", ErrSyntax, r)
	}
}

// checkDepth refuses brackets that nest too deep for the parsers' recursion.
func (s *source) checkDepth() error {
	depth := 0
	for _, t := range s.toks {
		switch {
		case t.is("("), t.is("["), t.is("case"):
			if depth++; depth > maxDepth {
				return s.syntaxAt(t, fmt.Sprintf("brackets nest deeper than %d", maxDepth))
			}
		case t.is(")"), t.is("]"), t.is("end"):
			depth--
		}
	}
	return nil
}

// isCompound reports whether the statement may hold statements of its own, each
// with its semicolon.
func isCompound(toks []token) bool {
	if !toks[0].is("create") {
		return false
	}
	for _, t := range toks[:min(len(toks), 12)] {
		if t.is("procedure") || t.is("trigger") || t.is("event") || t.is("function") {
			return true
		}
	}
	return false
}
