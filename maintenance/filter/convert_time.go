package filter

import (
	"math"
	"math/big"
	"time"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

// convertDate compares a day with an instant by its midnight in the session's
// zone, as Spark's promotion of date to timestamp does.
func (c column) convertDate(v predicate.Value) *bound {
	local, ok := predicate.AsLocal(v, c.env.Zone)
	if !ok {
		return nil
	}
	day := predicate.DateOf(local.Time)
	switch {
	case day > math.MaxInt32:
		return &bound{place: above}
	case day < math.MinInt32:
		return &bound{place: below}
	}
	start := predicate.Value(day)
	if t, ok := v.(predicate.Timestamp); ok {
		instant, _ := predicate.AsTimestamp(start, c.env.Zone)
		return &bound{lit: iceberg.NewLiteral(iceberg.Date(day)), exact: instant.Equal(t.Time)}
	}
	return &bound{lit: iceberg.NewLiteral(iceberg.Date(day)), exact: local.Equal(day.Midnight())}
}

func (c column) convertTimestamp(v predicate.Value) *bound {
	var at time.Time
	switch c.typ.(type) {
	case iceberg.TimestampTzType, iceberg.TimestampTzNsType:
		t, ok := predicate.AsTimestamp(v, c.env.Zone)
		if !ok {
			return nil
		}
		at = t.Time
	default:
		t, ok := predicate.AsLocal(v, c.env.Zone)
		if !ok {
			return nil
		}
		at = t.Time
	}
	switch c.typ.(type) {
	case iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		n, where := count(at, time.Nanosecond)
		return &bound{lit: iceberg.NewLiteral(iceberg.TimestampNano(n)), exact: true, place: where}
	}
	// Digits beyond microseconds are dropped, as Spark drops them on reading.
	n, where := count(at, time.Microsecond)
	return &bound{lit: iceberg.NewLiteral(iceberg.Timestamp(n)), exact: true, place: where}
}

// count is the number of units since 1970, rounded down, and whether it fits.
func count(at time.Time, unit time.Duration) (int64, place) {
	n := new(big.Int).Mul(big.NewInt(at.Unix()), big.NewInt(int64(time.Second/unit)))
	n.Add(n, big.NewInt(int64(at.Nanosecond())/int64(unit)))
	switch {
	case n.IsInt64():
		return n.Int64(), inside
	case n.Sign() < 0:
		return 0, below
	}
	return 0, above
}
