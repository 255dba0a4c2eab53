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
	for _, tok := range s.toks {
		if tok.end > pos {
			return s.syntaxAt(tok, "")
		}
	}
	return s.syntaxAt(s.eof(), "")
}
