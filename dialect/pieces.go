package dialect

import "strings"

// piece is a part of a rewritten statement: text that stands for what was
// typed at pos.
type piece struct {
	text string
	pos  int
}

// pieces are a rewritten statement or a part of one.
type pieces []piece

// String is the text of the pieces.
func (p pieces) String() string {
	var b strings.Builder
	for _, x := range p {
		b.WriteString(x.text)
	}
	return b.String()
}

// wrap puts p between two texts.
func (p pieces) wrap(before, after string) pieces {
	if len(p) == 0 {
		return pieces{{text: before + after}}
	}
	out := make(pieces, 0, len(p)+2)
	out = append(out, piece{before, p[0].pos})
	out = append(out, p...)
	return append(out, piece{after, p[len(p)-1].pos})
}

// source is one statement: the text it stands in and its tokens.
type source struct {
	text string
	toks []token
	last int // where the statement ends in text
}

// origin maps an offset in the text of out to one in what was typed.
func (s *source) origin(out pieces, offset int) int {
	last := 0
	for _, x := range out {
		if offset < len(x.text) {
			if offset > 0 && strings.HasPrefix(s.text[x.pos:], x.text) {
				return x.pos + offset
			}
			return x.pos
		}
		offset -= len(x.text)
		last = x.pos + len(x.text)
	}
	return last
}

// eof is the token after the last one.
func (s *source) eof() token { return token{kind: tokEOF, pos: s.last, end: s.last} }

// tok is token i, or the one after the last.
func (s *source) tok(i int) token {
	if i >= 0 && i < len(s.toks) {
		return s.toks[i]
	}
	return s.eof()
}

// raw is the text of tokens i to j-1 with what stands between them.
func (s *source) raw(i, j int) string {
	if i >= j {
		return ""
	}
	return s.text[s.toks[i].pos:s.toks[j-1].end]
}

// gap is the white space before token i. The engine would make comments a part
// of the names of columns, so that only those it executes are kept.
func (s *source) gap(i int) piece {
	if i == 0 {
		return piece{"", s.toks[0].pos}
	}
	from := s.toks[i-1].end
	text := s.text[from:s.toks[i].pos]
	if strings.TrimSpace(text) != "" && !strings.Contains(text, "/*+") && !strings.Contains(text, "/*!") {
		text = " "
	}
	return piece{text, from}
}

// typed is tokens i to j-1 as typed, without comments.
func (s *source) typed(i, j int) string {
	var b strings.Builder
	for k := i; k < j; k++ {
		if k > i {
			b.WriteString(s.gap(k).text)
		}
		b.WriteString(s.verbatim(k).text)
	}
	return b.String()
}

// verbatim is token i as typed.
func (s *source) verbatim(i int) piece {
	t := s.toks[i]
	return piece{s.text[t.pos:t.end], t.pos}
}

// closing returns the index of the token that closes the bracket at i, or an
// error. Only brackets before end count.
func (s *source) closing(i, end int) (int, error) {
	var open []string
	for j := i; j < end; j++ {
		if s.toks[j].kind != tokOp {
			continue
		}
		switch v := s.toks[j].val; v {
		case "(":
			open = append(open, ")")
		case "[":
			open = append(open, "]")
		case ")", "]":
			if open[len(open)-1] != v {
				return 0, s.syntaxAt(s.toks[j], "missing "+open[len(open)-1])
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return j, nil
			}
		}
	}
	return 0, s.syntaxAt(s.tok(end), "missing "+open[len(open)-1])
}

// dotted reads a name of one or more dotted parts at i and returns it with the
// index after it; no parts if there is no name at i.
func (s *source) dotted(i, end int) (parts []string, next int) {
	for i < end && s.toks[i].isName() {
		parts = append(parts, s.toks[i].val)
		if i+2 >= end || !s.toks[i+1].is(".") || !s.tok(i+2).isName() {
			return parts, i + 1
		}
		i += 2
	}
	return parts, i
}
