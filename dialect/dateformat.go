package dialect

import "strings"

// dateFormat rewrites date_format(t, 'yyyy-MM-dd'): the pattern is Spark's if it
// has letters and no %.
func (w *walker) dateFormat(first, open, end int) (out pieces, ok bool, err error) {
	args := w.arguments(open+1, end)
	if len(args) != 2 || args[1][1] != args[1][0]+1 {
		return nil, false, nil
	}
	pattern := w.tok(args[1][0])
	if pattern.kind != tokString || strings.Contains(pattern.val, "%") || pattern.val == "" {
		return nil, false, nil
	}
	format, unknown := formatOf(pattern.val)
	if unknown != "" {
		return nil, false, w.syntaxAt(pattern, "the pattern has "+unknown+", which cannot be shown; allowed are y, M, d, H, h, m, s, S, a, E, D, or MySQL's %Y-%m-%d")
	}
	value, err := w.expressions(args[0][0], args[0][1], w.sc)
	if err != nil {
		return nil, false, err
	}
	out = append(pieces{w.verbatim(first), w.gap(open), w.verbatim(open)}, value...)
	return append(out, piece{", " + quoteString(format) + ")", pattern.pos}), true, nil
}

// formatOf turns a pattern of Spark's (its "Datetime Patterns") into MySQL's.
// It returns the letters that MySQL has nothing for, if there are any.
func formatOf(pattern string) (format, unknown string) {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		c := pattern[i]
		j := i + 1
		switch {
		case c == '\'':
			end := strings.IndexByte(pattern[j:], '\'')
			switch {
			case end < 0:
				return "", pattern[i:]
			case end == 0:
				b.WriteByte('\'')
			default:
				b.WriteString(pattern[j : j+end])
			}
			j += end + 1
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			for j < len(pattern) && pattern[j] == c {
				j++
			}
			verb := formatVerb(pattern[i:j])
			if verb == "" {
				return "", pattern[i:j]
			}
			b.WriteString(verb)
		default:
			b.WriteByte(c)
		}
		i = j
	}
	return b.String(), ""
}

// formatVerb is MySQL's word for equal letters of a pattern, or "".
func formatVerb(letters string) string {
	switch letters {
	case "y", "yyyy", "u", "uuuu":
		return "%Y"
	case "yy", "uu":
		return "%y"
	case "MMMM":
		return "%M"
	case "MMM":
		return "%b"
	case "MM":
		return "%m"
	case "M":
		return "%c"
	case "dd":
		return "%d"
	case "d":
		return "%e"
	case "HH":
		return "%H"
	case "H":
		return "%k"
	case "hh":
		return "%h"
	case "h":
		return "%l"
	case "mm":
		return "%i"
	case "ss":
		return "%s"
	case "SSSSSS":
		return "%f"
	case "a":
		return "%p"
	case "EEEE":
		return "%W"
	case "E", "EE", "EEE":
		return "%a"
	case "DDD":
		return "%j"
	}
	return ""
}
