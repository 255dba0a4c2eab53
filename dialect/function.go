package dialect

import (
	"strconv"
	"strings"
)

// call rewrites a function call: the name is parts, open is its parenthesis.
func (w *walker) call(parts []string, open int) (pieces, error) {
	first := w.i
	j, err := w.closing(open, w.end)
	if err != nil {
		return nil, err
	}
	w.i = j + 1
	function := strings.ToLower(parts[len(parts)-1])
	if len(parts) == 1 {
		if out, ok, err := w.spark(function, first, open, j); ok || err != nil {
			return out, err
		}
	}
	out := pieces{w.verbatim(first)}
	if len(parts) > 1 && strings.EqualFold(parts[len(parts)-2], "system") {
		// Iceberg's functions: system.bucket(…), also with a catalog before.
		out[0] = piece{name(parts[len(parts)-1]), w.tok(first).pos}
	} else {
		for i := first + 1; i < open; i++ {
			out = append(out, w.gap(i), w.verbatim(i))
		}
	}
	if engine := engineName(function); engine != "" && len(parts) == 1 && !w.isEngines(function, open+1, j) {
		out[0].text = engine
	}
	out = append(out, w.gap(open), w.verbatim(open))
	from := w.engineArguments(function, open+1, j)
	for i := open + 1; i < from; i++ {
		out = append(out, w.gap(i), w.verbatim(i))
	}
	args, err := w.argumentsWithin(function, from, j)
	if err != nil {
		return nil, err
	}
	return append(append(out, args...), w.gap(j), w.verbatim(j)), nil
}

// argumentsWithin rewrites the arguments i to end-1 of a function.
func (w *walker) argumentsWithin(function string, i, end int) (pieces, error) {
	leave := w.sc.within(function)
	defer leave()
	return w.expressions(i, end, w.sc)
}

// spark rewrites a call that the engine has no or another form for.
func (w *walker) spark(function string, first, open, end int) (out pieces, ok bool, err error) {
	args := w.arguments(open+1, end)
	switch {
	case function == "cast", function == "try_cast":
		out, err = w.cast(first, open, end)
		return out, true, err
	case isAggregate(function) || isOwnAggregate(function):
		return w.aggregate(function, first, open, end)
	case len(args) == 1 && castFunction(function):
		out, err = w.expressions(open+1, end, w.sc)
		return out.wrap("cast_as(", ", "+quoteString(function)+")"), true, err
	case len(args) == 3 && unitFunction(function) != "":
		out := pieces{{unitFunction(function) + "(", w.tok(first).pos}, w.verbatim(open + 1)}
		rest, err := w.expressions(open+2, end, w.sc)
		return append(append(out, rest...), piece{")", w.tok(end).pos}), true, err
	case function == "struct":
		return w.namedStruct(first, args)
	case function == "position":
		return w.position(first, open, end)
	}
	return nil, false, nil
}

// isEngines reports whether arguments are of a form that only the engine has:
// SUBSTRING(text FROM 1 FOR 2), CHAR(77, 121), CHAR(77 USING utf8mb4).
func (w *walker) isEngines(function string, i, end int) bool {
	at := w.find(i, end, func(j int) bool {
		return w.tok(j).is("from") || w.tok(j).is("using") || function == "char" && w.tok(j).is(",")
	})
	return at < end
}

// position rewrites POSITION(a IN b).
func (w *walker) position(first, open, end int) (out pieces, ok bool, err error) {
	in := w.find(open+1, end, func(j int) bool { return w.tok(j).is("in") })
	if in == end {
		in = w.find(open+1, end, func(j int) bool { return w.tok(j).is(",") })
	}
	if in == end {
		return nil, false, nil
	}
	part, err := w.expressions(open+1, in, w.sc)
	if err != nil {
		return nil, false, err
	}
	text, err := w.expressions(in+1, end, w.sc)
	if err != nil {
		return nil, false, err
	}
	out = append(pieces{{"locate(", w.tok(first).pos}}, part...)
	out = append(append(out, piece{", ", w.tok(in).pos}), text...)
	return append(out, piece{")", w.tok(end).pos}), true, nil
}

