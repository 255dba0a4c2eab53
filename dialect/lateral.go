package dialect

import (
	"strconv"
	"strings"
)

// generator is a function that makes rows, and what it was given.
type generator struct {
	arg       pieces // the array or map
	positions bool   // POSEXPLODE: the position is a column too
	outer     bool   // a row of NULLs for an empty array
	fields    bool   // INLINE: the fields of the elements are columns
}

// generatorAt reads a generator's call at token i and returns what follows it;
// nil if there is none.
func (r *rewriter) generatorAt(i, end int, sc *scope) (*generator, int, error) {
	name := strings.ToLower(r.tok(i).val)
	kind, outer := strings.CutSuffix(name, "_outer")
	if kind != "explode" && kind != "posexplode" && kind != "inline" || r.tok(i).kind != tokWord || i+1 >= end || !r.tok(i+1).is("(") {
		return nil, i, nil
	}
	j, err := r.closing(i+1, end)
	if err != nil {
		return nil, i, err
	}
	arg, err := r.expressions(i+2, j, sc)
	if err != nil {
		return nil, i, err
	}
	if len(arg) == 0 {
		return nil, i, r.syntaxAt(r.tok(j), "an array or a map is expected")
	}
	return &generator{arg: arg, positions: kind == "posexplode", outer: outer, fields: kind == "inline"}, j + 1, nil
}

// lateralView rewrites LATERAL VIEW [OUTER] generator(x) [view] [AS columns] to
// a join with a table of the positions in x. A column of the view stands for
// what is at the position.
func (r *rewriter) lateralView(i, end int, sc *scope) (out pieces, next int, err error) {
	at := i
	outer := r.tok(i + 2).is("outer")
	if i += 2; outer {
		i++
	}
	g, next, err := r.generatorAt(i, end, sc)
	if err != nil {
		return nil, 0, err
	}
	if g == nil {
		return nil, 0, r.syntaxAt(r.tok(min(i, end)), "LATERAL VIEW takes explode, posexplode, inline and these with _outer")
	}
	g.outer = g.outer || outer
	view := ""
	if next < end && r.tok(next).isName() && !r.tok(next).is("as") && r.isBareAlias(next) && !r.tok(next).is("lateral") {
		view = r.tok(next).val
		next++
	}
	var columns []string
	if next < end && r.tok(next).is("as") {
		for next++; next < end && r.tok(next).isName(); next += 2 {
			columns = append(columns, r.tok(next).val)
			if !r.tok(next+1).is(",") || r.tok(next+2).kind == tokEOF {
				next++
				break
			}
		}
	}
	out, err = r.view(g, view, columns, at, sc)
	return out, next, err
}

// view declares a lateral view and returns its join.
func (r *rewriter) view(g *generator, name string, columns []string, at int, sc *scope) (pieces, error) {
	if name == "" {
		r.derived++
		name = "_view_" + strconv.Itoa(r.derived)
	}
	pos := r.tok(at).pos
	position := quoteName(name) + ".`_position`"
	rel := &relation{name: name, alias: true}
	add := func(column string, expr pieces) { rel.view = append(rel.view, columnOf(column, expr)) }
	element := func(function string) pieces {
		return append(append(pieces{{function + "(", pos}}, g.arg...), piece{", " + position + ")", pos})
	}
	if g.positions {
		first := "pos"
		if len(columns) > 0 {
			first, columns = columns[0], columns[1:]
		}
		if g.outer {
			position = "nullif(" + position + ", -1)"
		}
		add(first, pieces{{position, pos}})
	}
	switch {
	case g.fields && len(columns) == 0:
		return nil, r.syntaxAt(r.tok(at), "inline needs the names of its columns: AS a, b")
	case g.fields:
		for n, column := range columns {
			add(column, append(append(pieces{{"field_at(", pos}}, element("explode_element")...), piece{", " + strconv.Itoa(n) + ")", pos}))
		}
	case len(columns) == 0:
		add("col", element("explode_element"))
		add("key", element("explode_key"))
		add("value", element("explode_value"))
	case len(columns) == 1:
		add(columns[0], element("explode_element"))
	case len(columns) == 2:
		add(columns[0], element("explode_key"))
		add(columns[1], element("explode_value"))
	default:
		return nil, r.syntaxAt(r.tok(at), "explode has one column of an array, two of a map")
	}
	sc.add(rel)
	positions := "explode_positions("
	if g.outer {
		positions = "explode_positions_outer("
	}
	out := append(pieces{{", JSON_TABLE(" + positions, pos}}, g.arg...)
	return append(out, piece{"), '$[*]' COLUMNS (`_position` INT PATH '$')) AS " + quoteName(name), pos}), nil
}

func columnOf(name string, expr pieces) column { return column{name: name, expr: expr} }

