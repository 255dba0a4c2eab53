package dialect

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// statement is one statement on its way to the engine's form.
type statement struct {
	rewriter
	stmts Statements
	parse func(string) (ast.Statement, error)
}

// build makes the engine's statement. Its first words decide which it is.
func (s *statement) build() (ast.Statement, error) {
	switch {
	case s.words("call"):
		return s.call(1, false)
	case s.words("explain"), s.words("describe"), s.words("desc"):
		return s.explain()
	case s.words("show"):
		return s.show()
	case s.words("use"):
		return s.use()
	case s.words("set", "time", "zone"):
		return s.setTimeZone()
	case s.isQuery(0, len(s.toks)):
		return s.selection(0)
	}
	return s.native()
}

// setTimeZone is SET TIME ZONE 'zone' and SET TIME ZONE LOCAL.
func (s *statement) setTimeZone() (ast.Statement, error) {
	zone := s.tok(3)
	if len(s.toks) > 4 || zone.kind != tokString && !zone.is("local") {
		return nil, s.syntaxAt(s.tok(min(4, len(s.toks))), "a zone such as 'Europe/Berlin' or '+02:00', or LOCAL, is expected")
	}
	name := zone.val
	if zone.is("local") {
		name = "SYSTEM"
	}
	return s.finish(pieces{{"SET time_zone = " + quoteString(name), zone.pos}})
}

// words reports whether the statement begins with these words.
func (s *statement) words(words ...string) bool { return s.wordsAt(0, words...) }

func (s *statement) wordsAt(i int, words ...string) bool {
	for j, w := range words {
		if !s.tok(i + j).is(w) {
			return false
		}
	}
	return true
}

// native parses the statement as it was typed.
func (s *statement) native() (ast.Statement, error) {
	first := s.toks[0].pos
	stmt, err := s.finish(pieces{{s.text[first:s.toks[len(s.toks)-1].end], first}})
	if err != nil && s.changes() {
		return nil, ErrReadOnly
	}
	return stmt, err
}

// changes reports whether the first word is one of a statement that changes
// what there is.
func (s *statement) changes() bool {
	switch strings.ToLower(s.tok(0).val) {
	case "alter", "comment", "create", "delete", "drop", "insert", "load", "merge", "rename", "replace", "truncate", "update":
		return s.tok(0).kind == tokWord
	}
	return false
}

// selection parses the statement with the query that begins at token i rewritten.
func (s *statement) selection(i int) (ast.Statement, error) {
	out, err := s.query(i, len(s.toks), nil)
	if err != nil {
		return nil, err
	}
	if i > 0 {
		head := piece{s.raw(0, i), s.toks[0].pos}
		out = append(pieces{head}, out...)
	}
	return s.finish(out)
}

// finish has the engine's grammar parse the pieces.
func (s *statement) finish(out pieces) (ast.Statement, error) {
	stmt, err := s.parse(out.String())
	if err != nil {
		return nil, s.syntaxFrom(err, out)
	}
	if s.unresolved != nil {
		return inject(failure{s.unresolved}, nil), nil
	}
	return stmt, nil
}

// inject makes a statement of one that the engine's grammar has no form for.
// Who may run it is for the statement itself to decide.
func inject(in ast.Injectable, children ast.Exprs) ast.Statement {
	return ast.InjectedStatement{
		Statement: in,
		Children:  children,
		Auth:      ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore},
	}
}
