package filter

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

// result is what a function of a date or timestamp gives.
type result int

const (
	// asTime: the start of the unit, as a date or timestamp (date_trunc).
	asTime result = iota
	// asDate: the same, where only the day counts (CAST AS DATE, trunc).
	asDate
	// asPart: a field of the calendar (year, month), as a number.
	asPart
	// asTransform: Iceberg's partition transforms: the number of units since
	// 1970 in UTC; dates and timestamps stand for the unit they lie in.
	asTransform
)

// granule is a function that maps all times of one unit of the calendar to one
// value, in their order. Comparisons of it are ranges of the column.
type granule struct {
	column
	text   string
	unit   string
	result result
}

func (t *translator) granule(e, arg predicate.Expr, g granule) (term, error) {
	inner, err := t.term(arg)
	if err != nil {
		return nil, err
	}
	switch inner := inner.(type) {
	case column:
		return newGranule(e, inner, g)
	case granule:
		if g.result != asTransform && inner.divides(g.unit) {
			return newGranule(e, inner.column, g)
		}
	}
	return nil, predicate.Unsupported(e.Text(), "this function can only be applied to a column, or to a CAST or date_trunc of one to a finer unit")
}

// divides tells whether g gives a time, and each of a coarser unit is made of
// whole units of g, so that the coarser unit of g is that of the column.
func (g granule) divides(unit string) bool {
	if g.result != asTime && g.result != asDate {
		return false
	}
	finer := map[string][]string{
		"second": {"second"}, "minute": {"minute", "second"}, "hour": {"hour", "minute", "second"},
		"day": {"day", "hour", "minute", "second"}, "week": {"week", "day", "hour", "minute", "second"},
		"month": {"month", "day", "hour", "minute", "second"}, "quarter": {"quarter", "month", "day", "hour", "minute", "second"},
		"year": {"year", "quarter", "month", "day", "hour", "minute", "second"},
	}
	return slices.Contains(finer[unit], g.unit)
}

func newGranule(e predicate.Expr, c column, g granule) (term, error) {
	g.column, g.text = c, e.Text()
	switch c.typ.(type) {
	case iceberg.TimestampType, iceberg.TimestampTzType, iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		return g, nil
	case iceberg.DateType:
		switch g.unit {
		case "year", "quarter", "month", "week", "day":
			return g, nil
		}
		return nil, predicate.Unsupported(e.Text(), "the column %q is a date and has no %s", string(c.ref), g.unit)
	}
	return nil, predicate.Unsupported(e.Text(), "the column %q is a %s; this function takes a date or timestamp", string(c.ref), c.typ)
}

func (t *translator) dateTrunc(e *predicate.Call) (term, error) {
	if len(e.Args) != 2 {
		return nil, predicate.Invalid(e.Text(), "%s takes 2 arguments, not %d", e.Name, len(e.Args))
	}
	unit, arg, g := e.Args[0], e.Args[1], granule{result: asTime}
	if e.Name == "trunc" {
		unit, arg, g.result = arg, unit, asDate
	}
	c, _ := unit.(*predicate.Constant)
	if c == nil {
		return nil, predicate.Unsupported(e.Text(), "the unit must be a constant, such as 'DAY'")
	}
	name, ok := c.Value.(predicate.String)
	if !ok {
		return nil, predicate.Invalid(e.Text(), "the unit must be a string, such as 'DAY'")
	}
	var err error
	if g.unit, err = predicate.TruncUnit(string(name)); err != nil {
		return nil, predicate.Invalid(e.Text(), "%w", err)
	}
	return t.granule(e, arg, g)
}

// period is a unit of the calendar, from start to before next; exact is set
// if the value it was found by is the one that the function gives for it.
type period struct {
	start, next time.Time
	exact       bool
}

func (g granule) compare(op predicate.Op, c *predicate.Constant) (iceberg.BooleanExpression, error) {
	p, err := g.period(c)
	if err != nil {
		return nil, err
	}
	if !p.exact {
		switch op {
		case predicate.Equal:
			return iceberg.AlwaysFalse{}, nil
		case predicate.NotEqual:
			return nullTest(g, false), nil
		case predicate.Less:
			op = predicate.LessEqual
		case predicate.GreaterEqual:
			op = predicate.Greater
		}
	}
	return g.within(op, p.start, p.next)
}

// within compares the column with a period: it is in it (=), before it (<) and
// so on.
func (g granule) within(op predicate.Op, start, next time.Time) (iceberg.BooleanExpression, error) {
	switch op {
	case predicate.Less:
		return g.against(predicate.Less, start)
	case predicate.LessEqual:
		return g.against(predicate.Less, next)
	case predicate.Greater:
		return g.against(predicate.GreaterEqual, next)
	case predicate.GreaterEqual:
		return g.against(predicate.GreaterEqual, start)
	}
	first, second, join := predicate.GreaterEqual, predicate.Less, connective(iceberg.NewAnd)
	if op == predicate.NotEqual {
		first, second, join = predicate.Less, predicate.GreaterEqual, iceberg.NewOr
	}
	left, err := g.against(first, start)
	if err != nil {
		return nil, err
	}
	right, err := g.against(second, next)
	if err != nil {
		return nil, err
	}
	return join(left, right), nil
}

