package splice

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// slots are the entries that a leaf has for some rows: levels, and where in an
// array the values are of those that have one.
type slots struct {
	n        int
	rep, def []uint8 // rep is nil outside of lists, def if all have values
	// count is how many values there are, at these positions or, if at is nil, one
	// after another.
	count int
	from  int
	at    []int32
}

// position is where a value is.
func (s *slots) position(i int) int {
	if s.at != nil {
		return int(s.at[i])
	}
	return s.from + i
}

// values is how many of the first n entries have one.
func (s *slots) values(n int, maxDef uint8) int {
	if s.def == nil {
		return n
	}
	return count(s.def[:n], maxDef)
}

// cut cuts off the first entries, which have so many values.
func (s *slots) cut(entries, values int) slots {
	first := slots{n: entries, count: values, from: s.from}
	if s.rep != nil {
		first.rep, s.rep = s.rep[:entries], s.rep[entries:]
	}
	if s.def != nil {
		first.def, s.def = s.def[:entries], s.def[entries:]
	}
	if s.at != nil {
		first.at, s.at = s.at[:values], s.at[values:]
	} else {
		s.from += values
	}
	s.n -= entries
	s.count -= values
	return first
}

// flat are the slots of a column that is not nested. They are valid until the
// next call.
func (w *walker) flat(c *column, values arrow.Array) (slots, error) {
	n := values.Len()
	s := slots{n: n, count: n}
	if values.NullN() == 0 {
		return s, nil
	}
	if c.maxDef == 0 {
		return s, fmt.Errorf("%w: a null in a column that must have values", ErrUnfit)
	}
	valid, from := values.NullBitmapBytes(), values.Data().Offset()
	w.def, w.at = w.def[:0], w.at[:0]
	for i := range n {
		if bitutil.BitIsSet(valid, from+i) {
			w.def = append(w.def, c.maxDef)
			w.at = append(w.at, int32(i))
		} else {
			w.def = append(w.def, c.maxDef-1)
		}
	}
	s.def, s.at, s.count = w.def, w.at, len(w.at)
	if s.at == nil {
		s.at = []int32{}
	}
	return s, nil
}
