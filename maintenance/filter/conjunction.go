package filter

import (
	"time"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

// conjunction translates AND. Parts of one time that only together are a
// range, as in year(c) = 2026 AND month(c) = 1, are taken out first.
func (t *translator) conjunction(e *predicate.And) (iceberg.BooleanExpression, error) {
	terms := flatten(e, nil)
	var out iceberg.BooleanExpression = iceberg.AlwaysTrue{}
	used := make([]bool, len(terms))
	for i, first := range terms {
		year, ok := t.part(first, "year")
		if !ok || used[i] {
			continue
		}
		r, err := t.calendar(year, i, terms, used)
		if err != nil {
			return nil, err
		}
		out = iceberg.NewAnd(out, r)
	}
	for i, e := range terms {
		if used[i] {
			continue
		}
		next, err := t.condition(e, true)
		if err != nil {
			return nil, err
		}
		out = iceberg.NewAnd(out, next)
	}
	return out, nil
}

func flatten(e predicate.Expr, terms []predicate.Expr) []predicate.Expr {
	if and, ok := e.(*predicate.And); ok {
		return flatten(and.Right, flatten(and.Left, terms))
	}
	return append(terms, e)
}

// part is a condition year(c) = n, or of another unit.
type part struct {
	granule
	n int
}

// part reads a condition of a unit.
func (t *translator) part(e predicate.Expr, unit string) (part, bool) {
	cmp, ok := e.(*predicate.Compare)
	if !ok || cmp.Op != predicate.Equal {
		return part{}, false
	}
	left, right := cmp.Left, cmp.Right
	if _, ok := left.(*predicate.Constant); ok {
		left, right = right, left
	}
	call, ok := left.(*predicate.Call)
	if !ok {
		return part{}, false
	}
	c, ok := right.(*predicate.Constant)
	if !ok {
		return part{}, false
	}
	n, ok := c.Value.(predicate.Int)
	if !ok || n < -yearLimit || n > yearLimit {
		return part{}, false
	}
	inner, err := t.function(call)
	if err != nil {
		// The condition is translated, and refused, on its own.
		return part{}, false
	}
	g, ok := inner.(granule)
	if !ok || g.result != asPart || g.unit != unit {
		return part{}, false
	}
	return part{g, int(n)}, true
}

// calendar makes the range of a year, and of the month, day and hour that
// other terms fix for the same column, and marks the terms used.
func (t *translator) calendar(year part, at int, terms []predicate.Expr, used []bool) (iceberg.BooleanExpression, error) {
	used[at] = true
	finest := year.granule
	start := time.Date(year.n, 1, 1, 0, 0, 0, 0, time.UTC)
	exists := true
	for _, unit := range []string{"month", "day", "hour"} {
		found := false
		for i, e := range terms {
			p, ok := t.part(e, unit)
			if !ok || used[i] || found || p.ref != year.ref {
				continue
			}
			next, ok := step(start, unit, p.n)
			used[i], found, exists = true, true, exists && ok
			start, finest = next, p.granule
		}
		if !found {
			break
		}
	}
	if !exists {
		return iceberg.AlwaysFalse{}, nil
	}
	_, next, _ := predicate.Granule(finest.unit, start)
	return finest.within(predicate.Equal, start, next)
}

// step moves to the n-th month, day or hour within what start begins.
func step(start time.Time, unit string, n int) (time.Time, bool) {
	y, m, d := start.Date()
	switch unit {
	case "month":
		if n < 1 || n > 12 {
			return start, false
		}
		return time.Date(y, time.Month(n), 1, 0, 0, 0, 0, time.UTC), true
	case "day":
		next := time.Date(y, m, n, 0, 0, 0, 0, time.UTC)
		return next, n >= 1 && n <= 31 && next.Month() == m
	}
	return time.Date(y, m, d, n, 0, 0, 0, time.UTC), n >= 0 && n <= 23
}
