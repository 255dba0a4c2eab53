package predicate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenQuoted // `name`
	tokenString
	tokenBinary // X'…', value in hex
	tokenNumber // value with its suffix
	tokenOp
)

// token is one lexical unit; src[pos:end] is its spelling.
type token struct {
	kind     tokenKind
	value    string // strings unescaped, quoted names without quotes
	pos, end int
}

// is tells whether the token is the operator or, in any case, the keyword s.
func (t token) is(s string) bool {
	return t.kind == tokenOp && t.value == s || t.kind == tokenWord && strings.EqualFold(t.value, s)
}

// operators, longest first.
var operators = []string{
	"<=>", "==", "<>", "!=", "<=", ">=", "||", "::", "->",
	"=", "<", ">", "!", "(", ")", ",", ".", "+", "-", "*", "/", "%", "[", "]", "&", "|", "^", "~",
}

type lexer struct {
	src string
	pos int
}

// lex splits text into tokens; the last is tokenEnd.
func lex(text string) ([]token, error) {
	l := lexer{src: text}
	var tokens []token
	for {
		if err := l.skipBlank(); err != nil {
			return nil, err
		}
		t, err := l.next(tokens)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		if t.kind == tokenEnd {
			return tokens, nil
		}
	}
}

func (l *lexer) skipBlank() error {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch r, size := utf8.DecodeRuneInString(rest); {
		case unicode.IsSpace(r):
			l.pos += size
		case strings.HasPrefix(rest, "--"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			l.pos += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return Invalid(rest, "the comment has no end; add */")
			}
			l.pos += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (l *lexer) next(before []token) (token, error) {
	start := l.pos
	if start == len(l.src) {
		return token{kind: tokenEnd, pos: start, end: start}, nil
	}
	rest := l.src[start:]
	c := rest[0]
	switch {
	case c == '\'' || c == '"':
		return l.str(start, c, false)
	case len(rest) > 1 && (rest[1] == '\'' || rest[1] == '"') && (c == 'r' || c == 'R'):
		l.pos++
		return l.str(start, rest[1], true)
	case len(rest) > 1 && (rest[1] == '\'' || rest[1] == '"') && (c == 'x' || c == 'X'):
		l.pos++
		t, err := l.str(start, rest[1], true)
		t.kind = tokenBinary
		return t, err
	case c == '`':
		return l.quotedName(start)
	case isDigit(c), c == '.' && len(rest) > 1 && isDigit(rest[1]) && !endsName(before, start):
		return l.number(start)
	}
	if n := wordLen(rest); n > 0 {
		l.pos += n
		return token{kind: tokenWord, value: rest[:n], pos: start, end: l.pos}, nil
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.pos += len(op)
			return token{kind: tokenOp, value: op, pos: start, end: l.pos}, nil
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return token{}, Invalid(rest, "unexpected character %q; a condition is one expression", r)
}

// endsName tells whether the last token is a name that ends where a point
// begins, so that the point is a path separator.
func endsName(before []token, pos int) bool {
	if len(before) == 0 {
		return false
	}
	t := before[len(before)-1]
	return (t.kind == tokenWord || t.kind == tokenQuoted) && t.end == pos
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func wordLen(s string) int {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || r == utf8.RuneError {
			return i
		}
	}
	return len(s)
}

func (l *lexer) quotedName(start int) (token, error) {
	var name strings.Builder
	for i := start + 1; i < len(l.src); i++ {
		if l.src[i] != '`' {
			name.WriteByte(l.src[i])
			continue
		}
		if i+1 < len(l.src) && l.src[i+1] == '`' {
			name.WriteByte('`')
			i++
			continue
		}
		l.pos = i + 1
		if name.Len() == 0 {
			return token{}, Invalid("``", "an empty name")
		}
		return token{kind: tokenQuoted, value: name.String(), pos: start, end: l.pos}, nil
	}
	return token{}, Invalid(l.src[start:], "the quoted name has no end; add `")
}

// number reads digits with point and exponent, and the letters of a suffix.
func (l *lexer) number(start int) (token, error) {
	i := start
	digits := func() {
		for i < len(l.src) && isDigit(l.src[i]) {
			i++
		}
	}
	digits()
	if i < len(l.src) && l.src[i] == '.' {
		i++
		digits()
	}
	if i < len(l.src) && (l.src[i] == 'e' || l.src[i] == 'E') {
		mark := i
		i++
		if i < len(l.src) && (l.src[i] == '+' || l.src[i] == '-') {
			i++
		}
		from := i
		if digits(); i == from {
			i = mark
		}
	}
	i += wordLen(l.src[i:])
	l.pos = i
	return token{kind: tokenNumber, value: l.src[start:i], pos: start, end: i}, nil
}
