package server

import (
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The numbers of our rules; the engine's own are all smaller.
const (
	pushFiltersRule analyzer.RuleId = iota + 10000
	showCreateRule
	anyRowsRule
	numbersRule
	sumTypesRule
	sendFloatsRule
	compareBooleansRule
)

// addRules adds our rules to the engine's: those of numbers, sums and floats run before its own,
// the others after.
func addRules(b *analyzer.Builder) *analyzer.Builder {
	return b.
		AddPreAnalyzeRule(compareBooleansRule, compareBooleans).
		AddPreAnalyzeRule(sumTypesRule, sumTypes).
		AddPreAnalyzeRule(numbersRule, numbers).
		AddPreAnalyzeRule(sendFloatsRule, sendFloats).
		AddPostAnalyzeRule(showCreateRule, showCreate).
		AddPostAnalyzeRule(pushFiltersRule, pushFilters).
		AddPostAnalyzeRule(anyRowsRule, anyRows)
}

// anyRows forgets that a query has one row at most: the engine remembers it for
// EXPLAIN too, and then refuses a plan of several lines.
func anyRows(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	flags.Unset(sql.QFlagMax1Row)
	return n, transform.SameTree, nil
}

// showCreate gives SHOW CREATE TABLE of an Iceberg table Spark's text.
func showCreate(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		show, ok := n.(*plan.ShowCreateTable)
		if !ok || show.IsView {
			return n, transform.SameTree, nil
		}
		r := relationOf(show.Child)
		if r == nil || r.meta != nil {
			return n, transform.SameTree, nil
		}
		text := &node{text: "SHOW CREATE TABLE", schema: sql.Schema{
			{Name: "Table", Type: types.LongText},
			{Name: "Create Table", Type: types.LongText},
		}}
		text.run = func(*sql.Context, []sql.Expression) ([]sql.Row, error) {
			l, err := r.load()
			if err != nil {
				return nil, err
			}
			full := strings.Join(append([]string{r.db.catalog.Name()}, l.tbl.Identifier()...), ".")
			return []sql.Row{{r.name, createTable(full, l.tbl)}}, nil
		}
		return text, transform.NewTree, nil
	})
}

// relationOf is the relation that a node reads, nil if it is none of ours.
func relationOf(n sql.Node) *relation {
	resolved, ok := n.(*plan.ResolvedTable)
	if !ok {
		return nil
	}
	r, ok := sql.GetUnderlyingTable(resolved.Table).(*relation)
	if !ok {
		return nil
	}
	return r
}

// pushFilters tells a table the conditions of the Filter above it, so that the
// files that cannot match are not read. The Filter stays: the table may return
// more rows than match.
func pushFilters(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		filter, ok := n.(*plan.Filter)
		if !ok {
			return n, transform.SameTree, nil
		}
		child, same, err := pushInto(ctx, filter.Child, filter.Expression)
		if err != nil || same == transform.SameTree {
			return n, transform.SameTree, err
		}
		return plan.NewFilter(filter.Expression, child), transform.NewTree, nil
	})
}

// pushInto gives a table, or the table of an alias, a condition.
func pushInto(ctx *sql.Context, n sql.Node, condition sql.Expression) (sql.Node, transform.TreeIdentity, error) {
	if alias, ok := n.(*plan.TableAlias); ok {
		child, same, err := pushInto(ctx, alias.Child, condition)
		if err != nil || same == transform.SameTree {
			return n, transform.SameTree, err
		}
		changed, err := alias.WithChildren(child)
		return changed, transform.NewTree, err
	}
	if resolved, ok := n.(*plan.ResolvedTable); ok {
		if info, ok := resolved.Table.(*infoTable); ok {
			changed, err := resolved.WithTable(info.limited(ctx, condition))
			return changed, transform.NewTree, err
		}
	}
	r := relationOf(n)
	if r == nil || r.meta != nil || r.filter != nil || r.keep != nil {
		return n, transform.SameTree, nil
	}
	l, err := r.load()
	if err != nil {
		return nil, transform.SameTree, wireError(err)
	}
	zone, err := zoneOf(ctx)
	if err != nil {
		return nil, transform.SameTree, wireError(err)
	}
	t := translator{ctx, l, zone}
	pushed, keep := t.weaken(condition), t.fileFilter(condition)
	if pushed.Equals(iceberg.AlwaysTrue{}) {
		pushed = nil
	}
	if pushed == nil && keep == nil {
		return n, transform.SameTree, nil
	}
	changed, err := n.(*plan.ResolvedTable).WithTable(r.withFilter(pushed, keep))
	if err != nil {
		return nil, transform.SameTree, err
	}
	return changed, transform.NewTree, nil
}
