package columnar

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// distinct is COUNT(DISTINCT x). Values are the same if their texts are.
type distinct struct {
	x       compiled
	numbers map[numberOf]struct{}
	texts   map[textOf]struct{}
	totals  []int64
}

// numberOf is a number of a group.
type numberOf struct {
	group int32
	bits  uint64
}

// textOf is a text of a group.
type textOf struct {
	group int32
	text  string
}

func (c compiler) distinct(children []sql.Expression) (accumulator, bool) {
	if len(children) != 1 {
		return nil, false
	}
	x, ok := c.compile(children[0])
	if !ok || x.kind == opaque || x.form == mixed && x.kind != nothing {
		return nil, false
	}
	return &distinct{x: x, numbers: map[numberOf]struct{}{}, texts: map[textOf]struct{}{}}, true
}

func (a *distinct) grow(groups int)              { a.totals = grown(a.totals, groups) }
func (a *distinct) value(group int) (any, error) { return a.totals[group], nil }
func (a *distinct) held() int                    { return len(a.numbers) + len(a.texts) }

func (a *distinct) add(m members) error {
	v, err := a.x.eval(m.batch)
	if err != nil {
		return err
	}
	for i, row := range m.rows {
		if v.isNull(int(row)) {
			continue
		}
		g := m.groups[i]
		if a.x.kind == text {
			if _, ok := a.texts[textOf{g, v.texts[row]}]; !ok {
				a.texts[textOf{g, strings.Clone(v.texts[row])}] = struct{}{}
				a.totals[g]++
			}
			continue
		}
		n := numberOf{group: g}
		if a.x.kind == real {
			// Adding 0 makes -0 that, as its text has no sign here.
			n.bits = sameBits(v.reals[row] + 0)
		} else {
			n.bits = uint64(v.wholes[row])
		}
		if _, ok := a.numbers[n]; !ok {
			a.numbers[n] = struct{}{}
			a.totals[g]++
		}
	}
	return nil
}