// against compares the column with a wall clock time: of UTC for transforms,
// of the session's zone for all else.
func (g granule) against(op predicate.Op, wall time.Time) (iceberg.BooleanExpression, error) {
	var v predicate.Value = predicate.LocalTimestamp{Time: wall}
	switch g.typ.(type) {
	case iceberg.TimestampTzType, iceberg.TimestampTzNsType:
		if g.result == asTransform {
			v = predicate.Timestamp{Time: wall}
		}
	}
	return g.column.compare(op, &predicate.Constant{Value: v})
}

func (g granule) in(values []*predicate.Constant, want bool) (iceberg.BooleanExpression, error) {
	return inByCompare(g, values, want)
}

// period finds the period that a constant lies in.
func (g granule) period(c *predicate.Constant) (period, error) {
	v := c.Value
	if s, ok := v.(predicate.String); ok {
		name := "timestamp"
		switch {
		case g.result == asPart:
			name = "bigint"
		case g.result == asDate, g.result == asTransform && g.unit != "hour":
			name = "date"
		}
		var err error
		if v, err = predicate.CastValue(s, predicate.Type{Name: name}, g.env); err != nil {
			return period{}, predicate.Invalid(c.Text(), "it cannot be compared with %s: %w", g.text, err)
		}
	}
	if _, ok := predicate.Float64(v); ok {
		return g.numbered(c, v)
	}
	zone := g.env.Zone
	if g.result == asTransform {
		zone = time.UTC
		switch g.typ.(type) {
		case iceberg.TimestampType, iceberg.TimestampNsType:
			// The column's clock is that of the session, not of UTC.
			zone = g.env.Zone
		}
	}
	local, ok := predicate.AsLocal(v, zone)
	if !ok {
		return period{}, predicate.Invalid(c.Text(), "a value of type %s cannot be compared with %s", c.Value.Kind(), g.text)
	}
	start, next, _ := predicate.Granule(g.unit, local.Time)
	switch g.result {
	case asTransform:
		return period{start, next, true}, nil
	case asPart:
		// day(ts) = DATE '…', as maintenance services write it, is days(ts).
		return period{start, next, local.Equal(start)}, nil
	}
	return period{start, next, local.Equal(start)}, nil
}

// yearLimit bounds years to those that dates can have.
const yearLimit = 5_000_000

// numbered finds the period of a number: a year, or units since 1970.
func (g granule) numbered(c *predicate.Constant, v predicate.Value) (period, error) {
	r := predicate.Rational(v)
	switch {
	case r == nil || r.Cmp(big.NewRat(1<<40, 1)) > 0 || r.Cmp(big.NewRat(-1<<40, 1)) < 0:
		return period{}, predicate.Invalid(c.Text(), "it is out of the range of %s", g.text)
	case g.result == asPart && g.unit != "year":
		return period{}, predicate.Unsupported(g.text, "it recurs and is no range; fix the larger units too, as in year(c) = 2026 AND month(c) = 1, or compare %s(c) with a DATE", g.unit+"s")
	case g.result == asTime || g.result == asDate:
		return period{}, predicate.Invalid(c.Text(), "a number cannot be compared with %s; write DATE '2006-01-02'", g.text)
	}
	n := predicate.Floor(r).Int64()
	epoch := time.Unix(0, 0).UTC()
	var start time.Time
	switch {
	case g.unit == "hour":
		start = time.Unix(n*3600, 0).UTC()
	case n > yearLimit*366 || n < -yearLimit*366:
		return period{}, predicate.Invalid(c.Text(), "it is out of the range of %s", g.text)
	case g.unit == "day":
		start = epoch.AddDate(0, 0, int(n))
	case n > yearLimit || n < -yearLimit:
		return period{}, predicate.Invalid(c.Text(), "it is out of the range of %s", g.text)
	case g.unit == "month":
		start = epoch.AddDate(0, int(n), 0)
	case g.result == asTransform:
		if n >= 1000 {
			return period{}, predicate.Invalid(c.Text(), "years counts from 1970, so that this is the year %d; write %s", 1970+n, strings.Replace(g.text, "years", "year", 1))
		}
		start = epoch.AddDate(int(n), 0, 0)
	default:
		start = time.Date(int(n), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	_, next, _ := predicate.Granule(g.unit, start)
	return period{start, next, r.IsInt()}, nil
}
