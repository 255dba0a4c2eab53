package dialect

import (
	"fmt"
	"strconv"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// quotedString adds the string that starts at the quote text[start].
func (l *lexer) quotedString(start int) error {
	quote := l.text[start]
	var val strings.Builder
	plain := true
	for i := start + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == quote && l.at(i+1) == quote:
			val.WriteByte(quote)
			i++
		case c == quote:
			l.add(tokString, i+1, val.String())
			l.toks[len(l.toks)-1].plain = plain
			return nil
		case c == '\\' && i+1 < len(l.text):
			n, spark := unescape(&val, l.text[i+1:])
			plain = plain && !spark
			i += n
		default:
			val.WriteByte(c)
		}
	}
	return fmt.Errorf("%w at position %d: the string does not end", ErrSyntax, start+1)
}

// rawString adds r'...', in which a backslash is an ordinary character.
func (l *lexer) rawString() error {
	quote := l.text[l.pos+1]
	n := strings.IndexByte(l.text[l.pos+2:], quote)
	if n < 0 {
		return fmt.Errorf("%w at position %d: the string does not end", ErrSyntax, l.pos+1)
	}
	l.add(tokString, l.pos+n+3, l.text[l.pos+2:l.pos+2+n])
	return nil
}

// unescape writes what the escape sequence after a backslash stands for and
// returns how many bytes of rest it took, and whether the sequence is one that
// only Spark has (its ParserUtils.unescapeSQLString).
func unescape(val *strings.Builder, rest string) (n int, spark bool) {
	for _, form := range []struct {
		lead   byte
		digits int
	}{{'u', 4}, {'U', 8}} {
		if rest[0] == form.lead && len(rest) > form.digits {
			if r, err := strconv.ParseUint(rest[1:1+form.digits], 16, 32); err == nil {
				val.WriteRune(rune(r))
				return 1 + form.digits, true
			}
		}
	}
	if len(rest) >= 3 && '0' <= rest[0] && rest[0] <= '3' {
		if b, err := strconv.ParseUint(rest[:3], 8, 8); err == nil {
			val.WriteByte(byte(b))
			return 3, true
		}
	}
	switch c := rest[0]; c {
	case '0':
		val.WriteByte(0)
	case 'b':
		val.WriteByte('\b')
	case 'n':
		val.WriteByte('\n')
	case 'r':
		val.WriteByte('\r')
	case 't':
		val.WriteByte('\t')
	case 'Z':
		val.WriteByte(26)
	case '%', '_':
		// Kept for LIKE, by Spark and by the engine's grammar unlike.
		val.WriteByte('\\')
		val.WriteByte(c)
		return 1, true
	default:
		val.WriteByte(c)
	}
	return 1, false
}

// quoteString writes s as a string of the engine's grammar.
func quoteString(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i := range len(s) {
		switch c := s[i]; c {
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case 0:
			b.WriteString(`\0`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// quoteName writes s as a quoted name of the engine's grammar.
func quoteName(s string) string {
	return "`" + strings.ReplaceAll(s, "`", "``") + "`"
}

// name writes s as a name of the engine's grammar, in quotes if it has to be.
func name(s string) string {
	if isPlain(s) && !isKeyword(s) {
		return s
	}
	return quoteName(s)
}

// isPlain reports whether the engine's lexer takes s for one word.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isWord(c) || c == '$' || c >= 0x80 || i == 0 && isDigit(c) {
			return false
		}
	}
	return s != ""
}

// isKeyword reports whether word is a keyword of the engine's grammar.
func isKeyword(word string) bool {
	kind, _ := ast.NewStringTokenizer(word).Scan()
	return kind != ast.ID
}

// isRefused reports whether the engine's grammar refuses word as the name of a
// column or as an alias. Asking the grammar saves keeping its list.
func isRefused(word string) bool {
	if !isPlain(word) {
		return true
	}
	if !isKeyword(word) {
		return false
	}
	if _, err := ast.Parse("SELECT " + word); err != nil {
		return true
	}
	_, err := ast.Parse("SELECT 0 AS " + word)
	return err != nil
}