// namedStruct rewrites STRUCT(a AS x, b), if a name is given.
func (w *walker) namedStruct(first int, args [][2]int) (out pieces, ok bool, err error) {
	out = pieces{{"named_struct(", w.tok(first).pos}}
	named := false
	for n, arg := range args {
		from, to := arg[0], arg[1]
		name := "col" + strconv.Itoa(n+1)
		if to-from > 2 && w.tok(to-2).is("as") && w.tok(to-1).isName() {
			named, name, to = true, w.tok(to-1).val, to-2
		} else if parts, next := w.dotted(from, to); next == to && len(parts) > 0 {
			name = parts[len(parts)-1]
		}
		value, err := w.expressions(from, to, w.sc)
		if err != nil {
			return nil, false, err
		}
		if n > 0 {
			out = append(out, piece{", ", w.tok(from).pos})
		}
		out = append(append(out, piece{quoteString(name) + ", ", w.tok(from).pos}), value...)
	}
	return append(out, piece{")", w.tok(w.i - 1).pos}), named, nil
}

// engineName returns the name of a function of Spark's that goes by another
// one in the engine, whose grammar or own meaning is in the way; "" if it does
// not.
func engineName(function string) string {
	switch function {
	case "substr", "substring", "mid":
		return "substring_of"
	case "rlike", "regexp":
		return "regexp_like"
	case "char":
		return "chr"
	case "get":
		return "element_or_null"
	}
	return ""
}

// unitFunction returns the engine's name of a function whose first of three
// arguments is a unit, or "".
func unitFunction(function string) string {
	switch function {
	case "date_add", "dateadd":
		return "timestampadd"
	case "date_diff", "datediff":
		return "timestampdiff"
	}
	return ""
}

// castFunction reports whether a function of Spark's casts to the type of its
// name.
func castFunction(name string) bool {
	switch name {
	case "string", "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "binary":
		return true
	}
	return false
}

// engineArguments returns where the expressions begin among the arguments i to
// end-1 of a function; what is before is the engine's own grammar.
func (w *walker) engineArguments(function string, i, end int) int {
	switch function {
	case "extract":
		return min(i+2, end)
	case "get_format", "timestampadd", "timestampdiff":
		return min(i+1, end)
	case "json_table", "convert":
		return end
	}
	return i
}

// arguments cuts the arguments i to end-1 of a function at their commas.
func (w *walker) arguments(i, end int) [][2]int {
	var args [][2]int
	for i < end {
		j := w.find(i, end, func(j int) bool { return w.tok(j).is(",") })
		args = append(args, [2]int{i, j})
		i = j + 1
	}
	return args
}

// cast rewrites CAST(x AS type) and TRY_CAST with Spark's names of types.
func (w *walker) cast(first, open, end int) (pieces, error) {
	as := w.find(open+1, end, func(j int) bool { return w.tok(j).is("as") })
	if as+1 >= end {
		return nil, w.syntaxAt(w.tok(min(as+1, end)), "CAST(value AS type) is expected")
	}
	value, err := w.expressions(open+1, as, w.sc)
	if err != nil {
		return nil, err
	}
	try := w.tok(first).is("try_cast")
	if !try && isEngineType(w.tok(as+1)) {
		out := append(pieces{w.verbatim(first), w.gap(open), w.verbatim(open)}, value...)
		out = append(out, w.gap(as), w.verbatim(as), w.gap(as+1), piece{w.raw(as+1, end), w.tok(as + 1).pos})
		return append(out, w.gap(end), w.verbatim(end)), nil
	}
	return w.castTo(value, as+1, end, try)
}

// castTo is a cast to the type that tokens i to end-1 name.
func (w *walker) castTo(value pieces, i, end int, try bool) (pieces, error) {
	t := w.tok(i)
	if !isSparkType(t) {
		return nil, w.syntaxAt(t, "no type to cast to; allowed are string, boolean, tinyint, smallint, int, bigint, float, double, decimal(p, s), date, timestamp, binary")
	}
	function := "cast_as("
	if try {
		function = "try_cast_as("
	}
	return value.wrap(function, ", "+quoteString(strings.ToLower(w.raw(i, end)))+")"), nil
}

// isSparkType reports whether t is a type that values can be cast to as Spark
// does.
func isSparkType(t token) bool {
	switch strings.ToLower(t.val) {
	case "string", "varchar", "char", "boolean", "byte", "tinyint", "short", "smallint", "int", "integer", "long", "bigint",
		"float", "real", "double", "decimal", "dec", "numeric", "date", "timestamp", "timestamp_ltz", "timestamp_ntz", "binary":
		return t.kind == tokWord
	}
	return false
}

// isEngineType reports whether t is a type that MySQL alone has.
func isEngineType(t token) bool {
	switch strings.ToLower(t.val) {
	case "char", "nchar", "signed", "unsigned", "datetime", "time", "year", "json", "point", "geometry":
		return t.kind == tokWord
	}
	return false
}
