package server

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The numbers of our rules; the engine's own are all smaller.
const (
	pushFiltersRule analyzer.RuleId = iota + 10000
	showCreateRule
	anyRowsRule
	joinKeysRule
	windowRowsRule
	numbersRule
	sumTypesRule
	sendFloatsRule
	compareBooleansRule
	pushFieldsRule
	pushLimitRule
	holdSubqueriesRule
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
		AddPostAnalyzeRule(pushFieldsRule, pushFields).
		AddPostAnalyzeRule(pushLimitRule, pushLimit).
		AddPostAnalyzeRule(anyRowsRule, anyRows).
		AddPostAnalyzeRule(joinKeysRule, joinKeys).
		AddPostAnalyzeRule(windowRowsRule, windowRows).
		AddPostAnalyzeRule(holdSubqueriesRule, holdSubqueries)
}

// anyRows forgets that a query has one row at most: the engine remembers it for
// EXPLAIN too, and then refuses a plan of several lines.
func anyRows(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	flags.Unset(sql.QFlagMax1Row)
	return n, transform.SameTree, nil
}

// windowRows gives the rows below a window a column if they have none: the
// engine takes each row without columns for a partition of its own.
func windowRows(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		window, ok := n.(*plan.Window)
		if !ok || len(window.Child.Schema()) > 0 {
			return n, transform.SameTree, nil
		}
		one := []sql.Expression{expression.NewLiteral(int8(1), types.Int8)}
		return plan.NewWindow(window.SelectExprs, plan.NewProject(one, window.Child)), transform.NewTree, nil
	})
}

// showCreate gives SHOW CREATE TABLE of an Iceberg table Spark's text, unless
// the statement is as MySQL's clients send it: they parse MySQL's text.
func showCreate(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if namedByClient(ctx.Query()) {
		return n, transform.SameTree, nil
	}
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

// namedByClient says whether query ends in `table` or `database`.`table`, each in
// back quotes, as SQLAlchemy, DBeaver and mysqldump write names.
func namedByClient(query string) bool {
	words := strings.Fields(strings.TrimRight(query, "; \t\r\n"))
	if len(words) != 4 {
		return false
	}
	parts := strings.Split(words[3], "`.`")
	name := strings.Join(parts, "")
	return len(parts) <= 2 && len(name) > 2 && name[0] == '`' && strings.IndexByte(name[1:], '`') == len(name)-2
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
