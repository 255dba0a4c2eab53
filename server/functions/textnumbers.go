package functions

import (
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// textNumbers are the functions that measure and search text.
func textNumbers() []Function {
	number := func(doc string, f func(s string, bytes bool) int, names ...string) Function {
		return Function{Names: names, Usage: "text", Doc: doc, min: 1, max: 1, make: func(c call) (sql.Expression, error) {
			from := c.typ(0)
			return c.strict(types.Int32, func(_ *sql.Context, args []any) (any, error) {
				_, bytes := args[0].([]byte)
				return int32(f(text(args[0], from), bytes)), nil
			})
		}}
	}
	match := func(doc string, f func(s, part string) bool, name string) Function {
		return Function{Names: []string{name}, Usage: "text, part", Doc: doc, min: 2, max: 2, make: func(c call) (sql.Expression, error) {
			return c.strict(types.Boolean, func(_ *sql.Context, args []any) (any, error) {
				return f(text(args[0], c.typ(0)), text(args[1], c.typ(1))), nil
			})
		}}
	}
	return []Function{
		number("The number of characters; of bytes if it is binary.", length, "length", "len", "char_length", "character_length"),
		number("The number of bytes.", func(s string, _ bool) int { return len(s) }, "octet_length"),
		number("The number of bits.", func(s string, _ bool) int { return 8 * len(s) }, "bit_length"),
		number("The number of the first character.", firstRune, "ascii"),
		match("Whether the text begins with part.", strings.HasPrefix, "startswith"),
		match("Whether the text ends with part.", strings.HasSuffix, "endswith"),
		match("Whether part is in the text.", strings.Contains, "contains"),
		{
			Names: []string{"instr"}, Usage: "text, part", min: 2, max: 2, make: makeInstr,
			Doc: "Where part is in the text, 0 if it is not.",
		},
		{
			Names: []string{"locate", "position", "charindex"}, Usage: "part, text [, start]", min: 2, max: 3, make: makeLocate,
			Doc: "Where part is in the text, from start on, 0 if it is not.",
		},
		{
			Names: []string{"find_in_set"}, Usage: "text, list", min: 2, max: 2, make: makeFindInSet,
			Doc: "Which element of a list with commas the text is, 0 if it is none.",
		},
		{
			Names: []string{"levenshtein"}, Usage: "a, b", min: 2, max: 2, make: makeLevenshtein,
			Doc: "How many characters to change, add or take away to make b of a.",
		},
	}
}

func length(s string, bytes bool) int {
	if bytes {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}

func firstRune(s string, _ bool) int {
	if s == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(s)
	return int(r)
}

// place is where part is in s, counted from 1 in characters.
func place(s, part string) int {
	i := strings.Index(s, part)
	if i < 0 {
		return 0
	}
	return utf8.RuneCountInString(s[:i]) + 1
}

func makeInstr(c call) (sql.Expression, error) {
	return c.strict(types.Int32, func(_ *sql.Context, args []any) (any, error) {
		return int32(place(text(args[0], c.typ(0)), text(args[1], c.typ(1)))), nil
	})
}

func makeLocate(c call) (sql.Expression, error) {
	return c.strict(types.Int32, func(_ *sql.Context, args []any) (any, error) {
		part, s := text(args[0], c.typ(0)), text(args[1], c.typ(1))
		start := 1
		if len(args) == 3 {
			var err error
			if start, err = small(args[2]); err != nil {
				return nil, err
			}
		}
		runes := []rune(s)
		if start < 1 || start > len(runes)+1 {
			return int32(0), nil
		}
		at := place(string(runes[start-1:]), part)
		if at > 0 {
			at += start - 1
		}
		return int32(at), nil
	})
}

func makeFindInSet(c call) (sql.Expression, error) {
	return c.strict(types.Int32, func(_ *sql.Context, args []any) (any, error) {
		s := text(args[0], c.typ(0))
		for i, element := range strings.Split(text(args[1], nil), ",") {
			if element == s {
				return int32(i + 1), nil
			}
		}
		return int32(0), nil
	})
}

// maxLevenshtein bounds the characters that are compared with each other.
const maxLevenshtein = 10_000

func makeLevenshtein(c call) (sql.Expression, error) {
	return c.strict(types.Int32, func(_ *sql.Context, args []any) (any, error) {
		a, b := []rune(text(args[0], c.typ(0))), []rune(text(args[1], c.typ(1)))
		if len(a) > maxLevenshtein || len(b) > maxLevenshtein {
			return nil, c.bad("a text has more than %d characters", maxLevenshtein)
		}
		row := make([]int, len(b)+1)
		for j := range row {
			row[j] = j
		}
		for i, x := range a {
			before := row[0]
			row[0] = i + 1
			for j, y := range b {
				change := before
				if x != y {
					change++
				}
				before = row[j+1]
				row[j+1] = min(change, row[j]+1, row[j+1]+1)
			}
		}
		return int32(row[len(b)]), nil
	})
}
