package functions

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// patterns are the functions of regular expressions, which are Go's: as Java's,
// without look-around and back references. An expression is compiled once.
func patterns() []Function {
	return []Function{
		{
			Names: []string{"regexp_like"}, Usage: "text, pattern [, flags]", min: 2, max: 3, make: makeRegexpLike,
			Doc: "Whether the regular expression is found in the text, as text RLIKE pattern. The flag i makes capitals equal.",
		},
		{
			Names: []string{"regexp_extract"}, Usage: "text, pattern [, group]", min: 2, max: 3, make: makeRegexpExtract,
			Doc: "What the group, the first if none is named, found first; the empty text if nothing was found.",
		},
		{
			Names: []string{"regexp_extract_all"}, Usage: "text, pattern [, group]", min: 2, max: 3, make: makeRegexpExtractAll,
			Doc: "An array of all that the group found.",
		},
		{
			Names: []string{"regexp_replace"}, Usage: "text, pattern, replacement [, position]", min: 3, max: 4, make: makeRegexpReplace,
			Doc: "The text with all that is found replaced, from the position on; $1 stands for the first group.",
		},
		{
			Names: []string{"regexp_substr"}, Usage: "text, pattern", min: 2, max: 2, make: makeRegexpSubstr,
			Doc: "What is found first, NULL if nothing is.",
		},
		{
			Names: []string{"regexp_instr"}, Usage: "text, pattern", min: 2, max: 2, make: makeRegexpInstr,
			Doc: "Where something is found first, 0 if nothing is.",
		},
		{
			Names: []string{"regexp_count"}, Usage: "text, pattern", min: 2, max: 2, make: makeRegexpCount,
			Doc: "How often something is found.",
		},
		{
			Names: []string{"split"}, Usage: "text, pattern [, limit]", min: 2, max: 3, make: makeSplit,
			Doc: "An array of what is between the places that the regular expression finds.",
		},
		{
			Names: []string{"ilike"}, Usage: "text, pattern [, escape]", min: 2, max: 3, make: makeIlike,
			Doc: "As text LIKE pattern, but capitals are equal to small letters; also text ILIKE pattern.",
		},
	}
}

// regexps compiles the patterns of a call.
func (c call) regexps() func(v any) (*regexp.Regexp, error) {
	compiled := &memo[*regexp.Regexp]{}
	return func(v any) (*regexp.Regexp, error) {
		re, err := compiled.get(text(v, nil), compileJava)
		if err != nil {
			return nil, c.bad("%s", err)
		}
		return re, nil
	}
}

// matching makes a function whose second argument is a regular expression.
func (c call) matching(result sql.Type, apply func(re *regexp.Regexp, args []any) (any, error)) (sql.Expression, error) {
	compile := c.regexps()
	return c.strict(result, func(_ *sql.Context, args []any) (any, error) {
		re, err := compile(args[1])
		if err != nil {
			return nil, err
		}
		return apply(re, args)
	})
}

// compileJava compiles a regular expression of Java's.
func compileJava(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(goPattern(pattern))
	if err != nil {
		return nil, fmt.Errorf("the regular expression %q cannot be used: %w; look-around, back references and possessive quantifiers are not supported", pattern, err)
	}
	return re, nil
}

// goPattern spells what Java spells otherwise: \h, \Z, and (?<name>…).
func goPattern(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] != '\\' || i+1 == len(p) {
			b.WriteByte(p[i])
			continue
		}
		i++
		switch p[i] {
		case 'h':
			b.WriteString(`[ \t\x{A0}]`)
		case 'Z':
			b.WriteString(`\n?\z`)
		case 'R':
			b.WriteString(`(?:\r\n|[\n\r\f\v])`)
		case 'e':
			b.WriteString(`\x1b`)
		default:
			b.WriteByte('\\')
			b.WriteByte(p[i])
		}
	}
	return b.String()
}

func makeRegexpLike(c call) (sql.Expression, error) {
	compile := c.regexps()
	return c.strict(types.Boolean, func(_ *sql.Context, args []any) (any, error) {
		pattern := text(args[1], nil)
		if len(args) == 3 {
			flags := strings.TrimLeft(text(args[2], nil), "c")
			if strings.Trim(flags, "imn") != "" {
				return nil, c.bad("the flags are %q, allowed are c, i, m and n", flags)
			}
			if flags != "" {
				pattern = "(?" + strings.ReplaceAll(flags, "n", "s") + ")" + pattern
			}
		}
		re, err := compile(pattern)
		if err != nil {
			return nil, err
		}
		return re.MatchString(text(args[0], c.typ(0))), nil
	})
}

// group is the number of the group that argument 2 names, 1 if there is none.
func (c call) group(re *regexp.Regexp, args []any) (int, error) {
	if len(args) < 3 {
		if re.NumSubexp() == 0 {
			return 0, c.bad("the regular expression %q has no group; say 0 to get all that is found", re)
		}
		return 1, nil
	}
	n, err := small(args[2])
	if err == nil && (n < 0 || n > re.NumSubexp()) {
		err = c.bad("the regular expression %q has no group %d", re, n)
	}
	return n, err
}

