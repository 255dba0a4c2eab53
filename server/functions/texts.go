package functions

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// texts are the functions of text. Positions count characters from 1.
func texts() []Function {
	return slices.Concat(textCases(), textParts(), textChanges(), textNumbers())
}

// textCases change characters, or cut at the ends.
func textCases() []Function {
	return []Function{
		text1("The text in lower case.", strings.ToLower, "lower", "lcase"),
		text1("The text in upper case.", strings.ToUpper, "upper", "ucase"),
		text1("The text with a capital at the beginning of each word.", initcap, "initcap"),
		text1("The text without blanks at the beginning.", func(s string) string { return strings.TrimLeft(s, " ") }, "ltrim"),
		text1("The text without blanks at the end.", func(s string) string { return strings.TrimRight(s, " ") }, "rtrim"),
	}
}

// textParts put together and take apart.
func textParts() []Function {
	return []Function{
		{
			Names: []string{"concat"}, Usage: "a, b, …", min: 0, max: -1, make: makeConcat,
			Doc: "The texts, or the arrays, one after the other; a || b is the same.",
		},
		{
			Names: []string{"concat_ws"}, Usage: "separator, a, …", min: 1, max: -1, make: makeConcatWs,
			Doc: "The texts and the elements of arrays with the separator between them; NULLs are left out.",
		},
		{
			Names: []string{"substr", "substring", "mid"}, Usage: "text, position [, length]", min: 2, max: 3, make: makeSubstring,
			Doc: "The part of the text from the position on; a negative position counts from the end.",
		},
		{
			Names: []string{"substring_index"}, Usage: "text, delimiter, count", min: 3, max: 3, make: makeSubstringIndex,
			Doc: "The text before that many delimiters, or after them from the end if count is negative.",
		},
		{
			Names: []string{"left"}, Usage: "text, length", min: 2, max: 2, make: makeSide(leftOf),
			Doc: "The first characters.",
		},
		{
			Names: []string{"right"}, Usage: "text, length", min: 2, max: 2, make: makeSide(rightOf),
			Doc: "The last characters.",
		},
	}
}

// textChanges fill up, replace and format.
func textChanges() []Function {
	return []Function{
		{
			Names: []string{"lpad"}, Usage: "text, length [, pad]", min: 2, max: 3, make: makePad(true),
			Doc: "The text filled up at the beginning, or cut, to the length.",
		},
		{
			Names: []string{"rpad"}, Usage: "text, length [, pad]", min: 2, max: 3, make: makePad(false),
			Doc: "The text filled up at the end, or cut, to the length.",
		},
		{
			Names: []string{"repeat"}, Usage: "text, count", min: 2, max: 2, make: makeRepeat,
			Doc: "The text that many times.",
		},
		{
			Names: []string{"replace"}, Usage: "text, search [, replacement]", min: 2, max: 3, make: makeReplace,
			Doc: "The text with every occurrence of search replaced.",
		},
		{
			Names: []string{"translate"}, Usage: "text, from, to", min: 3, max: 3, make: makeTranslate,
			Doc: "The text with each character of from replaced by the one of to at its place.",
		},
		{
			Names: []string{"reverse"}, Usage: "a", min: 1, max: 1, make: makeReverse,
			Doc: "The text or array from the end to the beginning.",
		},
		{
			Names: []string{"btrim"}, Usage: "text [, characters]", min: 1, max: 2, make: makeTrim,
			Doc: "The text without blanks, or these characters, at both ends.",
		},
		{
			Names: []string{"split_part"}, Usage: "text, delimiter, number", min: 3, max: 3, make: makeSplitPart,
			Doc: "The part of that number between the delimiters; a negative one counts from the end.",
		},
		{
			Names: []string{"space"}, Usage: "count", min: 1, max: 1, make: makeSpace,
			Doc: "That many blanks.",
		},
		{
			Names: []string{"chr"}, Usage: "number", min: 1, max: 1, make: makeChr,
			Doc: "The character of that number.",
		},
		{
			Names: []string{"format_number"}, Usage: "number, digits", min: 2, max: 2, make: makeFormatNumber,
			Doc: "The number with commas, rounded to digits after the point.",
		},
		{
			Names: []string{"format_string", "printf"}, Usage: "format, a, …", min: 1, max: -1, make: makeFormatString,
			Doc: "The text of the format, with %s, %d, %x, %f and %e for the arguments.",
		},
	}
}

// text1 is a function from text to text.
func text1(doc string, f func(string) string, names ...string) Function {
	return Function{Names: names, Usage: "text", Doc: doc, min: 1, max: 1, make: func(c call) (sql.Expression, error) {
		return c.ofText(func(s string) string { return f(s) })
	}}
}

