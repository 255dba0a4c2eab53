package dialect

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// rewriter turns the tokens of one statement into pieces.
type rewriter struct {
	*source
	ctx        *sql.Context
	names      Resolver
	unresolved error // the first name that could not be resolved
	derived    int   // derived tables named so far
	aggregates int   // calls of aggregates so far
}

// isQuery reports whether tokens i to end-1 are a query rather than an
// expression.
func (r *rewriter) isQuery(i, end int) bool {
	first := i
	for first < end && r.tok(first).is("(") {
		first++
	}
	if t := r.tok(first); first >= end || !t.is("select") && !t.is("with") && !(first == i && r.isValues(i)) {
		return false
	}
	for i < end && r.tok(i).is("(") {
		j, err := r.closing(i, end)
		switch {
		case err != nil:
			return false
		case j+1 == end:
			end = j
		case r.setOperator(i, end) == end:
			return false
		}
		i++
	}
	return i < end
}

// isValues reports whether token i begins the rows of VALUES.
func (r *rewriter) isValues(i int) bool {
	next := r.tok(i + 1)
	return r.tok(i).is("values") && (next.is("(") || next.is("row") || next.kind == tokNumber || next.kind == tokString)
}

// query rewrites a query: WITH, the terms of its set operations, what follows.
func (r *rewriter) query(i, end int, outer *scope) (pieces, error) {
	sc := &scope{outer: outer}
	out, i, err := r.with(i, end, sc)
	if err != nil {
		return nil, err
	}
	for {
		j := r.setOperator(i, end)
		term, err := r.term(i, j, sc)
		if err != nil {
			return nil, err
		}
		out = append(out, term...)
		if j == end {
			return out, nil
		}
		op := r.verbatim(j)
		if r.tok(j).is("minus") {
			op.text = "EXCEPT"
		}
		out = append(out, r.gap(j), op)
		for i = j + 1; i < end && (r.tok(i).is("all") || r.tok(i).is("distinct")); i++ {
			out = append(out, r.gap(i), r.verbatim(i))
		}
	}
}

// with rewrites the common table expressions at i, if any, and declares them.
func (r *rewriter) with(i, end int, sc *scope) (out pieces, next int, err error) {
	if i >= end || !r.tok(i).is("with") {
		return nil, i, nil
	}
	out = append(out, r.gap(i), r.verbatim(i))
	i++
	if r.tok(i).is("recursive") {
		out = append(out, r.gap(i), r.verbatim(i))
		i++
	}
	for i < end {
		if !r.tok(i).isName() {
			return nil, 0, r.syntaxAt(r.tok(i), "a name is expected")
		}
		sc.ctes = append(sc.ctes, r.tok(i).val)
		out = append(out, r.gap(i), piece{name(r.cteName(r.tok(i).val)), r.tok(i).pos})
		for i++; i < end && !r.tok(i).is("as"); i++ {
			out = append(out, r.gap(i), r.verbatim(i))
		}
		if !r.tok(i+1).is("(") || i+1 >= end {
			return nil, 0, r.syntaxAt(r.tok(min(i+1, end)), "missing (")
		}
		out = append(out, r.gap(i), r.verbatim(i))
		inner, next, err := r.parenthesized(i+1, end, sc)
		if err != nil {
			return nil, 0, err
		}
		out = append(append(out, r.gap(i+1)), inner...)
		if i = next; !r.tok(i).is(",") || i >= end {
			return out, i, nil
		}
		out = append(out, r.gap(i), r.verbatim(i))
		i++
	}
	return nil, 0, r.syntaxAt(r.tok(i), "a query is expected")
}

// cteName is the engine's name of a common table expression. The engine takes
// every table of its name for it, whatever database is before that.
func (r *rewriter) cteName(typed string) string {
	for i := 1; i < len(r.toks); i++ {
		if r.toks[i-1].is(".") && strings.EqualFold(r.toks[i].val, typed) {
			return "_cte_" + typed
		}
	}
	return typed
}

// parenthesized rewrites the query or expressions in the parentheses at i. The
// pieces begin at the parenthesis.
func (r *rewriter) parenthesized(i, end int, sc *scope) (out pieces, next int, err error) {
	j, err := r.closing(i, end)
	if err != nil {
		return nil, 0, err
	}
	var inner pieces
	if r.isQuery(i+1, j) {
		inner, err = r.query(i+1, j, sc)
	} else {
		inner, err = r.expressions(i+1, j, sc)
	}
	if err != nil {
		return nil, 0, err
	}
	out = append(pieces{r.verbatim(i)}, inner...)
	return append(out, r.gap(j), r.verbatim(j)), j + 1, nil
}

