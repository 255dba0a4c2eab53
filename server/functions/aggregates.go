package functions

import (
	"math"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// aggregates are the aggregates that the engine does not have. NULLs do not
// count, unless it is said.
func aggregates() []Function {
	return slices.Concat(orderedAggregates(), collectingAggregates(), momentAggregates())
}

// orderedAggregates depend on the order of values.
func orderedAggregates() []Function {
	return []Function{
		{
			Names: []string{"percentile_approx", "approx_percentile"}, Usage: "number, share [, accuracy]", min: 2, max: 3, make: makePercentileApprox,
			Doc: "The smallest number that is not less than that share of them, of one share or an array of shares. It is exact whatever the accuracy.",
		},
		{
			Names: []string{"percentile"}, Usage: "number, share", min: 2, max: 2, make: makePercentile,
			Doc: "The percentile of one share or an array of shares, between two numbers if it falls there.",
		},
		{
			Names: []string{"median"}, Usage: "number", min: 1, max: 1, make: makeMedian,
			Doc: "The percentile of 0.5.",
		},
	}
}

// collectingAggregates keep values, or choose among them.
func collectingAggregates() []Function {
	return []Function{
		{
			Names: []string{"count_if"}, Usage: "condition", min: 1, max: 1, make: makeCountIf,
			Doc: "How many rows the condition holds for.",
		},
		{
			Names: []string{"approx_count_distinct"}, Usage: "a [, error]", min: 1, max: 2, make: makeCountDistinct,
			Doc: "How many different values there are. It is exact whatever the error.",
		},
		{
			Names: []string{"max_by"}, Usage: "a, by", min: 2, max: 2, make: makeBy(1),
			Doc: "a of the row whose by is largest.",
		},
		{
			Names: []string{"min_by"}, Usage: "a, by", min: 2, max: 2, make: makeBy(-1),
			Doc: "a of the row whose by is smallest.",
		},
		{
			Names: []string{"collect_list", "array_agg"}, Usage: "a", min: 1, max: 1, make: makeCollect(false),
			Doc: "An array of the values.",
		},
		{
			Names: []string{"collect_set"}, Usage: "a", min: 1, max: 1, make: makeCollect(true),
			Doc: "An array of the values, each once.",
		},
		{
			Names: []string{"string_agg", "listagg"}, Usage: "text [, delimiter]", min: 1, max: 2, make: makeStringAgg,
			Doc: "The texts with the delimiter between them.",
		},
		{
			Names: []string{"bool_and", "every"}, Usage: "condition", min: 1, max: 1, make: makeBool(true),
			Doc: "Whether the condition holds for all rows.",
		},
		{
			Names: []string{"bool_or", "some", "any"}, Usage: "condition", min: 1, max: 1, make: makeBool(false),
			Doc: "Whether the condition holds for one row at least.",
		},
		{
			Names: []string{"mode"}, Usage: "a", min: 1, max: 1, make: makeMode,
			Doc: "The most frequent value.",
		},
	}
}

// momentAggregates are of statistics.
func momentAggregates() []Function {
	return []Function{
		{
			Names: []string{"stddev", "std", "stddev_samp"}, Usage: "number", min: 1, max: 1, make: makeSpread(func(s *momentState) any { return sample(s, math.Sqrt) }),
			Doc: "The standard deviation of a sample; in MySQL stddev is that of all.",
		},
		{
			Names: []string{"stddev_pop"}, Usage: "number", min: 1, max: 1, make: makeSpread(func(s *momentState) any { return math.Sqrt(s.m2 / s.n) }),
			Doc: "The standard deviation of all.",
		},
		{
			Names: []string{"variance", "var_samp"}, Usage: "number", min: 1, max: 1, make: makeSpread(func(s *momentState) any { return sample(s, itself) }),
			Doc: "The variance of a sample; in MySQL variance is that of all.",
		},
		{
			Names: []string{"var_pop"}, Usage: "number", min: 1, max: 1, make: makeSpread(func(s *momentState) any { return s.m2 / s.n }),
			Doc: "The variance of all.",
		},
		{
			Names: []string{"skewness"}, Usage: "number", min: 1, max: 1, make: makeMoments(skewness),
			Doc: "The skewness.",
		},
		{
			Names: []string{"kurtosis"}, Usage: "number", min: 1, max: 1, make: makeMoments(kurtosis),
			Doc: "The excess kurtosis.",
		},
		{
			Names: []string{"corr"}, Usage: "a, b", min: 2, max: 2, make: makePairs(correlation),
			Doc: "The coefficient of correlation.",
		},
		{
			Names: []string{"covar_pop"}, Usage: "a, b", min: 2, max: 2, make: makePairs(func(s *pairState) any { return s.xy / s.n }),
			Doc: "The covariance of all.",
		},
		{
			Names: []string{"covar_samp"}, Usage: "a, b", min: 2, max: 2, make: makePairs(func(s *pairState) any {
				if s.n < 2 {
					return nil
				}
				return s.xy / (s.n - 1)
			}),
			Doc: "The covariance of a sample.",
		},
	}
}

// aggregateInternal are what the dialect writes for aggregates. ANY_VALUE, and
// MAX with OVER, around the call of one make it an aggregate.
func aggregateInternal() []Function {
	return []Function{
		{Names: []string{"max"}, Usage: "a", min: 1, max: 1, make: makeMax},
		{Names: []string{"any_value"}, Usage: "a", min: 1, max: 1, make: makeAnyValue},
		{Names: []string{"first_of"}, Usage: "a, ignore NULLs", min: 1, max: 2, make: makeFirst(false)},
		{Names: []string{"last_of"}, Usage: "a, ignore NULLs", min: 1, max: 2, make: makeFirst(true)},
		{Names: []string{"aggregate_where"}, Usage: "condition, aggregate", min: 2, max: 2, make: makeFiltered},
		{Names: []string{"aggregate_distinct"}, Usage: "aggregate", min: 1, max: 1, make: makeDistinct},
	}
}

func makeFiltered(c call) (sql.Expression, error) {
	a, ok := c.args[1].(*aggregate)
	if !ok {
		return nil, argumentError("FILTER", "%s is no aggregate that can be filtered", c.args[1])
	}
	changed := *a
	changed.filter = c.args[0]
	return &changed, nil
}

func makeDistinct(c call) (sql.Expression, error) {
	a, ok := c.args[0].(*aggregate)
	if !ok {
		return nil, argumentError("DISTINCT", "%s is no aggregate of different values", c.args[0])
	}
	changed := *a
	changed.distinct = true
	return &changed, nil
}

func makeCountIf(c call) (sql.Expression, error) {
	return c.aggregate(types.Int64, func() state { return &countState{} })
}

type countState struct{ n int64 }

func (s *countState) add(_ *sql.Context, args []any) error {
	if args[0] == nil {
		return nil
	}
	holds, err := truth(args[0])
	if holds {
		s.n++
	}
	return err
}

func (s *countState) value(*sql.Context) (any, error) { return s.n, nil }

func makeCountDistinct(c call) (sql.Expression, error) {
	t := c.typ(0)
	return c.aggregate(types.Int64, func() state { return &distinctCount{t: t, seen: map[string]bool{}} })
}

type distinctCount struct {
	tally
	t    sql.Type
	seen map[string]bool
}

func (s *distinctCount) add(_ *sql.Context, args []any) error {
	if args[0] == nil {
		return nil
	}
	if key := keyText(args[0], s.t); !s.seen[key] {
		s.seen[key] = true
		s.keep(key)
	}
	return nil
}

func (s *distinctCount) value(*sql.Context) (any, error) { return int64(len(s.seen)), nil }

func makeBy(sign int) maker {
	return func(c call) (sql.Expression, error) {
		t := c.typ(1)
		return c.aggregate(c.typ(0), func() state { return &byState{t: t, sign: sign} })
	}
}

type byState struct {
	t        sql.Type
	sign     int
	best, by any
}

func (s *byState) add(ctx *sql.Context, args []any) error {
	if args[1] == nil {
		return nil
	}
	if s.by != nil {
		n, err := compare(ctx, s.t, args[1], s.by)
		if err != nil || n*s.sign < 0 {
			return err
		}
	}
	s.best, s.by = args[0], args[1]
	return nil
}

func (s *byState) value(*sql.Context) (any, error) { return s.best, nil }

func makeFirst(last bool) maker {
	return func(c call) (sql.Expression, error) {
		skip := false
		if len(c.args) == 2 {
			v, err := c.constant(1)
			if err != nil {
				return nil, err
			}
			if skip, err = truth(v); err != nil {
				return nil, err
			}
		}
		return c.aggregate(c.typ(0), func() state { return &firstState{last: last, skip: skip} })
	}
}

type firstState struct {
	last, skip, known bool
	v                 any
}

func (s *firstState) add(_ *sql.Context, args []any) error {
	if s.skip && args[0] == nil || s.known && !s.last {
		return nil
	}
	s.v, s.known = args[0], true
	return nil
}

func (s *firstState) value(*sql.Context) (any, error) { return s.v, nil }

func makeCollect(once bool) maker {
	return func(c call) (sql.Expression, error) {
		t := nested.ListOf(c.typ(0))
		return c.aggregate(t, func() state {
			s := state(&collectState{t: t})
			if once {
				s = &distinctState{state: s, types: c.args[:1], seen: map[string]bool{}}
			}
			return s
		})
	}
}

type collectState struct {
	tally
	t     *nested.Type
	cells []any
}

func (s *collectState) add(_ *sql.Context, args []any) error {
	if args[0] == nil {
		return nil
	}
	if len(s.cells) == maxElements {
		return argumentError("collect_list", "a group has more than %d values", maxElements)
	}
	s.cells = append(s.cells, args[0])
	s.keep(args[0])
	return nil
}

func (s *collectState) value(*sql.Context) (any, error) {
	return &nested.Value{Type: s.t, Cells: slices.Clone(s.cells)}, nil
}

func makeStringAgg(c call) (sql.Expression, error) {
	from := c.typ(0)
	delimiter := ""
	if len(c.args) == 2 {
		v, err := c.constant(1)
		if err != nil {
			return nil, err
		}
		if v != nil {
			delimiter = text(v, nil)
		}
	}
	return c.aggregate(types.LongText, func() state { return &joinState{from: from, delimiter: delimiter} })
}

type joinState struct {
	tally
	from      sql.Type
	delimiter string
	parts     []string
}

func (s *joinState) add(_ *sql.Context, args []any) error {
	if args[0] != nil {
		part := text(args[0], s.from)
		s.parts = append(s.parts, part)
		s.keep(part)
	}
	return nil
}

func (s *joinState) value(*sql.Context) (any, error) {
	if s.parts == nil {
		return nil, nil
	}
	return strings.Join(s.parts, s.delimiter), nil
}

func makeBool(all bool) maker {
	return func(c call) (sql.Expression, error) {
		return c.aggregate(types.Boolean, func() state { return &boolState{all: all, v: all} })
	}
}

type boolState struct{ all, v, known bool }

func (s *boolState) add(_ *sql.Context, args []any) error {
	if args[0] == nil {
		return nil
	}
	holds, err := truth(args[0])
	s.known = true
	if s.all {
		s.v = s.v && holds
	} else {
		s.v = s.v || holds
	}
	return err
}

func (s *boolState) value(*sql.Context) (any, error) {
	if !s.known {
		return nil, nil
	}
	return s.v, nil
}

func makeMode(c call) (sql.Expression, error) {
	t := c.typ(0)
	return c.aggregate(t, func() state { return &modeState{t: t, counts: map[string]int{}, values: map[string]any{}} })
}

type modeState struct {
	tally
	t      sql.Type
	counts map[string]int
	values map[string]any
	order  []string
}

func (s *modeState) add(_ *sql.Context, args []any) error {
	if args[0] == nil {
		return nil
	}
	key := keyText(args[0], s.t)
	if s.counts[key]++; s.counts[key] == 1 {
		s.values[key] = args[0]
		s.order = append(s.order, key)
		s.keep(key)
	}
	return nil
}

func (s *modeState) value(*sql.Context) (any, error) {
	best := ""
	for _, key := range s.order {
		if s.counts[key] > s.counts[best] {
			best = key
		}
	}
	return s.values[best], nil
}