// ofText is text made of the text that argument 0 is.
func (c call) ofText(f func(string) string) (sql.Expression, error) {
	from := c.typ(0)
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) { return f(text(args[0], from)), nil })
}

func initcap(s string) string {
	var b strings.Builder
	start := true
	for _, r := range s {
		if start {
			r = unicode.ToTitle(r)
		} else {
			r = unicode.ToLower(r)
		}
		start = r == ' '
		b.WriteRune(r)
	}
	return b.String()
}

func makeConcat(c call) (sql.Expression, error) {
	if len(c.args) > 0 && c.nested(0) != nil {
		return makeConcatArrays(c)
	}
	if len(c.args) > 0 && allBinary(c) {
		return c.strict(types.LongBlob, func(_ *sql.Context, args []any) (any, error) {
			var b []byte
			for _, arg := range args {
				b = append(b, bytesOf(arg)...)
			}
			return b, nil
		})
	}
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		var b strings.Builder
		for i, arg := range args {
			b.WriteString(text(arg, c.typ(i)))
		}
		return b.String(), nil
	})
}

func allBinary(c call) bool {
	for i := range c.args {
		if !types.IsBinaryType(c.typ(i)) {
			return false
		}
	}
	return true
}

func bytesOf(v any) []byte {
	if b, ok := v.([]byte); ok {
		return b
	}
	return []byte(text(v, nil))
}

func makeConcatWs(c call) (sql.Expression, error) {
	return c.lenient(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		if args[0] == nil {
			return nil, nil
		}
		var parts []string
		for i, arg := range args[1:] {
			switch v := arg.(type) {
			case nil:
			case *nested.Value:
				for j, cell := range v.Cells {
					if cell != nil {
						parts = append(parts, text(cell, v.Type.PartOf(j).SQL))
					}
				}
			default:
				parts = append(parts, text(arg, c.typ(i+1)))
			}
		}
		return strings.Join(parts, text(args[0], nil)), nil
	})
}

func makeSubstring(c call) (sql.Expression, error) {
	from := c.typ(0)
	result := sql.Type(types.LongText)
	if types.IsBinaryType(from) {
		result = types.LongBlob
	}
	return c.strict(result, func(_ *sql.Context, args []any) (any, error) {
		position, err := small(args[1])
		if err != nil {
			return nil, err
		}
		length := int(^uint32(0) >> 1)
		if len(args) == 3 {
			if length, err = small(args[2]); err != nil {
				return nil, err
			}
		}
		if b, ok := args[0].([]byte); ok {
			low, high := span(len(b), position, length)
			return b[low:high], nil
		}
		runes := []rune(text(args[0], from))
		low, high := span(len(runes), position, length)
		return string(runes[low:high]), nil
	})
}

// span is the range of a substring of n elements. Position 0 is 1; one before
// the beginning takes away from the length.
func span(n, position, length int) (low, high int) {
	switch {
	case position > 0:
		low = position - 1
	case position < 0:
		low = n + position
	}
	high = min(low+length, n)
	low = min(max(low, 0), n)
	return low, max(high, low)
}

func makeSubstringIndex(c call) (sql.Expression, error) {
	from := c.typ(0)
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		n, err := small(args[2])
		delimiter := text(args[1], nil)
		if err != nil || delimiter == "" || n == 0 {
			return "", err
		}
		parts := strings.Split(text(args[0], from), delimiter)
		if n > 0 {
			parts = parts[:min(n, len(parts))]
		} else {
			parts = parts[max(0, len(parts)+n):]
		}
		return strings.Join(parts, delimiter), nil
	})
}

func leftOf(s string, n int) string {
	runes := []rune(s)
	return string(runes[:max(0, min(n, len(runes)))])
}

func rightOf(s string, n int) string {
	runes := []rune(s)
	return string(runes[min(len(runes), max(0, len(runes)-n)):])
}

func makeSide(side func(string, int) string) maker {
	return func(c call) (sql.Expression, error) {
		from := c.typ(0)
		return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
			n, err := small(args[1])
			return side(text(args[0], from), n), err
		})
	}
}

// maxText bounds what functions make longer, in bytes.
const maxText = 64 << 20

