package server

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/firndb/firn/server/nested"
)

// compareBooleans makes a boolean of text that a BOOLEAN is compared with, as
// Spark does: to the engine a boolean is a number, which no word is equal to.
func compareBooleans(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeExprsWithOpaque(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch e.(type) {
		case *expression.Equals, *expression.NullSafeEquals:
		default:
			return e, transform.SameTree, nil
		}
		sides := e.Children()
		left, leftIs := booleanWord(sides[0], sides[1])
		right, rightIs := booleanWord(sides[1], sides[0])
		if !leftIs && !rightIs {
			return e, transform.SameTree, nil
		}
		changed, err := e.WithChildren(left, right)
		return changed, transform.NewTree, err
	})
}

// booleanWord is the boolean that text beside a boolean says.
func booleanWord(word, beside sql.Expression) (sql.Expression, bool) {
	lit, ok := word.(*expression.Literal)
	if !ok || !beside.Resolved() || !nested.IsBoolean(beside.Type()) {
		return word, false
	}
	text, ok := lit.Value().(string)
	if !ok {
		return word, false
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "t", "true", "y", "yes", "1":
		return expression.NewLiteral(true, beside.Type()), true
	case "f", "false", "n", "no", "0":
		return expression.NewLiteral(false, beside.Type()), true
	}
	return word, false
}
