package columnar

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/firndb/firn/server/nested"
)

// extremes is MIN or MAX.
type extremes struct {
	x compiled
	// sign is the order of a value that replaces the one before.
	sign int
	seen []bool
	best vector
}

func (c compiler) extremes(e sql.Expression, sign int) (accumulator, bool) {
	ordered, isOrdered := e.(OrderedFloat)
	if isOrdered {
		e = ordered.Ordered()
	}
	x, ok := c.compile(e)
	switch {
	case isOrdered != (x.kind == real) && x.kind != nothing:
		return nil, false
	case !ok || x.form == mixed || x.kind == opaque:
		return nil, false
	case x.kind == text && !isBytewise(e.Type()):
		return nil, false
	case (x.kind == whole || x.kind == real) && !isNumber(e):
		return nil, false
	}
	return &extremes{x: x, sign: sign}, true
}

func (a *extremes) held() int { return 0 }

func (a *extremes) grow(groups int) {
	a.seen = grown(a.seen, groups)
	a.best.wholes = grown(a.best.wholes, groups)
	switch a.x.kind {
	case real:
		a.best.reals = grown(a.best.reals, groups)
	case text:
		a.best.texts = grown(a.best.texts, groups)
	}
}

func (a *extremes) add(m members) error {
	v, err := a.x.eval(m.batch)
	if err != nil {
		return err
	}
	for i, row := range m.rows {
		if v.isNull(int(row)) {
			continue
		}
		g := m.groups[i]
		first := !a.seen[g]
		a.seen[g] = true
		switch a.x.kind {
		case real:
			if first || order(OrderedBits(v.reals[row]), OrderedBits(a.best.reals[g])) == a.sign {
				a.best.reals[g] = v.reals[row]
			}
		case text:
			if first || order(v.texts[row], a.best.texts[g]) == a.sign {
				a.best.texts[g] = strings.Clone(v.texts[row])
			}
		default:
			if first || order(v.wholes[row], a.best.wholes[g]) == a.sign {
				a.best.wholes[g] = v.wholes[row]
			}
		}
	}
	return nil
}

func (a *extremes) value(group int) (any, error) {
	if !a.seen[group] {
		return nil, nil
	}
	return a.x.form.value(&a.best, group), nil
}

// firsts is the first value of a group that is not NULL.
type firsts struct {
	// read makes the values of a batch.
	read   func(b *batch) (func(row int) any, error)
	values []any
	// open is how many groups have no value yet.
	open int
}

// groupValue is what a group is known by: of zeros, which are one group, the one
// without a sign.
func (c compiler) groupValue(e sql.Expression) (accumulator, bool) {
	first, ok := c.firsts(e)
	if !ok {
		return nil, false
	}
	return unsigned{first}, true
}

type unsigned struct{ accumulator }

func (u unsigned) value(group int) (any, error) {
	v, err := u.accumulator.value(group)
	return nested.WithoutSign(v), err
}

func (c compiler) firsts(e sql.Expression) (accumulator, bool) {
	if leaf, ok := c.src.Leaf(e); ok {
		return &firsts{read: func(b *batch) (func(row int) any, error) { return c.cells(leaf, b) }}, true
	}
	x, ok := c.compile(e)
	if !ok || x.form == mixed {
		return nil, false
	}
	return &firsts{read: func(b *batch) (func(row int) any, error) {
		v, err := x.eval(b)
		return func(row int) any { return x.form.value(v, row) }, err
	}}, true
}

// cells makes the engine's values of a leaf.
func (c compiler) cells(leaf Leaf, b *batch) (func(row int) any, error) {
	arr, around, err := leaf.find(b.record)
	if err != nil {
		return nil, err
	}
	cells, err := c.src.Cells(leaf, arr)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", strings.Join(leaf.Path, "."), err)
	}
	if len(around) == 0 {
		return cells, nil
	}
	return func(row int) any {
		for _, parent := range around {
			if parent.IsNull(row) {
				return nil
			}
		}
		return cells(row)
	}, nil
}

func (a *firsts) held() int                    { return 0 }
func (a *firsts) value(group int) (any, error) { return a.values[group], nil }

func (a *firsts) grow(groups int) {
	if groups > len(a.values) {
		a.open += groups - len(a.values)
		a.values = grown(a.values, groups)
	}
}

func (a *firsts) add(m members) error {
	if a.open == 0 {
		return nil
	}
	cells, err := a.read(m.batch)
	if err != nil {
		return err
	}
	for i, row := range m.rows {
		if g := m.groups[i]; a.values[g] == nil {
			if a.values[g] = cells(int(row)); a.values[g] != nil {
				a.open--
			}
		}
	}
	return nil
}
