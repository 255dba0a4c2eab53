package server

import (
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// pushFilters tells tables the conditions of the Filters above them, and of
// joins, so that the files that cannot match are not read. The Filters stay: a
// table may return more rows than match.
func pushFilters(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return pusher{ctx}.visit(n, nil)
}

// pusher carries conditions down a plan.
type pusher struct{ ctx *sql.Context }

// visit tells the tables below n the conditions, which every wanted row of n
// meets.
func (p pusher) visit(n sql.Node, conditions []sql.Expression) (sql.Node, transform.TreeIdentity, error) {
	if o, ok := n.(sql.OpaqueNode); ok && o.Opaque() {
		return n, transform.SameTree, nil
	}
	if relationOf(n) != nil || isAlias(n) {
		return changeRelation(n, func(r *relation, name string) (*relation, error) {
			return p.tell(r, name, conditions)
		})
	}
	switch node := n.(type) {
	case *plan.Filter:
		if limited, ok, err := p.limitInfo(node.Child, node.Expression); ok || err != nil {
			if err != nil {
				return nil, transform.SameTree, err
			}
			return plan.NewFilter(node.Expression, limited), transform.NewTree, nil
		}
		conditions = append(slices.Clone(conditions), expression.SplitConjunction(node.Expression)...)
	case *plan.Project:
		conditions = inlined(conditions, func(get *expression.GetField) sql.Expression { return computed(node, get) })
	case *plan.JoinNode:
		return p.visitJoin(node)
	case *plan.SetOp:
		return p.visitSetOp(node, conditions)
	case *plan.HashLookup, *plan.CachedResults:
	default:
		conditions = nil
	}
	return transform.NodeChildren(n, func(child sql.Node) (sql.Node, transform.TreeIdentity, error) {
		return p.visit(child, conditions)
	})
}

// limitInfo tells a table of information_schema the condition of the Filter
// above it; false if n is none, or has been told.
func (p pusher) limitInfo(n sql.Node, condition sql.Expression) (sql.Node, bool, error) {
	switch node := n.(type) {
	case *plan.TableAlias:
		child, ok, err := p.limitInfo(node.Child, condition)
		if !ok || err != nil {
			return nil, false, err
		}
		changed, err := node.WithChildren(child)
		return changed, true, err
	case *plan.ResolvedTable:
		info, ok := node.Table.(*infoTable)
		if !ok {
			return nil, false, nil
		}
		limited := info.limited(p.ctx, condition)
		if limited.only == info.only {
			return nil, false, nil
		}
		changed, err := node.WithTable(limited)
		return changed, true, err
	}
	return nil, false, nil
}

// tell gives a relation the conditions that it understands.
func (p pusher) tell(r *relation, name string, conditions []sql.Expression) (*relation, error) {
	if r.filter != nil || r.keep != nil || len(conditions) == 0 {
		return r, nil
	}
	l, err := r.load()
	if err != nil {
		return nil, err
	}
	zone, err := zoneOf(p.ctx)
	if err != nil {
		return nil, err
	}
	t := translator{p.ctx, l, zone, name, r.meta != nil}
	var pushed iceberg.BooleanExpression = iceberg.AlwaysTrue{}
	for _, condition := range conditions {
		pushed = iceberg.NewAnd(pushed, t.weaken(condition))
	}
	changed := *r
	if r.meta == nil {
		changed.keep = t.fileFilter(expression.JoinAnd(slices.DeleteFunc(slices.Clone(conditions), func(e sql.Expression) bool {
			return varies(e, func(get *expression.GetField) bool { return !strings.EqualFold(get.Table(), name) })
		})...))
	}
	if !pushed.Equals(iceberg.AlwaysTrue{}) {
		changed.filter = pushed
	}
	if changed.filter == nil && changed.keep == nil {
		return r, nil
	}
	return &changed, nil
}

// visitJoin gives the sides of a join its own condition: both if only matching
// rows are wanted, the right one if all of the left are, as a row of it that
// fails the condition matches nothing. The engine has moved the conditions from
// above to where they may be.
func (p pusher) visitJoin(n *plan.JoinNode) (sql.Node, transform.TreeIdentity, error) {
	var left, right []sql.Expression
	if n.Filter != nil && !n.Op.IsPartial() && !n.Op.IsFullOuter() && !n.Op.IsRightOuter() {
		right = expression.SplitConjunction(n.Filter)
		if !n.Op.IsLeftOuter() {
			left = right
		}
	}
	first := true
	return transform.NodeChildren(n, func(child sql.Node) (sql.Node, transform.TreeIdentity, error) {
		if first {
			first = false
			return p.visit(child, left)
		}
		return p.visit(child, right)
	})
}

// visitSetOp carries conditions into both sides of a union, whose columns are
// called as those of the left one.
func (p pusher) visitSetOp(n *plan.SetOp, conditions []sql.Expression) (sql.Node, transform.TreeIdentity, error) {
	if n.SetOpType != plan.UnionType || n.Limit != nil || n.Offset != nil {
		conditions = nil
	}
	left, right := n.Left().Schema(), n.Right().Schema()
	first := true
	return transform.NodeChildren(n, func(child sql.Node) (sql.Node, transform.TreeIdentity, error) {
		if first {
			first = false
			return p.visit(child, conditions)
		}
		return p.visit(child, inlined(conditions, func(get *expression.GetField) sql.Expression {
			i := only(left, func(c *sql.Column) bool {
				return strings.EqualFold(c.Name, get.Name()) && (get.Table() == "" || strings.EqualFold(c.Source, get.Table()))
			})
			if i < 0 || i >= len(right) {
				return nil
			}
			c := right[i]
			return expression.NewGetFieldWithTable(i, 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable)
		}))
	})
}

// only is the position of the one element that is so, -1 if it is not one.
func only[T any](all []T, is func(T) bool) int {
	i := slices.IndexFunc(all, is)
	if i < 0 || slices.ContainsFunc(all[i+1:], is) {
		return -1
	}
	return i
}

// inlined replaces the columns in conditions. A condition with a column for
// which there is nothing is left out.
func inlined(conditions []sql.Expression, replace func(*expression.GetField) sql.Expression) []sql.Expression {
	var out []sql.Expression
	for _, condition := range conditions {
		known := true
		e, _, err := transform.Expr(condition, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			get, ok := e.(*expression.GetField)
			if !ok {
				return e, transform.SameTree, nil
			}
			by := replace(get)
			if by == nil {
				known = false
				return e, transform.SameTree, nil
			}
			return by, transform.NewTree, nil
		})
		if err == nil && known {
			out = append(out, e)
		}
	}
	return out
}

// computed is what a projection computes for a column of its result, nil if
// that is not sure.
func computed(n *plan.Project, get *expression.GetField) sql.Expression {
	i := only(n.Projections, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.Alias:
			return strings.EqualFold(e.Name(), get.Name()) && get.Table() == ""
		case *expression.GetField:
			return strings.EqualFold(e.Name(), get.Name()) && strings.EqualFold(e.Table(), get.Table())
		}
		return false
	})
	if i < 0 {
		return nil
	}
	if alias, ok := n.Projections[i].(*expression.Alias); ok {
		return alias.Child
	}
	return n.Projections[i]
}
