package dialect

import (
	"strconv"
	"strings"
)

// relation is a table, derived table or common table expression in a FROM
// clause.
type relation struct {
	name  string   // what the engine calls it in this clause
	alias bool     // the name is an alias that was typed
	parts []string // the table's name as typed
	full  string   // the table's full dotted name as resolved, if it was
	view  []column // the columns of a lateral view
}

// column is a column of a lateral view: what its name stands for.
type column struct {
	name string
	expr pieces
}

// qualifier returns how many of the first parts of a column's name name the
// relation: at most limit, 0 if they do not. As in Spark, a table without an
// alias goes by the last parts of its name, and by all of them.
func (r *relation) qualifier(parts []string, limit int) int {
	if r.alias {
		if limit > 0 && strings.EqualFold(parts[0], r.name) {
			return 1
		}
		return 0
	}
	for n := limit; n > 0; n-- {
		if n <= len(r.parts) && equalFold(parts[:n], r.parts[len(r.parts)-n:]) {
			return n
		}
		if strings.EqualFold(strings.Join(parts[:n], "."), r.full) {
			return n
		}
	}
	return 0
}

func equalFold(a, b []string) bool {
	for i := range a {
		if !strings.EqualFold(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// selected is what an item of a SELECT returns, and its alias if it has one.
type selected struct {
	name      string
	expr      pieces
	aggregate bool // there is an aggregate in it
	alias     bool // the name was typed
}

// scope is what names mean in one SELECT, and around it.
type scope struct {
	outer     *scope
	relations []*relation
	ctes      []string
	items     []selected
	clause    string // the clause that is being rewritten, if it is after FROM
	generated generated
}

// alias finds the item of which expr is a copy. In HAVING the engine knows what
// is grouped by only under the name of an item.
func (sc *scope) alias(expr pieces) (string, bool) {
	if sc == nil || sc.clause != "having" {
		return "", false
	}
	text := expr.String()
	if !strings.Contains(text, "(") {
		return "", false
	}
	nested := strings.Contains(text, "field(") || strings.Contains(text, "element_at_index(")
	for _, it := range sc.items {
		if (nested || !it.aggregate) && it.name != "" && strings.TrimSpace(it.expr.String()) == text {
			return it.name, true
		}
	}
	return "", false
}

// within marks that an argument of a function is rewritten, and returns what
// ends it. The arguments of an aggregate are of the rows before the grouping,
// to which the names of items mean nothing.
func (sc *scope) within(function string) func() {
	if sc == nil {
		return func() {}
	}
	clause := sc.clause
	if isAggregate(function) || isOwnAggregate(function) {
		sc.clause = ""
	}
	return func() { sc.clause = clause }
}

// aliased finds what the item of that name returns. In ORDER BY the engine
// knows the name only where it stands alone.
func (sc *scope) aliased(t token) (pieces, bool) {
	if sc == nil || sc.clause != "order" || !t.isName() {
		return nil, false
	}
	expr, ok := sc.item(t)
	if !ok || len(expr) == 0 {
		return nil, false
	}
	return expr[1:].wrap("(", ")"), true
}

// hidden finds the relation whose column of that name is hidden in ORDER BY by an
// item that has the name without an alias: fields are the column's, not the
// item's.
func (sc *scope) hidden(t token) (*relation, bool) {
	if sc == nil || sc.clause != "order" || len(sc.relations) != 1 {
		return nil, false
	}
	for _, it := range sc.items {
		if t.isName() && strings.EqualFold(it.name, t.val) {
			return sc.relations[0], !it.alias
		}
	}
	return nil, false
}

// item finds what ORDER BY means by a number or an alias.
func (sc *scope) item(t token) (pieces, bool) {
	if sc == nil {
		return nil, false
	}
	if n, err := strconv.Atoi(t.val); t.kind == tokNumber && err == nil && n > 0 && n <= len(sc.items) {
		return sc.items[n-1].expr, true
	}
	for _, it := range sc.items {
		if t.isName() && it.name != "" && strings.EqualFold(it.name, t.val) {
			return it.expr, true
		}
	}
	return nil, false
}

// viewColumn finds what a column of a lateral view stands for. The name may be
// qualified by the view's; n is how many parts of it were used.
func (sc *scope) viewColumn(parts []string) (expr pieces, n int) {
	for ; sc != nil; sc = sc.outer {
		for _, rel := range sc.relations {
			for _, c := range rel.view {
				switch {
				case strings.EqualFold(parts[0], c.name):
					return c.expr, 1
				case len(parts) > 1 && strings.EqualFold(parts[0], rel.name) && strings.EqualFold(parts[1], c.name):
					return c.expr, 2
				}
			}
		}
	}
	return nil, 0
}

// views reports whether there is a lateral view among the relations.
func (sc *scope) views() bool {
	for _, rel := range sc.relations {
		if rel.view != nil {
			return true
		}
	}
	return false
}

// match finds the relation that the first parts name, the innermost first, and
// how many parts name it. At most limit of them may.
func (sc *scope) match(parts []string, limit int) (*relation, int) {
	for ; sc != nil; sc = sc.outer {
		var found *relation
		most := 0
		for _, rel := range sc.relations {
			if n := rel.qualifier(parts, limit); n > most {
				found, most = rel, n
			}
		}
		if found != nil {
			return found, most
		}
	}
	return nil, 0
}

// isCTE reports whether a common table expression of that name is in scope.
func (sc *scope) isCTE(name string) bool {
	for ; sc != nil; sc = sc.outer {
		for _, cte := range sc.ctes {
			if strings.EqualFold(cte, name) {
				return true
			}
		}
	}
	return false
}

// add puts rel into the scope. A table without an alias whose name is taken
// goes by its full name.
func (sc *scope) add(rel *relation) {
	for _, other := range sc.relations {
		if !rel.alias && len(rel.parts) > 1 && strings.EqualFold(other.name, rel.name) {
			rel.name = strings.Join(rel.parts, ".")
		}
	}
	sc.relations = append(sc.relations, rel)
}
