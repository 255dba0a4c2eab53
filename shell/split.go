package shell

import "strings"

// Statement is one statement of a script.
type Statement struct {
	// Text is the statement without the semicolon that ends it.
	Text string
	// Line is the line of the script, from 1, on which the text begins.
	Line int
}

// Split cuts a script at its semicolons. Semicolons in quoted strings, quoted
// names and comments do not count; comments stay in the text of the statement
// that follows or surrounds them. Pieces without anything but space and
// comments are left out.
func Split(script string) []Statement {
	var statements []Statement
	s := splitter{text: script, line: 1}
	for s.pos < len(script) {
		start, line, empty := s.next()
		if !empty {
			text := strings.TrimSpace(strings.TrimSuffix(script[start:s.pos], ";"))
			statements = append(statements, Statement{Text: text, Line: line})
		}
	}
	return statements
}

type splitter struct {
	text string
	pos  int
	line int
}

// next moves behind the next semicolon or to the end. It returns where the
// first word of the statement is, on which line, and whether there is none.
func (s *splitter) next() (start, line int, empty bool) {
	empty = true
	for s.pos < len(s.text) {
		switch rest := s.text[s.pos:]; {
		case rest[0] == ';':
			s.pos++
			return start, line, empty
		case strings.HasPrefix(rest, "--"), rest[0] == '#':
			s.skip("\n")
		case strings.HasPrefix(rest, "/*"):
			s.advance(2)
			s.skip("*/")
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			s.advance(1)
		default:
			if empty {
				start, line, empty = s.pos, s.line, false
			}
			s.word(rest[0])
		}
	}
	return start, line, empty
}

// word moves behind a quoted string or name, or by one byte.
func (s *splitter) word(first byte) {
	s.advance(1)
	if strings.IndexByte("'\"`", first) < 0 {
		return
	}
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c == '\\' && first != '`' {
			s.advance(1)
		}
		s.advance(1)
		if c == first {
			return
		}
	}
}

// skip moves behind the next end, or to the end of the text.
func (s *splitter) skip(end string) {
	i := strings.Index(s.text[s.pos:], end)
	if i < 0 {
		s.advance(len(s.text) - s.pos)
		return
	}
	s.advance(i + len(end))
}

func (s *splitter) advance(n int) {
	n = min(n, len(s.text)-s.pos)
	s.line += strings.Count(s.text[s.pos:s.pos+n], "\n")
	s.pos += n
}