// setOperator finds the first set operator outside parentheses, or end.
func (r *rewriter) setOperator(i, end int) int {
	return r.find(i, end, func(j int) bool {
		t := r.tok(j)
		switch {
		case t.is("union"), t.is("intersect"), t.is("minus"):
			next := r.tok(j + 1)
			return j > i && (next.is("all") || next.is("distinct") || next.is("select") || next.is("(") || next.is("values") || next.is("table"))
		case t.is("except"):
			return j > i && !r.tok(j-1).is("*")
		}
		return false
	})
}

// find returns the first token of i to end-1 outside parentheses for which ok
// holds, or end. Parts of a dotted name after the first are not asked for.
func (r *rewriter) find(i, end int, ok func(int) bool) int {
	depth := 0
	for j := i; j < end; j++ {
		switch t := r.toks[j]; {
		case t.is("("), t.is("["):
			depth++
		case t.is(")"), t.is("]"):
			depth--
		case depth == 0 && !(j > i && r.toks[j-1].is(".")) && ok(j):
			return j
		}
	}
	return end
}

// term rewrites one operand of a set operation.
func (r *rewriter) term(i, end int, sc *scope) (pieces, error) {
	if i >= end {
		return nil, r.syntaxAt(r.tok(i), "a query is expected")
	}
	switch {
	case r.tok(i).is("("):
		out, next, err := r.parenthesized(i, end, sc)
		if err != nil {
			return nil, err
		}
		rest, err := r.tail(next, end, sc)
		return append(append(pieces{r.gap(i)}, out...), rest...), err
	case r.tok(i).is("select"):
		return r.selectCore(i, end, sc)
	}
	if r.isValues(i) {
		return r.valuesQuery(i, end, sc)
	}
	var out pieces
	for ; i < end; i++ {
		out = append(out, r.gap(i), r.verbatim(i))
	}
	return out, nil
}

// tail rewrites what follows a query in parentheses: ORDER BY and LIMIT.
func (r *rewriter) tail(i, end int, sc *scope) (pieces, error) {
	var out pieces
	for _, c := range r.clauses(i, end) {
		p, err := r.clause(c, sc)
		if err != nil {
			return nil, err
		}
		out = append(out, p...)
	}
	return out, nil
}

// clause is a clause of a SELECT: tokens from to next-1, of which the first
// words ones are its keywords.
type clause struct {
	kind              string
	from, words, next int
}

// clauses cuts a SELECT into its clauses.
func (r *rewriter) clauses(i, end int) []clause {
	var all []clause
	for at := i; at < end; {
		c := clause{from: at, words: 1, kind: strings.ToLower(r.tok(at).val)}
		if c.kind == "group" || c.kind == "order" {
			c.words = 2
		}
		limited := c.kind == "limit"
		c.next = r.find(at+1, end, func(j int) bool { return r.startsClause(j, limited) })
		all = append(all, c)
		at = c.next
	}
	return all
}

// startsClause reports whether token j begins a clause of a SELECT.
func (r *rewriter) startsClause(j int, limited bool) bool {
	if r.tok(j).kind != tokWord {
		return false
	}
	next := r.tok(j + 1)
	switch strings.ToLower(r.tok(j).val) {
	case "from":
		return !r.tok(j-1).is("distinct") || !(r.tok(j-2).is("is") || r.tok(j-2).is("not"))
	case "where", "having", "limit", "into":
		return true
	case "group", "order":
		return next.is("by")
	case "window":
		return next.isName() && r.tok(j+2).is("as")
	case "offset":
		return limited
	case "for":
		return next.is("update") || next.is("share")
	case "lock":
		return next.is("in") && r.tok(j+2).is("share")
	}
	return false
}

// selectCore rewrites a SELECT without set operations.
func (r *rewriter) selectCore(i, end int, outer *scope) (pieces, error) {
	sc := &scope{outer: outer}
	all := r.clauses(i, end)
	var from pieces
	for _, c := range all {
		if c.kind == "from" {
			var err error
			if from, err = r.from(c.from+1, c.next, sc); err != nil {
				return nil, err
			}
		}
	}
	generated, err := r.generator(all[0].from+1, all[0].next, sc)
	if err != nil {
		return nil, err
	}
	var out pieces
	for _, c := range all {
		var p pieces
		var err error
		switch c.kind {
		case "select":
			out = append(out, r.gap(c.from), r.verbatim(c.from))
			p, err = r.selectItems(c.from+1, c.next, sc)
			if from == nil && generated != nil {
				generated[0].text = " FROM " + strings.TrimPrefix(generated[0].text, ", ")
				p = append(p, generated...)
			}
		case "from":
			out = append(out, r.gap(c.from), r.verbatim(c.from))
			p = append(from, generated...)
		default:
			p, err = r.clause(c, sc)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, p...)
	}
	return out, nil
}

