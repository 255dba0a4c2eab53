package dialect

import "strings"

// fromPart is a part of a FROM clause: finished pieces, or the condition of a
// join, which is rewritten when all relations are known.
type fromPart struct {
	out       pieces
	from, end int
}

// from rewrites a FROM clause and puts its relations into sc.
func (r *rewriter) from(i, end int, sc *scope) (pieces, error) {
	parts, err := r.fromParts(i, end, sc)
	if err != nil {
		return nil, err
	}
	var out pieces
	for _, p := range parts {
		out = append(out, p.out...)
		if p.from < p.end {
			condition, err := r.expressions(p.from, p.end, sc)
			if err != nil {
				return nil, err
			}
			out = append(out, condition...)
		}
	}
	return out, nil
}

func (r *rewriter) fromParts(i, end int, sc *scope) ([]fromPart, error) {
	var parts []fromPart
	lateral := false
	for i < end {
		t := r.tok(i)
		switch {
		case t.is("lateral") && r.tok(i+1).is("view"):
			view, next, err := r.lateralView(i, end, sc)
			if err != nil {
				return nil, err
			}
			parts = append(parts, fromPart{out: view})
			i = next
		case t.is(","), t.is("lateral"), r.isJoin(i):
			lateral = t.is("lateral")
			parts = append(parts, fromPart{out: pieces{r.gap(i), r.verbatim(i)}})
			i++
		case t.is("on"):
			next := r.find(i+1, end, func(j int) bool { return r.tok(j).is(",") || r.isJoin(j) })
			parts = append(parts, fromPart{out: pieces{r.gap(i), r.verbatim(i)}, from: i + 1, end: next})
			i = next
		case t.is("using") && r.tok(i+1).is("("):
			next, err := r.closing(i+1, end)
			if err != nil {
				return nil, err
			}
			parts = append(parts, fromPart{out: r.using(i, next+1)})
			i = next + 1
		default:
			more, next, err := r.factor(i, end, sc, lateral)
			if err != nil {
				return nil, err
			}
			parts = append(parts, more...)
			i = next
		}
	}
	return parts, nil
}

// using rewrites USING (columns).
func (r *rewriter) using(i, end int) pieces {
	out := pieces{r.gap(i), r.verbatim(i)}
	for i++; i < end; i++ {
		p := r.verbatim(i)
		if t := r.tok(i); t.kind == tokWord {
			p.text = name(t.val)
		}
		out = append(out, r.gap(i), p)
	}
	return out
}

// isJoin reports whether token i is a word of a join operator.
func (r *rewriter) isJoin(i int) bool {
	if r.tok(i).kind != tokWord {
		return false
	}
	switch strings.ToLower(r.tok(i).val) {
	case "join", "straight_join":
		return true
	case "inner", "left", "right", "full", "outer", "cross", "natural", "semi", "anti":
		return r.isJoin(i + 1)
	}
	return false
}

// factor rewrites one operand of the joins.
func (r *rewriter) factor(i, end int, sc *scope, lateral bool) (parts []fromPart, next int, err error) {
	t := r.tok(i)
	if r.isValues(i) {
		return r.inlineTable(i, end, sc)
	}
	if t.is("(") {
		j, err := r.closing(i, end)
		if err != nil {
			return nil, 0, err
		}
		if r.isValues(i + 1) {
			return r.inlineTable(i, end, sc)
		}
		if r.isQuery(i+1, j) {
			outer := sc.outer
			if lateral {
				outer = sc
			}
			return r.derivedTable(i, end, sc, outer)
		}
		inner, err := r.fromParts(i+1, j, sc)
		if err != nil {
			return nil, 0, err
		}
		parts = append([]fromPart{{out: pieces{r.gap(i), r.verbatim(i)}}}, inner...)
		return append(parts, fromPart{out: pieces{r.gap(j), r.verbatim(j)}}), j + 1, nil
	}
	name, next := r.dotted(i, end)
	switch {
	case len(name) == 0:
		return []fromPart{{out: pieces{r.gap(i), r.verbatim(i)}}}, i + 1, nil
	case next < end && r.tok(next).is("("):
		return r.tableFunction(i, next, end, name, sc)
	}
	return r.table(i, next, end, name, sc)
}

// derivedTable rewrites (SELECT …) [AS] alias. Spark's needs no alias.
func (r *rewriter) derivedTable(i, end int, sc, outer *scope) (parts []fromPart, next int, err error) {
	out, next, err := r.parenthesized(i, end, outer)
	if err != nil {
		return nil, 0, err
	}
	out = append(pieces{r.gap(i)}, out...)
	alias, as, next := r.alias(next, end)
	if alias == "" {
		r.derived++
		alias = "_derived_" + string(rune('0'+r.derived%10))
		as = pieces{{" AS " + alias, r.toks[next-1].pos}}
	}
	sc.add(&relation{name: alias, alias: true})
	return []fromPart{{out: append(out, as...)}}, next, nil
}

