package columnar

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
)

// members are rows of a batch and the group of each.
type members struct {
	*batch
	rows   []int32
	groups []int32
}

// accumulator computes one column of a GROUP BY.
type accumulator interface {
	// grow makes room for so many groups.
	grow(groups int)
	// add takes the rows of a batch.
	add(m members) error
	// value is the engine's value of a group.
	value(group int) (any, error)
	// held is how many values are kept beside those of the groups.
	held() int
}

// accumulator returns false for an expression that is not known here.
func (c compiler) accumulator(e sql.Expression) (accumulator, bool) {
	switch e := e.(type) {
	case *expression.Alias:
		return c.accumulator(e.Child)
	case ExactSum:
		x, ok := c.compile(e.Summed())
		return &exactSums{x: x.eval}, ok && x.kind == whole
	case *aggregation.Count:
		return c.counts(e.Child)
	case *aggregation.CountDistinct:
		return c.distinct(e.Children())
	case *aggregation.Sum:
		return c.sums(e.Child, false)
	case *aggregation.Avg:
		return c.sums(e.Child, true)
	case *aggregation.Min:
		return c.extremes(e.Child, -1)
	case *aggregation.Max:
		return c.extremes(e.Child, 1)
	case *aggregation.First:
		return c.firsts(e.Child)
	case *aggregation.AnyValue:
		return c.firsts(e.Child)
	case sql.Aggregation:
		return nil, false
	}
	return c.groupValue(e)
}

// counts is COUNT.
type counts struct {
	x      kernel
	totals []int64
}

func (c compiler) counts(e sql.Expression) (accumulator, bool) {
	if _, star := e.(*expression.Star); star {
		return &counts{}, true
	}
	if value, ok := Constant(c.ctx, e); ok && value != nil {
		return &counts{}, true
	}
	x, ok := c.compile(e)
	return &counts{x: x.eval}, ok
}

func (a *counts) grow(groups int)              { a.totals = grown(a.totals, groups) }
func (a *counts) value(group int) (any, error) { return a.totals[group], nil }
func (a *counts) held() int                    { return 0 }

func (a *counts) add(m members) error {
	if a.x == nil {
		for _, g := range m.groups {
			a.totals[g]++
		}
		return nil
	}
	v, err := a.x(m.batch)
	if err != nil {
		return err
	}
	for i, row := range m.rows {
		if !v.isNull(int(row)) {
			a.totals[m.groups[i]]++
		}
	}
	return nil
}

// exactSums is SUM of whole numbers.
type exactSums struct {
	x      kernel
	totals []Total
}

func (a *exactSums) grow(groups int)              { a.totals = grown(a.totals, groups) }
func (a *exactSums) value(group int) (any, error) { return a.totals[group].Value() }
func (a *exactSums) held() int                    { return 0 }

func (a *exactSums) add(m members) error {
	v, err := a.x(m.batch)
	if err != nil {
		return err
	}
	for i, row := range m.rows {
		if !v.isNull(int(row)) {
			a.totals[m.groups[i]].Add(v.wholes[row])
		}
	}
	return nil
}

// sums is SUM or AVG as the engine has them: doubles, added in the order of the
// rows.
type sums struct {
	x       kernel
	average bool
	totals  []float64
	counts  []int64
}

func (c compiler) sums(e sql.Expression, average bool) (accumulator, bool) {
	x, ok := c.compile(e)
	if !ok || x.kind != whole && x.kind != real || !isNumber(e) {
		return nil, false
	}
	return &sums{x: asReal(x).eval, average: average}, true
}

func (a *sums) held() int { return 0 }

func (a *sums) grow(groups int) {
	a.totals, a.counts = grown(a.totals, groups), grown(a.counts, groups)
}

func (a *sums) add(m members) error {
	v, err := a.x(m.batch)
	if err != nil {
		return err
	}
	for i, row := range m.rows {
		if !v.isNull(int(row)) {
			a.totals[m.groups[i]] += v.reals[row]
			a.counts[m.groups[i]]++
		}
	}
	return nil
}

func (a *sums) value(group int) (any, error) {
	switch n := a.counts[group]; {
	case n == 0:
		return nil, nil
	case a.average:
		return a.totals[group] / float64(n), nil
	}
	return a.totals[group], nil
}

// grown is s with room for n elements, new ones zero.
func grown[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}
