package predicate

import (
	"fmt"
	"strings"
)

// Pattern is a LIKE pattern: pieces of text with wildcards between them.
type Pattern struct {
	parts []patternPart
}

// patternPart is a run of text, or a wildcard: '%' or '_'.
type patternPart struct {
	text     string
	wildcard byte
}

// parsePattern reads a pattern in which escape takes the meaning from the
// wildcard, or the escape, behind it.
func parsePattern(pattern string, escape rune) (Pattern, error) {
	var p Pattern
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			p.parts = append(p.parts, patternPart{text: text.String()})
			text.Reset()
		}
	}
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			if r != '%' && r != '_' && r != escape {
				return Pattern{}, fmt.Errorf("the escape %q may only stand before %%, _ or itself", escape)
			}
			text.WriteRune(r)
			escaped = false
		case r == escape:
			escaped = true
		case r == '%' || r == '_':
			flush()
			p.parts = append(p.parts, patternPart{wildcard: byte(r)})
		default:
			text.WriteRune(r)
		}
	}
	if escaped {
		return Pattern{}, fmt.Errorf("the pattern ends with the escape %q", escape)
	}
	flush()
	return p, nil
}

// Prefix reports whether the pattern is text alone (whole), or text followed
// by % alone. ok is false for any other pattern.
func (p Pattern) Prefix() (text string, whole, ok bool) {
	rest := p.parts
	if len(rest) > 0 && rest[0].wildcard == 0 {
		text, rest = rest[0].text, rest[1:]
	}
	for _, part := range rest {
		if part.wildcard != '%' {
			return "", false, false
		}
	}
	return text, len(rest) == 0, true
}

// matches tells whether s is like the pattern.
func (p Pattern) matches(s string) bool {
	// reach[i] tells whether the parts so far can match the first i runes.
	runes := []rune(s)
	reach := make([]bool, len(runes)+1)
	reach[0] = true
	for _, part := range p.parts {
		next := make([]bool, len(reach))
		text := []rune(part.text)
		for i, ok := range reach {
			switch {
			case part.wildcard == '%':
				next[i] = ok || i > 0 && next[i-1]
			case !ok:
			case part.wildcard == '_':
				if i < len(runes) {
					next[i+1] = true
				}
			case i+len(text) <= len(runes) && string(runes[i:i+len(text)]) == part.text:
				next[i+len(text)] = true
			}
		}
		reach = next
	}
	return reach[len(runes)]
}