func makePad(before bool) maker {
	return func(c call) (sql.Expression, error) {
		from := c.typ(0)
		return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
			n, err := small(args[1])
			if err != nil {
				return nil, err
			}
			pad := " "
			if len(args) == 3 {
				pad = text(args[2], nil)
			}
			s := text(args[0], from)
			missing := n - utf8.RuneCountInString(s)
			if missing <= 0 || pad == "" {
				return leftOf(s, n), nil
			}
			if missing > maxText {
				return nil, c.bad("the length %d is more than %d", n, maxText)
			}
			fill := leftOf(strings.Repeat(pad, missing/utf8.RuneCountInString(pad)+1), missing)
			if before {
				return fill + s, nil
			}
			return s + fill, nil
		})
	}
}

func makeRepeat(c call) (sql.Expression, error) {
	from := c.typ(0)
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		n, err := small(args[1])
		if err != nil {
			return nil, err
		}
		s := text(args[0], from)
		if n > 0 && len(s) > maxText/n {
			return nil, c.bad("the text would be longer than %d bytes", maxText)
		}
		return strings.Repeat(s, max(n, 0)), nil
	})
}

func makeReplace(c call) (sql.Expression, error) {
	from := c.typ(0)
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		search, replacement := text(args[1], nil), ""
		if len(args) == 3 {
			replacement = text(args[2], nil)
		}
		s := text(args[0], from)
		if search == "" {
			return s, nil
		}
		return strings.ReplaceAll(s, search, replacement), nil
	})
}

func makeTranslate(c call) (sql.Expression, error) {
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		to := []rune(text(args[2], nil))
		by := map[rune]rune{}
		for i, r := range []rune(text(args[1], nil)) {
			if _, ok := by[r]; ok {
				continue
			}
			by[r] = -1
			if i < len(to) {
				by[r] = to[i]
			}
		}
		return strings.Map(func(r rune) rune {
			if other, ok := by[r]; ok {
				return other
			}
			return r
		}, text(args[0], c.typ(0))), nil
	})
}

func makeReverse(c call) (sql.Expression, error) {
	if t := c.nested(0); t != nil && t.Kind == nested.List {
		return makeReverseArray(c, t)
	}
	return c.ofText(func(s string) string {
		runes := []rune(s)
		for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
			runes[i], runes[j] = runes[j], runes[i]
		}
		return string(runes)
	})
}

func makeTrim(c call) (sql.Expression, error) {
	from := c.typ(0)
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		cut := " "
		if len(args) == 2 {
			cut = text(args[1], nil)
		}
		return strings.Trim(text(args[0], from), cut), nil
	})
}

func makeSplitPart(c call) (sql.Expression, error) {
	from := c.typ(0)
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		n, err := small(args[2])
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, c.bad("parts are counted from 1: got 0")
		}
		s, delimiter := text(args[0], from), text(args[1], nil)
		parts := []string{s}
		if delimiter != "" {
			parts = strings.Split(s, delimiter)
		}
		if n < 0 {
			n += len(parts) + 1
		}
		if n < 1 || n > len(parts) {
			return "", nil
		}
		return parts[n-1], nil
	})
}

func makeSpace(c call) (sql.Expression, error) {
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		n, err := small(args[0])
		if n > maxText {
			return nil, c.bad("the length %d is more than %d", n, maxText)
		}
		return strings.Repeat(" ", max(n, 0)), err
	})
}

func makeChr(c call) (sql.Expression, error) {
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		n, err := integer(args[0])
		if err != nil || n < 0 {
			return "", err
		}
		return string(rune(n % 256)), nil
	})
}

// formatVerbs are the verbs of Java's formats that are Go's too.
const formatVerbs = "sdxXfeEcbo%"

func makeFormatString(c call) (sql.Expression, error) {
	return c.lenient(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		if args[0] == nil {
			return nil, nil
		}
		layout := text(args[0], nil)
		values := make([]any, len(args)-1)
		for i, arg := range args[1:] {
			values[i] = formatValue(arg, c.typ(i+1))
		}
		for i := 0; i < len(layout); i++ {
			if layout[i] != '%' {
				continue
			}
			for i++; i < len(layout) && strings.IndexByte("-+ 0#,.123456789", layout[i]) >= 0; i++ {
			}
			if i == len(layout) || strings.IndexByte(formatVerbs, layout[i]) < 0 {
				return nil, c.bad("the format %q has a verb that is none of %%s, %%d, %%x, %%f, %%e, %%c, %%b, %%o", layout)
			}
		}
		return fmt.Sprintf(layout, values...), nil
	})
}

func formatValue(v any, t sql.Type) any {
	if n, ok := whole(v); ok && t != types.Boolean {
		return n
	}
	if f, ok := v.(float64); ok {
		return f
	}
	if v == nil {
		return "null"
	}
	return text(v, t)
}
