package dialect

import (
	"errors"
	"fmt"

	"github.com/dolthub/vitess/go/vt/vterrors"
)

// ErrSyntax is wrapped by every error about the form of a statement.
var ErrSyntax = errors.New("syntax error")

// ErrReadOnly is wrapped by the error about a statement of Spark's that would
// change tables, such as MERGE, for which the engine's grammar has no form.
var ErrReadOnly = errors.New("statement refused: tables are read here, and changed by procedures only; SHOW PROCEDURES lists them")

// syntaxAt is a syntax error at tok, of which hint says more if not empty.
func (s *source) syntaxAt(tok token, hint string) error {
	if hint != "" {
		hint = ": " + hint
	}
	if tok.kind == tokEOF {
		return fmt.Errorf("%w at position %d near the end of the statement%s", ErrSyntax, tok.pos+1, hint)
	}
	return fmt.Errorf("%w at position %d near %q%s", ErrSyntax, tok.pos+1, s.text[tok.pos:tok.end], hint)
}

// syntaxFrom restates an error of the engine's parser, which counts in the
// text made of out, as one about the text that was typed.
func (s *source) syntaxFrom(err error, out pieces) error {
	se, ok := vterrors.AsSyntaxError(err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	// The engine's position is one past the end of the token it could not take.
	pos := s.origin(out, se.Position-2)
	for i, tok := range s.toks {
		if tok.end > pos {
			return s.syntaxAt(tok, s.unsupportedAt(i))
		}
	}
	return s.syntaxAt(s.eof(), "")
}

// unsupportedAt says which construct of Spark's the engine's grammar lacks that
// token i is in, "" if none is known.
func (s *source) unsupportedAt(i int) string {
	const back = 4
	for j := i; j >= 0 && j >= i-back; j-- {
		next := s.eof()
		if j+1 < len(s.toks) {
			next = s.toks[j+1]
		}
		switch tok := s.toks[j]; {
		case (tok.is("except") || tok.is("exclude")) && next.is("(") && j > 0 && s.toks[j-1].is("*"):
			return "name the columns: * EXCEPT is not supported"
		case tok.is("*") && j == i && j > 1 && s.toks[j-1].is("."):
			return "name the fields: struct.* is not supported"
		case tok.is("semi") || tok.is("anti"):
			return "SEMI and ANTI JOIN are not supported; use WHERE EXISTS (…) or NOT EXISTS (…)"
		case tok.is("pivot") || tok.is("unpivot"):
			return "PIVOT and UNPIVOT are not supported; use aggregates with FILTER (WHERE …), or UNION ALL"
		case tok.is("tablesample"):
			return "TABLESAMPLE is not supported; use WHERE rand() < 0.1"
		case tok.is("qualify"):
			return "QUALIFY is not supported; put a condition around a subquery"
		case (tok.is("sort") || tok.is("distribute") || tok.is("cluster")) && next.is("by"):
			return "SORT BY, DISTRIBUTE BY and CLUSTER BY are not supported; use ORDER BY"
		case tok.is("from") && j == 0:
			return "a statement begins with SELECT"
		case tok.is("range") && next.is("(") && j > 0 && (s.toks[j-1].is("from") || s.toks[j-1].is("join")):
			return "the table range(…) is not supported; use LATERAL VIEW explode(sequence(…))"
		}
	}
	return ""
}
