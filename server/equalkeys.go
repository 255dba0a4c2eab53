package server

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// equalKeys are expressions, one on each side of a join, whose values are equal
// in all rows that meet the condition.
type equalKeys struct {
	left, right sql.Expression
	// nulls says that NULL is equal to NULL.
	nulls bool
	// text is the same for values that are equal.
	text func(ctx context.Context, value any) (string, error)
}

// equalKeysOf are those in the condition of n whose values have texts.
func equalKeysOf(n *plan.JoinNode) []equalKeys {
	var keys []equalKeys
	if n.Filter == nil {
		return nil
	}
	for _, condition := range expression.SplitConjunction(n.Filter) {
		var left, right sql.Expression
		nulls := false
		switch e := condition.(type) {
		case *expression.Equals:
			left, right = e.Left(), e.Right()
		case *expression.NullSafeEquals:
			left, right, nulls = e.Left(), e.Right(), true
		default:
			continue
		}
		border := n.ScopeLen + len(n.Left().Schema())
		if isBetween(right, n.ScopeLen, border) && isBetween(left, border, math.MaxInt) {
			left, right = right, left
		}
		if !isBetween(left, n.ScopeLen, border) || !isBetween(right, border, math.MaxInt) {
			continue
		}
		left, right, _ = joinKeyPair(left, right)
		if text := keyTextOf(left.Type(), right.Type()); text != nil {
			keys = append(keys, equalKeys{left, right, nulls, text})
		}
	}
	return keys
}

// isBetween says whether e depends on columns from one place on and before
// another, and on nothing else.
func isBetween(e sql.Expression, from, to int) bool {
	columns, other := 0, false
	transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			columns++
			other = other || e.Index() < from || e.Index() >= to
		case *plan.Subquery:
			other = true
		}
		return other
	})
	return columns > 0 && !other
}

// keyTextOf is what makes texts of values of types a and b that are the same for
// equal values, nil if there is nothing such.
func keyTextOf(a, b sql.Type) func(ctx context.Context, value any) (string, error) {
	both := func(is func(sql.Type) bool) bool { return is(a) && is(b) }
	switch {
	case both(types.IsSigned):
		return wholeText
	case both(isDefaultText), both(isExact):
		return func(ctx context.Context, value any) (string, error) {
			text, _, err := types.LongText.Convert(ctx, value)
			return fmt.Sprint(text), err
		}
	case both(types.IsDatetimeType), both(types.IsDateType):
		return func(_ context.Context, value any) (string, error) {
			t, ok := value.(time.Time)
			if !ok {
				return "", fmt.Errorf("a time is wanted: got %T", value)
			}
			return strconv.FormatInt(t.UnixMicro(), 10), nil
		}
	}
	return nil
}

func wholeText(ctx context.Context, value any) (string, error) {
	n, _, err := types.Int64.Convert(ctx, value)
	return fmt.Sprint(n), err
}

func isExact(t sql.Type) bool {
	_, ok := t.(exactType)
	return ok
}

// isDefaultText says whether values of t are compared byte by byte.
func isDefaultText(t sql.Type) bool {
	text, ok := t.(sql.StringType)
	return ok && types.IsTextOnly(t) && text.Collation() == sql.Collation_Default
}
