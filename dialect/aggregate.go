package dialect

import "strings"

// isAggregate reports whether the engine knows the function as an aggregate.
func isAggregate(function string) bool {
	switch function {
	case "avg", "bit_and", "bit_or", "bit_xor", "count", "group_concat", "json_arrayagg", "json_objectagg", "max", "min",
		"mean", "std", "stddev", "stddev_pop", "stddev_samp", "sum", "var_pop", "var_samp", "variance":
		return true
	}
	return false
}

// isOwnAggregate reports whether the function is an aggregate that the engine
// does not know as one: ANY_VALUE around its call makes it one.
func isOwnAggregate(function string) bool {
	switch function {
	case "any", "any_value", "approx_count_distinct", "approx_percentile", "array_agg", "bool_and", "bool_or", "collect_list",
		"collect_set", "corr", "count_if", "covar_pop", "covar_samp", "every", "first", "first_value", "kurtosis", "last",
		"last_value", "listagg", "max_by", "median", "min_by", "mode", "percentile", "percentile_approx", "skewness", "some",
		"string_agg":
		return true
	}
	return false
}

// aggregate rewrites the call of an aggregate with its FILTER. One that the
// engine has as it is typed is left to it.
func (w *walker) aggregate(function string, first, open, end int) (out pieces, ok bool, err error) {
	filter, err := w.filter()
	if err != nil {
		return nil, false, err
	}
	over := w.tok(w.i).is("over") && w.i < w.end
	if !over {
		w.aggregates++
	}
	switch {
	case (function == "first_value" || function == "last_value") && over && filter == nil:
		return nil, false, nil
	case isOwnAggregate(function):
		out, err = w.ownAggregate(function, first, open, end, filter)
		if over && err == nil {
			// The engine's grammar has no OVER after ANY_VALUE.
			out[0].text = "max(" + strings.TrimPrefix(out[0].text, "any_value(")
		}
		return out, err == nil, err
	case filter == nil && function != "mean":
		return nil, false, nil
	}
	out, err = w.filtered(function, first, open, end, filter)
	return out, err == nil, err
}

// filter reads FILTER (WHERE condition) after a call; nil if there is none.
func (w *walker) filter() (pieces, error) {
	if !w.tok(w.i).is("filter") || w.i+2 >= w.end || !w.tok(w.i+1).is("(") || !w.tok(w.i+2).is("where") {
		return nil, nil
	}
	j, err := w.closing(w.i+1, w.end)
	if err != nil {
		return nil, err
	}
	leave := w.sc.within("count")
	defer leave()
	condition, err := w.expressions(w.i+3, j, w.sc)
	if err != nil {
		return nil, err
	}
	if len(condition) == 0 {
		return nil, w.syntaxAt(w.tok(j), "a condition is expected")
	}
	w.i = j + 1
	return condition, nil
}

// ownAggregate rewrites a call of isOwnAggregate.
func (w *walker) ownAggregate(function string, first, open, end int, filter pieces) (pieces, error) {
	from := open + 1
	distinct := w.tok(from).is("distinct")
	if distinct {
		from++
	}
	to := end
	ignore := "false"
	if w.tok(end-1).is("nulls") && (w.tok(end-2).is("ignore") || w.tok(end-2).is("respect")) {
		to = end - 2
		if w.tok(end - 2).is("ignore") {
			ignore = "true"
		}
	}
	if w.tok(w.i+1).is("nulls") && w.i+1 < w.end && (w.tok(w.i).is("ignore") || w.tok(w.i).is("respect")) {
		if w.tok(w.i).is("ignore") {
			ignore = "true"
		}
		w.i += 2
	}
	out, err := w.argumentsWithin("any_value", from, to)
	if err != nil {
		return nil, err
	}
	before, after := function+"(", ")"
	switch function {
	case "first", "first_value", "any_value":
		before = "first_of("
	case "last", "last_value":
		before = "last_of("
	case "any", "some":
		before = "bool_or("
	}
	if (before == "first_of(" || before == "last_of(") && len(w.arguments(from, to)) == 1 {
		after = ", " + ignore + ")"
	}
	if distinct {
		before, after = "aggregate_distinct("+before, after+")"
	}
	before, after = "any_value("+before, after+")"
	if filter == nil {
		return pinned(out, before, after, w.tok(first).pos), nil
	}
	out = pinned(out, before[len("any_value("):], after[:len(after)-1], w.tok(first).pos)
	return append(append(filter, piece{", ", w.tok(first).pos}), out...).wrap("any_value(aggregate_where(", "))"), nil
}

// pinned puts out between two texts that stand for what is at pos.
func pinned(out pieces, before, after string, pos int) pieces {
	return append(append(pieces{{before, pos}}, out...), piece{after, pos})
}

// filtered gives an aggregate of the engine's a value of the rows only for
// which the filter holds: it does not count NULL.
func (w *walker) filtered(function string, first, open, end int, filter pieces) (pieces, error) {
	if function == "json_arrayagg" || function == "json_objectagg" {
		return nil, w.syntaxAt(w.tok(first), function+" takes no FILTER")
	}
	if engine := engineName(function); engine != "" {
		function = engine
	}
	if function == "mean" {
		function = "avg"
	}
	from := open + 1
	before := function + "("
	if w.tok(from).is("distinct") || w.tok(from).is("all") && from+1 < end {
		if w.tok(from).is("distinct") {
			before += "DISTINCT "
		}
		from++
	}
	to := w.find(from, end, func(j int) bool { return w.tok(j).is(",") || w.tok(j).is("order") || w.tok(j).is("separator") })
	var value pieces
	var err error
	if w.tok(from).is("*") && to == from+1 {
		value = pieces{{"1", w.tok(from).pos}}
	} else if value, err = w.argumentsWithin("count", from, to); err != nil {
		return nil, err
	}
	rest, err := w.argumentsWithin("count", to, end)
	if err != nil {
		return nil, err
	}
	if filter != nil {
		value = append(append(filter, piece{" THEN ", w.tok(from).pos}), value...).wrap("CASE WHEN ", " END")
	}
	return pinned(append(value, rest...), before, ")", w.tok(first).pos), nil
}