// clause rewrites a clause with its keywords that is neither SELECT nor FROM.
func (r *rewriter) clause(c clause, sc *scope) (pieces, error) {
	body := min(c.from+c.words, c.next)
	switch c.kind {
	case "limit":
		if body+1 == c.next && r.tok(body).is("all") {
			return nil, nil
		}
	case "for", "lock", "into":
		body = c.next
	}
	var out pieces
	for i := c.from; i < body; i++ {
		out = append(out, r.gap(i), r.verbatim(i))
	}
	if sc != nil {
		sc.clause = c.kind
	}
	if body+1 == c.next && r.tok(body).is("all") && sc != nil {
		all, err := r.allItems(c.kind, body, sc)
		return append(out, all...), err
	}
	if c.kind == "group" {
		if err := r.checkGrouping(body, c.next); err != nil {
			return nil, err
		}
	}
	rest, err := r.expressions(body, c.next, sc)
	return append(out, rest...), err
}

// allItems is what ALL stands for in GROUP BY and ORDER BY: the numbers of the
// items without an aggregate, of all items.
func (r *rewriter) allItems(kind string, i int, sc *scope) (pieces, error) {
	var numbers []string
	for n, item := range sc.items {
		if item.expr.String() == "*" || strings.HasSuffix(item.expr.String(), ".*") {
			return nil, r.syntaxAt(r.tok(i), "ALL needs the names of the columns, not *")
		}
		if kind != "group" || !item.aggregate {
			numbers = append(numbers, strconv.Itoa(n+1))
		}
	}
	if len(numbers) == 0 {
		return pieces{{" NULL", r.tok(i).pos}}, nil
	}
	return pieces{{" " + strings.Join(numbers, ", "), r.tok(i).pos}}, nil
}

// checkGrouping refuses what the engine cannot group by.
func (r *rewriter) checkGrouping(i, end int) error {
	at := r.find(i, end, func(j int) bool {
		return (r.tok(j).is("rollup") || r.tok(j).is("cube")) && (r.tok(j+1).is("(") || r.tok(j-1).is("with")) ||
			r.tok(j).is("grouping") && r.tok(j+1).is("sets")
	})
	if at == end {
		return nil
	}
	return r.syntaxAt(r.tok(at), "ROLLUP, CUBE and GROUPING SETS are not supported; use UNION ALL of a query for each grouping")
}

// selectItems rewrites what a SELECT returns.
func (r *rewriter) selectItems(i, end int, sc *scope) (pieces, error) {
	var out pieces
	for ; i < end && isModifier(r.tok(i)); i++ {
		out = append(out, r.gap(i), r.verbatim(i))
	}
	for first := true; ; first = false {
		j := r.find(i, end, func(j int) bool { return r.tok(j).is(",") })
		var item pieces
		var err error
		if sc.generated.view != nil && sc.generated.at == i {
			item = r.generatedItem(sc)
		} else {
			item, err = r.selectItem(i, j, sc)
		}
		if err != nil {
			return nil, err
		}
		if first && len(item) > 0 && item[0].text == "" {
			// The engine takes what follows SELECT and one more byte for the
			// name of the first column.
			item[0].text = " "
		}
		out = append(out, item...)
		if j == end {
			return out, nil
		}
		out = append(out, r.verbatim(j))
		i = j + 1
	}
}

// isModifier reports whether t may stand between SELECT and its first item.
func isModifier(t token) bool {
	switch strings.ToLower(t.val) {
	case "all", "distinct", "distinctrow", "high_priority", "straight_join":
		return t.kind == tokWord
	}
	return t.kind == tokWord && strings.HasPrefix(strings.ToLower(t.val), "sql_")
}

// selectItem rewrites one item. One that has no alias and is no longer what
// was typed gets the name that Spark gives it.
func (r *rewriter) selectItem(i, end int, sc *scope) (pieces, error) {
	if i+1 == end && r.tok(i).is("*") && sc.views() {
		return nil, r.syntaxAt(r.tok(i), "with a generator or LATERAL VIEW the columns must be named")
	}
	before := r.aggregates
	w := &walker{rewriter: r, sc: sc, i: i, end: end, operand: true, inSelect: true}
	if err := w.run(); err != nil {
		return nil, err
	}
	item := selected{name: w.caption, expr: w.out}
	if w.aliased {
		item = selected{name: r.tok(end - 1).val, expr: w.out[:w.valueEnd], alias: true}
	}
	item.aggregate = r.aggregates > before
	sc.items = append(sc.items, item)
	if w.aliased || i >= end || w.column || r.typed(i, end) == w.out[1:].String() {
		return w.out, nil
	}
	caption := w.caption
	if caption == "" {
		caption = r.typed(i, end)
	}
	return append(w.out, piece{" AS " + quoteName(caption), r.toks[end-1].pos}), nil
}
