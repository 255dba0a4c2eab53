package splice

import (
	"slices"
	"unicode/utf8"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// maxIndexBound is how long bounds in the column index are at most, as in
// parquet-java.
const maxIndexBound = 64

// truncated are the bounds of a page as its column index holds them: long ones
// are cut short, a maximum so that it stays one.
func (x *extent) truncated(c *column) bounds {
	b := x.full(c)
	if !b.known() || c.typ != format.ByteArray {
		return b
	}
	text := c.kind.logical.Kind == format.LogicalString
	if len(b.min) > maxIndexBound {
		b.min, b.minExact = b.min[:cutAt(b.min, text)], format.Some(false)
	}
	if len(b.max) > maxIndexBound {
		above := successor(b.max[:cutAt(b.max, text)], text)
		switch {
		case above != nil:
			b.max, b.maxExact = above, format.Some(false)
		case len(b.max) > maxBound:
			return bounds{}
		}
	}
	return b
}

// cutAt is where to cut a long bound, of text between two characters.
func cutAt(v []byte, text bool) int {
	n := maxIndexBound
	if !text || !utf8.Valid(v) {
		return n
	}
	for !utf8.RuneStart(v[n]) {
		n--
	}
	return n
}

// successor is the least value of at most v's length that is greater than all
// that begin with v, nil if there is none. That of text is text.
func successor(v []byte, text bool) []byte {
	if !text || !utf8.Valid(v) {
		for n := len(v); n > 0; n-- {
			if v[n-1] != 0xff {
				out := slices.Clone(v[:n])
				out[n-1]++
				return out
			}
		}
		return nil
	}
	for len(v) > 0 {
		r, n := utf8.DecodeLastRune(v)
		v = v[:len(v)-n]
		if r++; r == 0xd800 {
			r = 0xe000
		}
		if r <= utf8.MaxRune {
			return utf8.AppendRune(slices.Clone(v), r)
		}
	}
	return nil
}