// generator finds the item of a SELECT, tokens i to end-1, that is a generator,
// and makes a lateral view of it. The item then stands for the view's columns.
func (r *rewriter) generator(i, end int, sc *scope) (pieces, error) {
	var out pieces
	for ; i < end && isModifier(r.tok(i)); i++ {
	}
	for i < end {
		j := r.find(i, end, func(j int) bool { return r.tok(j).is(",") })
		g, next, err := r.generatorAt(i, j, sc)
		if err != nil {
			return nil, err
		}
		if g != nil {
			if out != nil {
				return nil, r.syntaxAt(r.tok(i), "a SELECT has one generator; use LATERAL VIEW for more")
			}
			columns, ok := r.itemColumns(next, j)
			if !ok {
				return nil, r.syntaxAt(r.tok(i), "a generator is a whole column of a SELECT")
			}
			if out, err = r.view(g, "", columns, i, sc); err != nil {
				return nil, err
			}
			sc.generated = generated{at: i, next: j, view: sc.relations[len(sc.relations)-1]}
			if len(columns) == 0 {
				// Without names an array is meant.
				view := sc.generated.view
				view.view = view.view[:len(view.view)-2]
			}
		}
		i = j + 1
	}
	return out, nil
}

// generated is the item of a SELECT that is a generator: tokens at to next-1.
type generated struct {
	at, next int
	view     *relation
}

// itemColumns reads the names after a generator: AS a, AS (a, b), or none.
func (r *rewriter) itemColumns(i, end int) (columns []string, ok bool) {
	if i < end && r.tok(i).is("as") {
		i++
	}
	for ; i < end; i++ {
		switch t := r.tok(i); {
		case t.isName():
			columns = append(columns, t.val)
		case !t.is("(") && !t.is(")") && !t.is(","):
			return nil, false
		}
	}
	return columns, true
}

// generatedItem writes the columns of a generator.
func (r *rewriter) generatedItem(sc *scope) pieces {
	pos := r.tok(sc.generated.at).pos
	var out pieces
	for n, c := range sc.generated.view.view {
		before := " "
		if n > 0 {
			before = ", "
		}
		out = append(append(append(out, piece{before, pos}), c.expr...), piece{" AS " + quoteName(c.name), pos})
		sc.items = append(sc.items, selected{name: c.name, expr: c.expr, alias: true})
	}
	return out
}

// inlineTable rewrites VALUES (…), (…) [AS] t(a, b), which may be in
// parentheses. Spark calls the columns col1, col2, … without names.
func (r *rewriter) inlineTable(i, end int, sc *scope) (parts []fromPart, next int, err error) {
	from, to := i+1, end
	if r.tok(i).is("(") {
		j, err := r.closing(i, end)
		if err != nil {
			return nil, 0, err
		}
		from, to, next = i+2, j, j+1
	}
	rows, width, stop, err := r.valueRows(from, to, sc)
	if err != nil {
		return nil, 0, err
	}
	if next == 0 {
		next = stop
	} else if stop < to {
		return nil, 0, r.syntaxAt(r.tok(stop), "")
	}
	alias, as, after := r.alias(next, end)
	if alias == "" {
		r.derived++
		alias = "_values_" + strconv.Itoa(r.derived)
		as = pieces{{" AS " + alias, r.tok(i).pos}}
	}
	if !r.tok(after-1).is(")") || after == next {
		as = append(as, piece{columnNames(width), r.tok(i).pos})
	}
	sc.add(&relation{name: alias, alias: true})
	out := append(pieces{r.gap(i)}, rows.wrap("(VALUES ", ")")...)
	return []fromPart{{out: append(out, as...)}}, after, nil
}

func columnNames(width int) string {
	names := make([]string, width)
	for n := range names {
		names[n] = "col" + strconv.Itoa(n+1)
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// valueRows rewrites the rows of VALUES at token i: (1, 2), (3, 4) or 1, 2.
func (r *rewriter) valueRows(i, end int, sc *scope) (out pieces, width, next int, err error) {
	for {
		if r.tok(i).is("row") && r.tok(i+1).is("(") {
			i++
		}
		from, to, after := i, 0, 0
		if r.tok(i).is("(") && i < end {
			j, err := r.closing(i, end)
			if err != nil {
				return nil, 0, 0, err
			}
			from, to, after = i+1, j, j+1
		} else {
			w := &walker{rewriter: r, sc: sc.outer, i: i, end: end, operand: true}
			if _, err := w.sum(); err != nil {
				return nil, 0, 0, err
			}
			to, after = w.i, w.i
		}
		cells, err := r.expressions(from, to, sc.outer)
		if err != nil {
			return nil, 0, 0, err
		}
		if from >= to {
			return nil, 0, 0, r.syntaxAt(r.tok(to), "a row has at least one value")
		}
		width = len((&walker{rewriter: r}).arguments(from, to))
		out = append(out, cells.wrap("ROW(", ")")...)
		if after >= end || !r.tok(after).is(",") {
			return out, width, after, nil
		}
		out = append(out, piece{", ", r.tok(after).pos})
		i = after + 1
	}
}

// valuesQuery rewrites VALUES as a query.
func (r *rewriter) valuesQuery(i, end int, outer *scope) (pieces, error) {
	sc := &scope{outer: outer}
	rows, width, next, err := r.valueRows(i+1, end, sc)
	if err != nil {
		return nil, err
	}
	r.derived++
	name := "_values_" + strconv.Itoa(r.derived)
	out := append(pieces{r.gap(i)}, rows.wrap("SELECT * FROM (VALUES ", ") AS "+name+columnNames(width))...)
	rest, err := r.tail(next, end, sc)
	return append(out, rest...), err
}
