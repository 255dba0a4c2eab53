package sortorder

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/firndb/firn/maintenance"
)

// kind says what a token is.
type kind int

const (
	kindEnd kind = iota
	kindWord
	kindQuoted
	kindNumber
	kindSign
	kindOther
)

// token is a word, a quoted name without its quotes, a number or a sign.
type token struct {
	kind kind
	text string
	at   int
}

// is says whether the token is a keyword or a sign.
func (t token) is(text string) bool {
	return (t.kind == kindWord || t.kind == kindSign) && strings.EqualFold(t.text, text)
}

func (t token) String() string {
	if t.kind == kindEnd {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

// syntax is the error of a text that is no sort order.
func syntax(text string, at int, format string, args ...any) error {
	return fmt.Errorf("%w: sort order %q, at character %d: %s", maintenance.ErrInvalid, text, utf8.RuneCountInString(text[:at])+1, fmt.Sprintf(format, args...))
}

// scan cuts a text into tokens, comments left out. The last token is the end.
func scan(text string) ([]token, error) {
	var tokens []token
	for at := 0; ; {
		skipped, err := skip(text, at)
		if err != nil {
			return nil, err
		}
		at = skipped
		if at == len(text) {
			return append(tokens, token{kind: kindEnd, at: at}), nil
		}
		t, end, err := next(text, at)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		at = end
	}
}

// skip passes over white space and comments.
func skip(text string, at int) (int, error) {
	for at < len(text) {
		switch rest := text[at:]; {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			at++
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				return len(text), nil
			}
			at += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				return 0, syntax(text, at, "a comment is not ended")
			}
			at += n + 2
		default:
			return at, nil
		}
	}
	return at, nil
}

// next reads the token that begins at a place which is not blank.
func next(text string, at int) (t token, end int, err error) {
	switch first := text[at]; {
	case first == '`':
		name, n, ok := unquote(text[at:])
		if !ok {
			return token{}, 0, syntax(text, at, "a quoted name is not ended")
		}
		return token{kindQuoted, name, at}, at + n, nil
	case wordByte(first):
		end := at
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		k := kindWord
		if strings.Trim(text[at:end], "0123456789") == "" {
			k = kindNumber
		}
		return token{k, text[at:end], at}, end, nil
	case strings.IndexByte("(),.", first) >= 0:
		return token{kindSign, text[at : at+1], at}, at + 1, nil
	}
	r, n := utf8.DecodeRuneInString(text[at:])
	if unicode.IsLetter(r) {
		return token{}, 0, syntax(text, at, "a name with %q in it must be in backquotes", r)
	}
	return token{kindOther, text[at : at+n], at}, at + n, nil
}

func wordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// unquote reads a name in backquotes, of which two inside stand for one.
func unquote(text string) (name string, n int, ok bool) {
	var b strings.Builder
	for at := 1; at < len(text); {
		if text[at] != '`' {
			b.WriteByte(text[at])
			at++
			continue
		}
		if !strings.HasPrefix(text[at:], "``") {
			return b.String(), at + 1, true
		}
		b.WriteByte('`')
		at += 2
	}
	return "", 0, false
}
