package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/firndb/firn/server/columnar"
)

// changeRelation changes the relation below n, which may only be filtered or
// renamed in between. change is told the name that expressions know it by.
func changeRelation(n sql.Node, change func(r *relation, name string) (*relation, error)) (sql.Node, transform.TreeIdentity, error) {
	r := relationOf(n)
	if r != nil {
		return changedTo(n, r, r.name, change)
	}
	var child sql.Node
	var same transform.TreeIdentity
	var err error
	switch n := n.(type) {
	case *plan.Filter:
		child, same, err = changeRelation(n.Child, change)
	case *plan.TableAlias:
		if r = relationOf(n.Child); r != nil {
			child, same, err = changedTo(n.Child, r, n.Name(), change)
		}
	}
	if child == nil || err != nil || same == transform.SameTree {
		return n, transform.SameTree, err
	}
	changed, err := n.WithChildren(child)
	return changed, transform.NewTree, err
}

func changedTo(n sql.Node, r *relation, name string, change func(*relation, string) (*relation, error)) (sql.Node, transform.TreeIdentity, error) {
	changed, err := change(r, name)
	if err != nil {
		return nil, transform.SameTree, wireError(err)
	}
	if changed == r {
		return n, transform.SameTree, nil
	}
	node, err := n.(*plan.ResolvedTable).WithTable(changed)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return node, transform.NewTree, nil
}

// pushLimit tells a metadata table how many rows are wanted at most.
func pushLimit(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		limit, ok := n.(*plan.Limit)
		if !ok || limit.CalcFoundRows {
			return n, transform.SameTree, nil
		}
		rows, ok := rowsOf(ctx, limit.Limit)
		if !ok || rows == 0 {
			return n, transform.SameTree, nil
		}
		child, same, err := limitTo(ctx, limit.Child, rows)
		if err != nil || same == transform.SameTree {
			return n, transform.SameTree, err
		}
		changed, err := limit.WithChildren(child)
		return changed, transform.NewTree, err
	})
}

// rowsOf is a number of rows; false if it is none, or very large.
func rowsOf(ctx *sql.Context, e sql.Expression) (int64, bool) {
	value, _ := columnar.Constant(ctx, e)
	n, ok := wholeNumber(value)
	return n, ok && n >= 0 && n < 1<<40
}

// limitTo limits the relation below n, if n has a row for each of its rows.
func limitTo(ctx *sql.Context, n sql.Node, rows int64) (sql.Node, transform.TreeIdentity, error) {
	if relationOf(n) != nil || isAlias(n) {
		return changeRelation(n, func(r *relation, _ string) (*relation, error) {
			if r.meta == nil || r.limit > 0 {
				return r, nil
			}
			changed := *r
			changed.limit = rows
			return &changed, nil
		})
	}
	switch node := n.(type) {
	case *plan.Offset:
		skipped, ok := rowsOf(ctx, node.Offset)
		if !ok {
			return n, transform.SameTree, nil
		}
		rows += skipped
	case *plan.Project:
	default:
		return n, transform.SameTree, nil
	}
	child, same, err := limitTo(ctx, n.Children()[0], rows)
	if err != nil || same == transform.SameTree {
		return n, transform.SameTree, err
	}
	changed, err := n.WithChildren(child)
	return changed, transform.NewTree, err
}

// isAlias says whether n is a relation by another name.
func isAlias(n sql.Node) bool {
	alias, ok := n.(*plan.TableAlias)
	return ok && relationOf(alias.Child) != nil
}
