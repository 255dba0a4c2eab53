package functions

import (
	"math"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// shares are the shares that argument 1 names, and whether it is an array.
func (c call) shares() (shares []float64, many bool, err error) {
	v, err := c.constant(1)
	if err != nil {
		return nil, false, err
	}
	list := []any{v}
	if n, ok := v.(*nested.Value); ok {
		list, many = n.Cells, true
	}
	for _, cell := range list {
		f, err := real(cell)
		if err != nil || f < 0 || f > 1 {
			return nil, false, c.bad("a share is a number from 0 to 1: got %s", text(cell, nil))
		}
		shares = append(shares, f)
	}
	return shares, many, nil
}

// makePercentileApprox is of the type of its numbers.
func makePercentileApprox(c call) (sql.Expression, error) {
	if c.open() {
		return c.aggregate(types.Float64, func() state { return &percentileState{} })
	}
	return c.percentiles(c.typ(0), func(sorted []any, share float64) (any, error) {
		rank := int(math.Ceil(share * float64(len(sorted))))
		return sorted[max(rank, 1)-1], nil
	})
}

func makePercentile(c call) (sql.Expression, error) {
	if c.open() {
		return c.aggregate(types.Float64, func() state { return &percentileState{} })
	}
	return c.percentiles(types.Float64, interpolate)
}

func makeMedian(c call) (sql.Expression, error) {
	from := c.typ(0)
	return c.aggregate(types.Float64, func() state {
		return &percentileState{from: from, shares: []float64{0.5}, at: interpolate}
	})
}

// interpolate is the number at a share of the way from the first to the last.
func interpolate(sorted []any, share float64) (any, error) {
	position := share * float64(len(sorted)-1)
	low, err := real(sorted[int(math.Floor(position))])
	if err != nil {
		return nil, err
	}
	high, err := real(sorted[int(math.Ceil(position))])
	rest := position - math.Floor(position)
	if low == high {
		return low, err
	}
	return low*(1-rest) + high*rest, err
}

func (c call) percentiles(t sql.Type, at func(sorted []any, share float64) (any, error)) (sql.Expression, error) {
	from := c.typ(0)
	if !isNumber(from) && !types.IsTime(from) && from != types.Null {
		return nil, c.bad("%s is a %s; numbers are wanted", c.args[0], typeName(from))
	}
	shares, many, err := c.shares()
	if err != nil {
		return nil, err
	}
	var list *nested.Type
	if many {
		list = nested.ListOf(t)
		t = list
	}
	return c.aggregate(t, func() state { return &percentileState{from: from, shares: shares, list: list, at: at} })
}

type percentileState struct {
	tally
	from    sql.Type
	shares  []float64
	list    *nested.Type // of several shares
	at      func(sorted []any, share float64) (any, error)
	numbers []any
}

func (s *percentileState) add(_ *sql.Context, args []any) error {
	if len(s.numbers) == maxElements {
		return argumentError("percentile", "a group has more than %d values", maxElements)
	}
	if args[0] != nil {
		s.numbers = append(s.numbers, args[0])
		s.keep(args[0])
	}
	return nil
}

func (s *percentileState) value(ctx *sql.Context) (any, error) {
	if len(s.numbers) == 0 {
		return nil, nil
	}
	var failed error
	slices.SortFunc(s.numbers, func(a, b any) int {
		n, err := compare(ctx, s.from, a, b)
		if err != nil {
			failed = err
		}
		return n
	})
	if failed != nil {
		return nil, failed
	}
	found := make([]any, len(s.shares))
	for i, share := range s.shares {
		v, err := s.at(s.numbers, share)
		if err != nil {
			return nil, err
		}
		found[i] = v
	}
	if s.list != nil {
		return &nested.Value{Type: s.list, Cells: found}, nil
	}
	return found[0], nil
}
