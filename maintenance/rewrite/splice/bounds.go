package splice

import (
	"bytes"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// bounds are a minimum and a maximum that are at least known to hold; none
// unless both are.
type bounds struct {
	min, max           []byte
	minExact, maxExact format.Opt[bool]
}

// bounds reads those of statistics and copies them: what they are read from is
// read over.
func (c *column) bounds(min, max []byte) bounds {
	b := bounds{min: c.bound(min, false), max: c.bound(max, true)}
	if b.min == nil || b.max == nil || c.order(b.min, b.max) > 0 {
		return bounds{}
	}
	b.min, b.max = bytes.Clone(b.min), bytes.Clone(b.max)
	return b
}

func (b bounds) known() bool { return b.min != nil }

// join widens b to hold what other does. A bound stays exact if the value that
// it is taken from is known to occur.
func (c *column) join(b, other bounds) bounds {
	if !b.known() || !other.known() {
		return bounds{}
	}
	if d := c.order(other.min, b.min); d < 0 || d == 0 && other.minExact.V {
		b.min, b.minExact = other.min, other.minExact
	}
	if d := c.order(other.max, b.max); d > 0 || d == 0 && other.maxExact.V {
		b.max, b.maxExact = other.max, other.maxExact
	}
	return b
}

// tally sums counts of which all must be known.
type tally struct {
	sum     int64
	unknown bool
}

func (t *tally) add(n format.Opt[int64]) {
	t.sum += n.V
	t.unknown = t.unknown || !n.Set
}

func (t *tally) opt() format.Opt[int64] {
	return format.Opt[int64]{V: t.sum, Set: !t.unknown}
}

// histogram sums counts of levels, nil if some are unknown.
type histogram struct {
	sum     []int64
	unknown bool
}

// add adds counts of n levels.
func (h *histogram) add(counts []int64, n int) {
	if len(counts) != n {
		h.unknown = true
		return
	}
	if h.sum == nil {
		h.sum = make([]int64, n)
	}
	for i, v := range counts {
		h.sum[i] += v
	}
}

func (h *histogram) counts() []int64 {
	if h.unknown {
		return nil
	}
	return h.sum
}

// info is what is known about a data page without reading its values.
type info struct {
	rows      format.Opt[int64]
	nulls     format.Opt[int64]
	allNull   bool
	unencoded format.Opt[int64]
	rep, def  []int64
	bounds    bounds
}

// joinInfo is what is known about two pages together.
func (c *column) joinInfo(a, b info) info {
	out := info{
		rows:    format.Opt[int64]{V: a.rows.V + b.rows.V, Set: a.rows.Set && b.rows.Set},
		nulls:   format.Opt[int64]{V: a.nulls.V + b.nulls.V, Set: a.nulls.Set && b.nulls.Set},
		allNull: a.allNull && b.allNull,
		unencoded: format.Opt[int64]{
			V: a.unencoded.V + b.unencoded.V, Set: a.unencoded.Set && b.unencoded.Set,
		},
	}
	out.rep, out.def = addCounts(a.rep, b.rep), addCounts(a.def, b.def)
	switch {
	case a.allNull:
		out.bounds = b.bounds
	case b.allNull:
		out.bounds = a.bounds
	default:
		out.bounds = c.join(a.bounds, b.bounds)
	}
	return out
}

func addCounts(a, b []int64) []int64 {
	if len(a) != len(b) {
		return nil
	}
	out := make([]int64, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}