func makeRegexpExtract(c call) (sql.Expression, error) {
	return c.matching(types.LongText, func(re *regexp.Regexp, args []any) (any, error) {
		found := re.FindStringSubmatch(text(args[0], c.typ(0)))
		if found == nil {
			return "", nil
		}
		n, err := c.group(re, args)
		if err != nil {
			return nil, err
		}
		return found[n], nil
	})
}

func makeRegexpExtractAll(c call) (sql.Expression, error) {
	t := nested.ListOf(types.LongText)
	return c.matching(t, func(re *regexp.Regexp, args []any) (any, error) {
		n, err := c.group(re, args)
		if err != nil {
			return nil, err
		}
		v := &nested.Value{Type: t}
		for _, found := range re.FindAllStringSubmatch(text(args[0], c.typ(0)), -1) {
			v.Cells = append(v.Cells, found[n])
		}
		return v, nil
	})
}

func makeRegexpReplace(c call) (sql.Expression, error) {
	return c.matching(types.LongText, func(re *regexp.Regexp, args []any) (any, error) {
		position := 1
		if len(args) == 4 {
			var err error
			if position, err = small(args[3]); err != nil {
				return nil, err
			}
			if position < 1 {
				return nil, c.bad("the position is counted from 1: got %d", position)
			}
		}
		runes := []rune(text(args[0], c.typ(0)))
		head := min(position-1, len(runes))
		return string(runes[:head]) + re.ReplaceAllString(string(runes[head:]), goReplacement(text(args[2], nil))), nil
	})
}

// goReplacement spells $1 so that letters may follow it, and \$ as Go does.
func goReplacement(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] == '$' {
				b.WriteByte('$')
			}
			b.WriteByte(s[i])
		case c == '$' && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9':
			i++
			b.WriteString("${" + s[i:i+1] + "}")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func makeRegexpSubstr(c call) (sql.Expression, error) {
	return c.matching(types.LongText, func(re *regexp.Regexp, args []any) (any, error) {
		s := text(args[0], c.typ(0))
		if found := re.FindStringIndex(s); found != nil {
			return s[found[0]:found[1]], nil
		}
		return nil, nil
	})
}

func makeRegexpInstr(c call) (sql.Expression, error) {
	return c.matching(types.Int32, func(re *regexp.Regexp, args []any) (any, error) {
		s := text(args[0], c.typ(0))
		if found := re.FindStringIndex(s); found != nil {
			return int32(utf8.RuneCountInString(s[:found[0]]) + 1), nil
		}
		return int32(0), nil
	})
}

func makeRegexpCount(c call) (sql.Expression, error) {
	return c.matching(types.Int32, func(re *regexp.Regexp, args []any) (any, error) {
		return int32(len(re.FindAllStringIndex(text(args[0], c.typ(0)), -1))), nil
	})
}

// makeSplit keeps empty parts at the end, as Spark does.
func makeSplit(c call) (sql.Expression, error) {
	t := nested.ListOf(types.LongText)
	return c.matching(t, func(re *regexp.Regexp, args []any) (any, error) {
		limit := -1
		if len(args) == 3 {
			var err error
			if limit, err = small(args[2]); err != nil {
				return nil, err
			}
			if limit == 0 {
				limit = -1
			}
		}
		v := &nested.Value{Type: t}
		for _, part := range re.Split(text(args[0], c.typ(0)), limit) {
			v.Cells = append(v.Cells, part)
		}
		return v, nil
	})
}

func makeIlike(c call) (sql.Expression, error) {
	compiled := &memo[*regexp.Regexp]{}
	return c.strict(types.Boolean, func(_ *sql.Context, args []any) (any, error) {
		escape := `\`
		if len(args) == 3 {
			escape = text(args[2], nil)
		}
		re, err := compiled.get(text(args[1], nil), func(pattern string) (*regexp.Regexp, error) {
			return regexp.Compile("(?is)^" + likePattern(pattern, escape) + "$")
		})
		if err != nil {
			return nil, c.bad("%s", err)
		}
		return re.MatchString(text(args[0], c.typ(0))), nil
	})
}

// likePattern is a pattern of LIKE as a regular expression.
func likePattern(pattern, escape string) string {
	var b strings.Builder
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			b.WriteString(regexp.QuoteMeta(string(r)))
			escaped = false
		case string(r) == escape:
			escaped = true
		case r == '%':
			b.WriteString(".*")
		case r == '_':
			b.WriteByte('.')
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

// makeFormatNumber is text with commas between thousands.
func makeFormatNumber(c call) (sql.Expression, error) {
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		d, err := exact(args[0])
		if err != nil {
			return nil, err
		}
		n, err := small(args[1])
		if err != nil || n < 0 {
			return nil, err
		}
		s := d.RoundBank(int32(n)).StringFixed(int32(n))
		sign := ""
		if strings.HasPrefix(s, "-") {
			sign, s = "-", s[1:]
		}
		integral, fraction, found := strings.Cut(s, ".")
		var b strings.Builder
		for i := range len(integral) {
			if i > 0 && (len(integral)-i)%3 == 0 {
				b.WriteByte(',')
			}
			b.WriteByte(integral[i])
		}
		if found {
			b.WriteString("." + fraction)
		}
		return sign + b.String(), nil
	})
}
