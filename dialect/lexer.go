package dialect

import (
	"fmt"
	"strings"
)

type tokenKind int

const (
	tokEOF    tokenKind = iota
	tokWord             // an unquoted name or keyword
	tokQuoted           // a name in back quotes
	tokString           // a string in single or double quotes
	tokNumber           // a number, with Spark's suffix if any
	tokOp               // an operator or punctuation mark
	tokVar              // @name, @@name, ?, :name
)

// token is a lexical element of a statement: text[pos:end].
type token struct {
	kind     tokenKind
	pos, end int
	val      string // text of a word, quoted name, string or operator without quotes and escapes
	plain    bool   // a string that the engine reads as Spark does
}

// is reports whether the token is that keyword (lower case) or operator.
func (t token) is(word string) bool {
	switch t.kind {
	case tokWord:
		return strings.EqualFold(t.val, word)
	case tokOp:
		return t.val == word
	}
	return false
}

// isName reports whether the token can be a part of a name.
func (t token) isName() bool { return t.kind == tokWord || t.kind == tokQuoted }

// operators are those of more than one byte, longest first where one begins
// another.
const operators = "<=> ->> <= >= <> << >> != == => -> || && := ::"

// lexer cuts text into tokens. Comments and white space are dropped.
type lexer struct {
	text string
	pos  int
	ansi bool // double quotes quote names
	toks []token
}

// lex cuts text into tokens. The error wraps ErrSyntax and names the position
// of a string, name or comment that does not end.
func lex(text string, ansi bool) ([]token, error) {
	l := &lexer{text: text, ansi: ansi}
	for {
		if err := l.skipBlank(); err != nil {
			return nil, err
		}
		if l.pos >= len(text) {
			return l.toks, nil
		}
		if err := l.next(); err != nil {
			return nil, err
		}
	}
}

func (l *lexer) at(i int) byte {
	if i < len(l.text) {
		return l.text[i]
	}
	return 0
}

func (l *lexer) add(kind tokenKind, end int, val string) {
	l.toks = append(l.toks, token{kind: kind, pos: l.pos, end: end, val: val})
	l.pos = end
}

// skipBlank moves over white space and comments.
func (l *lexer) skipBlank() error {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			l.pos++
		case c == '#' || c == '-' && l.at(l.pos+1) == '-':
			n := strings.IndexByte(l.text[l.pos:], '\n')
			if n < 0 {
				n = len(l.text) - l.pos
			}
			l.pos += n
		case c == '/' && l.at(l.pos+1) == '*':
			n := strings.Index(l.text[l.pos+2:], "*/")
			if n < 0 {
				return fmt.Errorf("%w at position %d: the comment does not end", ErrSyntax, l.pos+1)
			}
			l.pos += n + 4
		default:
			return nil
		}
	}
	return nil
}

// next adds one token.
func (l *lexer) next() error {
	c := l.text[l.pos]
	switch {
	case c == '\'' || c == '"' && !l.ansi:
		return l.quotedString(l.pos)
	case (c == 'r' || c == 'R') && (l.at(l.pos+1) == '\'' || l.at(l.pos+1) == '"'):
		return l.rawString()
	case c == '`' || c == '"':
		return l.quotedName(c)
	case isDigit(c) || c == '.' && isDigit(l.at(l.pos+1)) && !l.afterName():
		l.number()
	case isWord(c):
		l.word()
	case c == '@' || c == ':' && isWord(l.at(l.pos+1)) || c == '?':
		l.variable()
	case c == 0:
		// The engine's lexer passes over it.
		return fmt.Errorf("%w at position %d: a zero byte", ErrSyntax, l.pos+1)
	default:
		for op := range strings.FieldsSeq(operators) {
			if strings.HasPrefix(l.text[l.pos:], op) {
				l.add(tokOp, l.pos+len(op), op)
				return nil
			}
		}
		l.add(tokOp, l.pos+1, l.text[l.pos:l.pos+1])
	}
	return nil
}

// afterName reports whether a name ends right before the current byte, so that
// a dot here continues it.
func (l *lexer) afterName() bool {
	n := len(l.toks)
	return n > 0 && l.toks[n-1].isName() && l.toks[n-1].end == l.pos
}

func (l *lexer) word() {
	end := l.pos
	for isWord(l.at(end)) {
		end++
	}
	l.add(tokWord, end, l.text[l.pos:end])
}

// variable adds @x, @@a.b, :x or ?, which are the engine's own.
func (l *lexer) variable() {
	end := l.pos + 1
	for isWord(l.at(end)) || l.at(end) == '@' || l.text[l.pos] == '@' && l.at(end) == '.' {
		end++
	}
	if l.text[l.pos] == '?' {
		end = l.pos + 1
	}
	l.add(tokVar, end, l.text[l.pos:end])
}

// number adds a number with its suffix, or a name that begins with digits.
func (l *lexer) number() {
	end := l.pos
	digits := func() {
		for isDigit(l.at(end)) {
			end++
		}
	}
	digits()
	whole := end
	afterDot := len(l.toks) > 0 && l.toks[len(l.toks)-1].is(".") && l.toks[len(l.toks)-1].end == l.pos
	if l.at(end) == '.' && !afterDot {
		end++
		digits()
	}
	if c := l.at(end); (c == 'e' || c == 'E') && !afterDot {
		exp := end + 1
		if s := l.at(exp); s == '+' || s == '-' {
			exp++
		}
		if isDigit(l.at(exp)) {
			end = exp
			digits()
		}
	}
	val := l.text[l.pos:end]
	suffix := end
	for isWord(l.at(suffix)) {
		suffix++
	}
	switch strings.ToUpper(l.text[end:suffix]) {
	case "":
	case "L", "S", "Y", "D", "F", "BD":
		if !afterDot {
			end = suffix
		}
	default:
		// 0x1F, and names such as 2026_events.
		if end == whole {
			end = suffix
			val = l.text[l.pos:end]
			if !strings.HasPrefix(strings.ToLower(val), "0x") {
				l.add(tokWord, end, val)
				return
			}
		}
	}
	if afterDot {
		l.add(tokWord, suffix, l.text[l.pos:suffix])
		return
	}
	l.add(tokNumber, end, val)
}

// quotedName adds a name in quotes, a doubled quote being one.
func (l *lexer) quotedName(quote byte) error {
	var val strings.Builder
	for i := l.pos + 1; i < len(l.text); i++ {
		if l.text[i] != quote {
			val.WriteByte(l.text[i])
			continue
		}
		if l.at(i+1) != quote {
			l.add(tokQuoted, i+1, val.String())
			return nil
		}
		val.WriteByte(quote)
		i++
	}
	return fmt.Errorf("%w at position %d: the quoted name does not end", ErrSyntax, l.pos+1)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' || c == '$' || c >= 0x80
}