// tableFunction leaves JSON_TABLE(…) and its like to the engine.
func (r *rewriter) tableFunction(i, open, end int, name []string, sc *scope) (parts []fromPart, next int, err error) {
	if len(name) > 1 {
		return nil, 0, r.syntaxAt(r.tok(open), "a table function has no dotted name, and procedures are run with CALL")
	}
	j, err := r.closing(open, end)
	if err != nil {
		return nil, 0, err
	}
	var out pieces
	for ; i <= j; i++ {
		out = append(out, r.gap(i), r.verbatim(i))
	}
	alias, as, next := r.alias(j+1, end)
	if alias != "" {
		sc.add(&relation{name: alias, alias: true})
	}
	return []fromPart{{out: append(out, as...)}}, next, nil
}

// table rewrites a table name with its time travel, alias and hints.
func (r *rewriter) table(i, next, end int, parts []string, sc *scope) ([]fromPart, int, error) {
	rel := &relation{parts: parts, name: parts[len(parts)-1]}
	out, table := r.tableName(i, next, rel, sc)
	out = append(pieces{r.gap(i)}, out...)
	asOf, next, err := r.asOf(next, end)
	if err != nil {
		return nil, 0, err
	}
	out = append(out, asOf...)
	alias, as, next := r.alias(next, end)
	if alias != "" {
		rel.name, rel.alias = alias, true
	}
	sc.add(rel)
	if !rel.alias && !strings.EqualFold(rel.name, table) {
		as = pieces{{" AS " + name(rel.name), r.toks[next-1].pos}}
	}
	out = append(out, as...)
	for next < end && isHint(r.tok(next)) {
		j := r.find(next, end, func(j int) bool { return r.tok(j).is(",") || r.isJoin(j) || r.tok(j).is("on") })
		for ; next < j; next++ {
			out = append(out, r.gap(next), r.verbatim(next))
		}
	}
	return []fromPart{{out: out}}, next, nil
}

// isHint reports whether t begins an index hint.
func isHint(t token) bool { return t.is("use") || t.is("force") || t.is("ignore") }

// tableName resolves a table name and returns it in the engine's spelling
// together with the table's name there.
func (r *rewriter) tableName(i, next int, rel *relation, sc *scope) (out pieces, table string) {
	var typed pieces
	for j := i; j < next; j++ {
		p := r.verbatim(j)
		if t := r.tok(j); t.kind == tokWord && !isPlain(t.val) {
			p.text = quoteName(t.val)
		}
		if j > i {
			typed = append(typed, r.gap(j))
		}
		typed = append(typed, p)
	}
	last := rel.parts[len(rel.parts)-1]
	if len(rel.parts) == 1 && sc.isCTE(last) {
		if renamed := r.cteName(last); renamed != last {
			return pieces{{quoteName(renamed), r.tok(i).pos}}, renamed
		}
		return typed, last
	}
	if r.isEngineName(rel.parts) {
		return typed, last
	}
	db, table, err := r.names.Table(r.ctx, rel.parts)
	if err != nil {
		if r.unresolved == nil {
			r.unresolved = err
		}
		return pieces{{quoteName(last), r.tok(i).pos}}, last
	}
	rel.full = db + "." + strings.ReplaceAll(table, "$", ".")
	same := strings.EqualFold(table, last)
	switch {
	case db == "" && same && len(rel.parts) == 1:
		return typed, table
	case db == "":
		return pieces{{quoteName(table), r.tok(i).pos}}, table
	case same && len(rel.parts) == 2 && strings.EqualFold(db, rel.parts[0]) && !isKeyword(db):
		return typed, table
	}
	return pieces{{quoteName(db) + "." + quoteName(table), r.tok(i).pos}}, table
}

// isEngineName reports whether a table name is one the engine knows itself:
// its system databases, DUAL, and databases in their full spelling.
func (r *rewriter) isEngineName(parts []string) bool {
	switch len(parts) {
	case 1:
		return strings.EqualFold(parts[0], "dual")
	case 2:
		return isSystemDatabase(parts[0]) || strings.Contains(parts[0], ".")
	}
	return false
}

// isSystemDatabase reports whether the database is one of the engine's own.
func isSystemDatabase(name string) bool {
	switch strings.ToLower(name) {
	case "information_schema", "mysql", "performance_schema", "sys":
		return true
	}
	return false
}

// alias reads [AS] alias [(columns)] at i. The alias is empty if there is none.
func (r *rewriter) alias(i, end int) (alias string, out pieces, next int) {
	at := i
	if at < end && r.tok(at).is("as") {
		at++
	}
	t := r.tok(at)
	if at >= end || !t.isName() || at == i && !r.isBareAlias(at) {
		return "", nil, i
	}
	if at > i {
		out = append(out, r.gap(i), r.verbatim(i))
	}
	p := r.verbatim(at)
	if t.kind == tokWord {
		p.text = name(t.val)
	}
	out = append(out, r.gap(at), p)
	next = at + 1
	if next < end && r.tok(next).is("(") {
		if j, err := r.closing(next, end); err == nil {
			for ; next <= j; next++ {
				out = append(out, r.gap(next), r.verbatim(next))
			}
		}
	}
	return t.val, out, next
}

// isBareAlias reports whether token i, after a table, can only be its alias.
func (r *rewriter) isBareAlias(i int) bool {
	t := r.tok(i)
	if t.kind == tokQuoted {
		return true
	}
	switch strings.ToLower(t.val) {
	case "on", "using", "use", "force", "ignore", "for", "lateral", "partition", "tablesample", "pivot", "unpivot":
		return false
	}
	return !r.isJoin(i)
}
