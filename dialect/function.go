package dialect

import "strings"

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
		switch function {
		case "cast":
			return w.cast(first, open, j)
		case "date_add", "date_sub", "dateadd":
			if out, ok, err := w.dateArithmetic(function, first, open, j); ok || err != nil {
				return out, err
			}
		case "date_format":
			if out, ok, err := w.dateFormat(first, open, j); ok || err != nil {
				return out, err
			}
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
	out = append(out, w.gap(open), w.verbatim(open))
	from := w.engineArguments(function, open+1, j)
	for i := open + 1; i < from; i++ {
		out = append(out, w.gap(i), w.verbatim(i))
	}
	leave := w.sc.within(function)
	args, err := w.expressions(from, j, w.sc)
	leave()
	if err != nil {
		return nil, err
	}
	return append(append(out, args...), w.gap(j), w.verbatim(j)), nil
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

// dateArithmetic rewrites date_add(d, n) and date_sub(d, n), which count days
// and return a date, and dateadd(unit, n, t). Other forms are the engine's own.
func (w *walker) dateArithmetic(function string, first, open, end int) (out pieces, ok bool, err error) {
	args := w.arguments(open+1, end)
	if len(args) == 3 {
		out := pieces{{"timestampadd(", w.tok(first).pos}, w.verbatim(open + 1)}
		rest, err := w.expressions(open+2, end, w.sc)
		return append(append(out, rest...), piece{")", w.tok(end).pos}), true, err
	}
	if len(args) != 2 || w.tok(args[1][0]).is("interval") || args[1][0] >= end {
		return nil, false, nil
	}
	date, err := w.expressions(args[0][0], args[0][1], w.sc)
	if err != nil {
		return nil, false, err
	}
	days, err := w.expressions(args[1][0], args[1][1], w.sc)
	if err != nil {
		return nil, false, err
	}
	if function == "dateadd" {
		function = "date_add"
	}
	out = append(pieces{{"date(" + function + "(", w.tok(first).pos}}, date...)
	out = append(out, piece{", INTERVAL (", w.tok(args[1][0]).pos})
	out = append(append(out, days[1:]...), piece{") DAY))", w.tok(end).pos})
	return out, true, nil
}

// cast rewrites CAST(x AS type) with Spark's names of types.
func (w *walker) cast(first, open, end int) (pieces, error) {
	as := w.find(open+1, end, func(j int) bool { return w.tok(j).is("as") })
	if as+1 >= end {
		return nil, w.syntaxAt(w.tok(min(as+1, end)), "CAST(value AS type) is expected")
	}
	value, err := w.expressions(open+1, as, w.sc)
	if err != nil {
		return nil, err
	}
	typ := castType(w.tok(as + 1).val)
	switch {
	case typ == "BOOLEAN" && as+2 == end:
		return value.wrap("cast_boolean(", ")"), nil
	case typ == "" || typ != "CHAR" && as+2 != end:
		typ = w.raw(as+1, end)
	case typ == "CHAR":
		typ += w.raw(as+2, end)
	}
	out := append(pieces{w.verbatim(first), w.gap(open), w.verbatim(open)}, value...)
	out = append(out, w.gap(as), w.verbatim(as), w.gap(as+1), piece{typ, w.tok(as + 1).pos})
	return append(out, w.gap(end), w.verbatim(end)), nil
}

// castType returns the engine's name for a type of Spark's that it does not
// know, or "".
func castType(spark string) string {
	switch strings.ToLower(spark) {
	case "string", "varchar":
		return "CHAR"
	case "byte", "tinyint", "short", "smallint", "int", "integer", "long", "bigint":
		return "SIGNED"
	case "timestamp", "timestamp_ltz", "timestamp_ntz":
		return "DATETIME(6)"
	case "boolean":
		return "BOOLEAN"
	}
	return ""
}
