package predicate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// str reads a string that begins at the quote l.pos. A doubled quote stands
// for one; in a raw string a backslash is a character as any other.
func (l *lexer) str(start int, quote byte, raw bool) (token, error) {
	var value strings.Builder
	for i := l.pos + 1; i < len(l.src); {
		c := l.src[i]
		switch {
		case c == quote && i+1 < len(l.src) && l.src[i+1] == quote && !raw:
			value.WriteByte(quote)
			i += 2
		case c == quote:
			l.pos = i + 1
			if !utf8.ValidString(value.String()) {
				return token{}, Invalid(l.src[start:l.pos], "a string must be valid UTF-8; write bytes as X'…'")
			}
			return token{kind: tokenString, value: value.String(), pos: start, end: l.pos}, nil
		case c == '\\' && !raw && i+1 < len(l.src):
			i += unescape(&value, l.src[i:])
		default:
			value.WriteByte(c)
			i++
		}
	}
	return token{}, Invalid(l.src[start:], "the string has no end; add %c", quote)
}

// unescape writes what the escape at the start of s, a backslash and at least
// one more byte, stands for, and returns its length. The rules are those of
// Spark's ParserUtils.unescapeSQLString: \% and \_ stay as they are, for LIKE.
func unescape(value *strings.Builder, s string) int {
	for _, form := range []struct {
		letter byte
		digits int
	}{{'u', 4}, {'U', 8}} {
		if s[1] != form.letter || len(s) < 2+form.digits {
			continue
		}
		if n, err := strconv.ParseUint(s[2:2+form.digits], 16, 32); err == nil && n <= utf8.MaxRune {
			value.WriteRune(rune(n))
			return 2 + form.digits
		}
	}
	if len(s) >= 4 && '0' <= s[1] && s[1] <= '1' {
		if n, err := strconv.ParseUint(s[1:4], 8, 8); err == nil {
			value.WriteRune(rune(n))
			return 4
		}
	}
	switch s[1] {
	case '0':
		value.WriteByte(0)
	case 'b':
		value.WriteByte('\b')
	case 'n':
		value.WriteByte('\n')
	case 'r':
		value.WriteByte('\r')
	case 't':
		value.WriteByte('\t')
	case 'Z':
		value.WriteByte(26)
	case '%', '_':
		value.WriteString(s[:2])
	default:
		value.WriteByte(s[1])
	}
	return 2
}
