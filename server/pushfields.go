package server

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/firndb/firn/server/functions"
)

// pushFields tells a metadata table which fields of its struct columns are
// looked at. Columns that only pass through are wanted whole.
func pushFields(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !slices.ContainsFunc(relationsOf(n), func(r *relation) bool { return r.meta != nil && r.fields == nil }) {
		return n, transform.SameTree, nil
	}
	used := uses{}
	used.collect(n)
	return used.narrow(n, true)
}

// relationsOf are the relations that a node reads, without those of subqueries.
func relationsOf(n sql.Node) (found []*relation) {
	transform.Inspect(n, func(n sql.Node) bool {
		if r := relationOf(n); r != nil {
			found = append(found, r)
		}
		return true
	})
	return found
}

// uses are the columns and fields that expressions look at, as getters, by the
// name of their table in lower case.
type uses map[string][]sql.Expression

// collect notes what the expressions of n look at, also those of the queries in
// it, which may look at the tables around them.
func (u uses) collect(n sql.Node) {
	if e, ok := n.(sql.Expressioner); ok {
		for _, e := range e.Expressions() {
			u.note(e)
		}
	}
	for _, child := range n.Children() {
		u.collect(child)
	}
}

func (u uses) note(e sql.Expression) {
	inner := e
	for {
		call, ok := inner.(*functions.Call)
		if !ok {
			break
		}
		of, _, ok := call.Field()
		if !ok {
			break
		}
		inner = of
	}
	if get, ok := inner.(*expression.GetField); ok {
		table := strings.ToLower(get.Table())
		u[table] = append(u[table], e)
		return
	}
	if query, ok := e.(*plan.Subquery); ok {
		u.collect(query.Query)
	}
	for _, child := range e.Children() {
		u.note(child)
	}
}

// narrow sets the fields of the metadata tables below n. whole says that all
// columns of n are wanted as they are.
func (u uses) narrow(n sql.Node, whole bool) (sql.Node, transform.TreeIdentity, error) {
	if o, ok := n.(sql.OpaqueNode); ok && o.Opaque() {
		return n, transform.SameTree, nil
	}
	if relationOf(n) != nil || isAlias(n) {
		if whole {
			return n, transform.SameTree, nil
		}
		return changeRelation(n, u.fields)
	}
	switch n.(type) {
	case *plan.Project, *plan.GroupBy, *plan.Window:
		whole = false
	case *plan.Filter, *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.Having, *plan.JoinNode, *plan.HashLookup, *plan.CachedResults:
	default:
		whole = true
	}
	return transform.NodeChildren(n, func(child sql.Node) (sql.Node, transform.TreeIdentity, error) {
		return u.narrow(child, whole)
	})
}

// fields sets what of the columns of r is used.
func (u uses) fields(r *relation, name string) (*relation, error) {
	if r.meta == nil || r.fields != nil {
		return r, nil
	}
	l, err := r.load()
	if err != nil {
		return nil, err
	}
	var paths []string
	whole := map[string]bool{}
	for _, e := range u[strings.ToLower(name)] {
		path, _ := l.pathOf(e, name)
		switch {
		case len(path) == 1:
			whole[path[0]] = true
		case path != nil:
			paths = append(paths, strings.Join(path, "."))
		}
	}
	paths = slices.DeleteFunc(paths, func(path string) bool {
		for column := range whole {
			if strings.HasPrefix(path, column+".") {
				return true
			}
		}
		return false
	})
	if len(paths) == 0 {
		return r, nil
	}
	slices.Sort(paths)
	changed := *r
	changed.fields = slices.Compact(paths)
	return &changed, nil
}
