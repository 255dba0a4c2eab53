package splice

import (
	"fmt"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// span is entries or values of a page: from is the first, to the one after the
// last.
type span struct{ from, to int }

// cursor goes through the rows of a part, of which some are gone.
type cursor struct {
	// gone are those to come.
	gone []uint32
	// row is how many rows have begun.
	row int64
	// inside says that the last of them is gone: so is what follows of it.
	inside bool
}

// skip passes n rows, unless one of them is gone.
func (c *cursor) skip(n int64) bool {
	if len(c.gone) > 0 && int64(c.gone[0]) < c.row+n {
		return false
	}
	c.row += n
	return true
}

// flat passes n rows of one entry each and appends the entries that stay.
func (c *cursor) flat(dst []span, n int) []span {
	at, end := 0, c.row+int64(n)
	for len(c.gone) > 0 && int64(c.gone[0]) < end {
		g := int(int64(c.gone[0]) - c.row)
		if g > at {
			dst = append(dst, span{at, g})
		}
		at = g + 1
		c.gone = c.gone[1:]
	}
	if at < n {
		dst = append(dst, span{at, n})
	}
	c.row = end
	return dst
}

// nested passes entries by their repetition levels: a row begins at level zero,
// and may go on in the next page.
func (c *cursor) nested(dst []span, rep []uint8) []span {
	at := 0
	for i, r := range rep {
		if r > 0 {
			continue
		}
		was := c.inside
		if c.inside = len(c.gone) > 0 && int64(c.gone[0]) == c.row; c.inside {
			c.gone = c.gone[1:]
		}
		c.row++
		switch {
		case !was && c.inside && i > at:
			dst = append(dst, span{at, i})
		case was && !c.inside:
			at = i
		}
	}
	if !c.inside && len(rep) > at {
		dst = append(dst, span{at, len(rep)})
	}
	return dst
}

// end checks that all rows have been passed.
func (c *cursor) end(rows int64) error {
	if c.row != rows || len(c.gone) > 0 {
		return fmt.Errorf("%w: its pages have %d rows, not %d", ErrUnfit, c.row, rows)
	}
	return nil
}

// total is how many entries spans have.
func total(spans []span) int {
	n := 0
	for _, s := range spans {
		n += s.to - s.from
	}
	return n
}

// others appends what spans leave of n entries.
func others(dst, spans []span, n int) []span {
	at := 0
	for _, s := range spans {
		if s.from > at {
			dst = append(dst, span{at, s.from})
		}
		at = s.to
	}
	if at < n {
		dst = append(dst, span{at, n})
	}
	return dst
}

// compact moves the entries of spans to the front.
func compact[T any](b []T, spans []span) []T {
	n := 0
	for _, s := range spans {
		n += copy(b[n:], b[s.from:s.to])
	}
	return b[:n]
}

// valueSpans are the values that belong to spans of entries, of which only those
// of the greatest definition level have one.
func valueSpans(dst, spans []span, def []uint8, highest uint8) []span {
	at, v := 0, 0
	for _, s := range spans {
		v += count(def[at:s.from], highest)
		if n := count(def[s.from:s.to], highest); n > 0 {
			dst = append(dst, span{v, v + n})
			v += n
		}
		at = s.to
	}
	return dst
}

// subtractLevels takes the levels of spans out of a histogram, nil if there is
// none.
func subtractLevels(counts []int64, levels []uint8, spans []span) []int64 {
	if counts == nil {
		return nil
	}
	out := append([]int64(nil), counts...)
	for _, s := range spans {
		if len(levels) == 0 {
			// There is one level, and it is zero.
			out[0] -= int64(s.to - s.from)
			continue
		}
		for _, level := range levels[s.from:s.to] {
			out[level]--
		}
	}
	return out
}

// cuttable says whether values of an encoding can be taken apart.
func (c *column) cuttable(e format.Encoding) bool {
	return e == format.Plain || e.Dictionary() || e == format.RLE && c.typ == format.Boolean
}

// Cuttable says whether single rows can be left out of a row group.
func (s *Source) Cuttable(rowGroup int) bool {
	for _, c := range s.target.columns {
		leaf := s.leaves[c.index].index
		if leaf < 0 {
			continue
		}
		for _, e := range s.footer.RowGroups[rowGroup].Columns[leaf].Meta.Encodings {
			// Levels are listed too.
			if !c.cuttable(e) && e != format.RLE && e != format.BitPacked {
				return false
			}
		}
	}
	return true
}

// staying numbers the rows that are not gone, one after another.
func staying(gone []uint32) func() int64 {
	row := int64(-1)
	return func() int64 {
		row++
		for len(gone) > 0 && int64(gone[0]) == row {
			gone = gone[1:]
			row++
		}
		return row
	}
}
