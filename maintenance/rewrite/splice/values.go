package splice

import (
	"cmp"
	"fmt"
	"math"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/internal/parquet/hybrid"
)

// values are those of an opened page that are not null: plain ones, of which
// booleans take a byte each, or indices into a dictionary.
type values struct {
	col     *column
	plain   []byte
	offsets []uint32 // if the values' lengths differ
	dict    *dictionary
	indices []uint32
}

// readValues decodes the values of a page as far as it takes to tell them apart.
// size is how many entries the dictionary has.
func (w *Writer) readValues(c *column, e format.Encoding, b body, dict *dictionary) (values, error) {
	v := values{col: c}
	var err error
	switch {
	case e.Dictionary():
		if dict == nil {
			if b.notNull > 0 {
				return v, fmt.Errorf("%w: indices without a dictionary", ErrUnfit)
			}
			dict = &dictionary{}
		}
		v.dict = dict
		v.indices, err = w.open.openIndices(b, dict.n)
	case e == format.RLE && c.typ == format.Boolean:
		var bits []byte
		if bits, _, err = cutLevels(b.values); err == nil {
			w.bools, err = hybrid.Decode(w.bools[:0], bits, 1, b.notNull)
			v.plain = w.bools
		}
		if err != nil {
			err = fmt.Errorf("%w: booleans: %w", ErrUnfit, err)
		}
	case e == format.Plain:
		if v.plain, w.offsets, err = c.plainValues(b.values, b.notNull, w.offsets); err == nil && c.typ == format.Boolean {
			w.bools = appendBits(w.bools[:0], v.plain, b.notNull)
			v.plain = w.bools
		}
		v.offsets = w.offsets
	default:
		err = fmt.Errorf("%w: values of encoding %d cannot be taken apart", ErrUnfit, e)
	}
	return v, err
}

// width is how many bytes a plain value takes here, 0 if that differs.
func (v *values) width() int {
	if v.col.typ == format.Boolean {
		return 1
	}
	return v.col.width()
}

// slice is plain values as they are encoded.
func (v *values) slice(s span) []byte {
	if w := v.width(); w > 0 {
		return v.plain[s.from*w : s.to*w]
	}
	return v.plain[v.offsets[s.from]:v.offsets[s.to]]
}

// at is a value as statistics have it.
func (v *values) at(i int) []byte {
	if v.dict != nil {
		return v.entry(v.indices[i])
	}
	if w := v.width(); w > 0 {
		return v.plain[i*w:][:w]
	}
	return v.plain[v.offsets[i]+4 : v.offsets[i+1]]
}

// entry is a value of the dictionary.
func (v *values) entry(i uint32) []byte {
	if v.dict.width > 0 {
		return v.dict.value(i)
	}
	return v.dict.value(i)[4:]
}

// unencoded is how many bytes of text values have.
func (v *values) unencoded(spans []span) int64 {
	var n int64
	for _, s := range spans {
		if v.dict == nil {
			n += int64(len(v.slice(s)) - 4*(s.to-s.from))
			continue
		}
		for _, i := range v.indices[s.from:s.to] {
			n += int64(len(v.entry(i)))
		}
	}
	return n
}

// touch says whether one of some values may be what a bound was taken from. It
// need not lie within the bounds.
func (v *values) touch(spans []span, b bounds) (min, max bool) {
	c := v.col
	if !b.known() {
		return false, false
	}
	for _, s := range spans {
		for i := s.from; i < s.to; i++ {
			x := v.at(i)
			if c.isNaN(x) {
				continue
			}
			min = min || c.compare(x, b.min) <= 0
			max = max || c.compare(x, b.max) >= 0
		}
	}
	return min, max
}

// bounds are the exact bounds of some values; NaNs have none.
func (v *values) bounds(spans []span) bounds {
	if v.col.order == nil {
		return bounds{}
	}
	var low, high []byte
	take := func(x []byte) {
		switch {
		case v.col.isNaN(x):
		case low == nil:
			low, high = x, x
		case v.col.compare(x, low) < 0:
			low = x
		case v.col.compare(x, high) > 0:
			high = x
		}
	}
	if v.dict == nil {
		for _, s := range spans {
			for i := s.from; i < s.to; i++ {
				take(v.at(i))
			}
		}
	} else {
		seen := make([]bool, v.dict.n)
		for _, s := range spans {
			for _, i := range v.indices[s.from:s.to] {
				seen[i] = true
			}
		}
		for i, is := range seen {
			if is {
				take(v.entry(uint32(i)))
			}
		}
	}
	b := v.col.bounds(low, high)
	if b.known() {
		b.minExact, b.maxExact = format.Some(true), format.Some(true)
	}
	return b
}

// compare is the column's order, but that zeros of floating-point columns are
// equal: bounds do not tell them apart.
func (c *column) compare(a, b []byte) int {
	switch c.typ {
	case format.Float:
		return cmp.Compare(float32of(a), float32of(b))
	case format.Double:
		return cmp.Compare(float64of(a), float64of(b))
	}
	return c.order(a, b)
}

func (c *column) isNaN(v []byte) bool {
	switch c.typ {
	case format.Float:
		return math.IsNaN(float64(float32of(v)))
	case format.Double:
		return math.IsNaN(float64of(v))
	}
	return false
}

// exactPages says whether bounds of pages in the column index are values of the
// page: those of numbers are not truncated.
func (c *column) exactPages() bool {
	switch c.typ {
	case format.Boolean, format.Int32, format.Int64, format.Float, format.Double:
		return true
	}
	return false
}

// foldBounds is bounds of parts, of which all must be known.
type foldBounds struct {
	bounds
	some, unknown bool
}

func (f *foldBounds) add(c *column, b bounds) {
	switch {
	case !b.known():
		f.unknown = true
	case !f.some:
		f.bounds, f.some = b, true
	default:
		f.bounds = c.join(f.bounds, b)
	}
}
