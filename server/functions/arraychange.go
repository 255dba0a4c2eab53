package functions

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// maxElements bounds the arrays that functions make of numbers.
const maxElements = 10_000_000

func makeArrayRemove(c call) (sql.Expression, error) {
	t, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	return c.strict(t, func(ctx *sql.Context, args []any) (any, error) {
		from, ok := args[0].(*nested.Value)
		if !ok {
			return nil, nil
		}
		element, err := coerce(ctx, args[1], c.typ(1), t.Parts[0].SQL)
		if err != nil {
			return nil, err
		}
		v := &nested.Value{Type: t}
		for _, cell := range from.Cells {
			equal, err := same(ctx, t.Parts[0].SQL, cell, element)
			if err != nil {
				return nil, err
			}
			if !equal {
				v.Cells = append(v.Cells, cell)
			}
		}
		return v, nil
	})
}

func makeArrayCompact(c call) (sql.Expression, error) {
	t, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	return c.cells(t, func(_ *sql.Context, args []*nested.Value) (any, error) {
		cells := slices.DeleteFunc(slices.Clone(args[0].Cells), func(cell any) bool { return cell == nil })
		return &nested.Value{Type: t, Cells: cells}, nil
	})
}

func makeArrayAdd(before bool) maker {
	return func(c call) (sql.Expression, error) {
		from, err := c.listType(0)
		if err != nil {
			return nil, err
		}
		t := from
		if next := c.typ(1); next != types.Null {
			t = nested.ListOf(widen(from.Parts[0].SQL, next))
		}
		return c.lenient(t, func(ctx *sql.Context, args []any) (any, error) {
			v, ok := args[0].(*nested.Value)
			if !ok {
				return nil, nil
			}
			element, err := coerce(ctx, args[1], c.typ(1), t.Parts[0].SQL)
			if err != nil {
				return nil, err
			}
			if before {
				return &nested.Value{Type: t, Cells: slices.Concat([]any{element}, v.Cells)}, nil
			}
			return &nested.Value{Type: t, Cells: slices.Concat(v.Cells, []any{element})}, nil
		})
	}
}

func makeFlatten(c call) (sql.Expression, error) {
	from, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	t, ok := from.Parts[0].SQL.(*nested.Type)
	if !ok || t.Kind != nested.List {
		return nil, c.bad("%s is no array of arrays", c.args[0])
	}
	return c.cells(t, func(_ *sql.Context, args []*nested.Value) (any, error) {
		v := &nested.Value{Type: t}
		for _, cell := range args[0].Cells {
			inner, ok := cell.(*nested.Value)
			if !ok {
				return nil, nil
			}
			v.Cells = append(v.Cells, inner.Cells...)
		}
		return v, nil
	})
}

func makeArrayRepeat(c call) (sql.Expression, error) {
	t := nested.ListOf(elementType(c.args[:1]))
	return c.lenient(t, func(_ *sql.Context, args []any) (any, error) {
		if args[1] == nil {
			return nil, nil
		}
		n, err := small(args[1])
		if err != nil {
			return nil, err
		}
		if n > maxElements {
			return nil, c.bad("%d elements are more than %d", n, maxElements)
		}
		return &nested.Value{Type: t, Cells: slices.Repeat(args[:1], max(n, 0))}, nil
	})
}

func makeSequence(c call) (sql.Expression, error) {
	if !c.open() && (!types.IsInteger(c.typ(0)) || !types.IsInteger(c.typ(1))) {
		return nil, c.bad("only sequences of whole numbers are supported")
	}
	t := nested.ListOf(wider(c.typ(0), c.typ(1)))
	return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
		var n [3]int64
		for i, arg := range args {
			var err error
			if n[i], err = integer(arg); err != nil {
				return nil, err
			}
		}
		from, to, step := n[0], n[1], n[2]
		if len(args) < 3 {
			step = 1
			if to < from {
				step = -1
			}
		}
		if step == 0 || step > 0 && to < from || step < 0 && to > from {
			return nil, c.bad("no steps of %d lead from %d to %d", step, from, to)
		}
		if float64(to-from)/float64(step) > maxElements {
			return nil, c.bad("there are more than %d elements", maxElements)
		}
		v := &nested.Value{Type: t}
		for at := from; step > 0 && at <= to || step < 0 && at >= to; at += step {
			cell, err := narrow(at, t.Parts[0].SQL)
			if err != nil {
				return nil, err
			}
			v.Cells = append(v.Cells, cell)
		}
		return v, nil
	})
}

func makeConcatArrays(c call) (sql.Expression, error) {
	t, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	for i := range c.args {
		other, err := c.listType(i)
		if err != nil {
			return nil, err
		}
		if !t.Equals(other) {
			return nil, c.bad("arrays of different types cannot be joined: %s and %s", t, other)
		}
	}
	return c.cells(t, func(_ *sql.Context, args []*nested.Value) (any, error) {
		v := &nested.Value{Type: t}
		for _, arg := range args {
			v.Cells = append(v.Cells, arg.Cells...)
		}
		return v, nil
	})
}

func makeReverseArray(c call, t *nested.Type) (sql.Expression, error) {
	return c.cells(t, func(_ *sql.Context, args []*nested.Value) (any, error) {
		cells := slices.Clone(args[0].Cells)
		slices.Reverse(cells)
		return &nested.Value{Type: t, Cells: cells}, nil
	})
}
