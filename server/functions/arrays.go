package functions

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// arrays are the functions of arrays.
func arrays() []Function {
	return slices.Concat(arraySearches(), arrayChanges())
}

// arraySearches look at the elements.
func arraySearches() []Function {
	return []Function{
		{
			Names: []string{"array_contains"}, Usage: "array, element", min: 2, max: 2, make: makeArrayContains,
			Doc: "Whether the element is in the array; NULL if it is not and the array has NULLs.",
		},
		{
			Names: []string{"array_position"}, Usage: "array, element", min: 2, max: 2, make: makeArrayPosition,
			Doc: "Where the element is first, counted from 1; 0 if it is not there.",
		},
		{
			Names: []string{"array_size"}, Usage: "array", min: 1, max: 1, make: makeSize,
			Doc: "The number of elements.",
		},
		{
			Names: []string{"sort_array"}, Usage: "array [, ascending]", min: 1, max: 2, make: makeSortArray(true),
			Doc: "The array in order, NULLs first, or from the end if ascending is false.",
		},
		{
			Names: []string{"array_sort"}, Usage: "array", min: 1, max: 1, make: makeSortArray(false),
			Doc: "The array in order, NULLs last.",
		},
		{
			Names: []string{"array_max"}, Usage: "array", min: 1, max: 1, make: makeArrayExtreme(1),
			Doc: "The largest element.",
		},
		{
			Names: []string{"array_min"}, Usage: "array", min: 1, max: 1, make: makeArrayExtreme(-1),
			Doc: "The smallest element.",
		},
		{
			Names: []string{"slice"}, Usage: "array, start, length", min: 3, max: 3, make: makeSlice,
			Doc: "The part of the array that begins at start, counted from 1 or from the end by -1.",
		},
		{
			Names: []string{"array_join"}, Usage: "array, delimiter [, for NULL]", min: 2, max: 3, make: makeArrayJoin,
			Doc: "The elements as text with the delimiter between them; NULLs are left out or replaced.",
		},
	}
}

// arrayChanges make other arrays.
func arrayChanges() []Function {
	return []Function{
		{
			Names: []string{"array_distinct"}, Usage: "array", min: 1, max: 1, make: makeArraySet(func(seen, _ int) bool { return seen == 0 }),
			Doc: "The array with each element once.",
		},
		{
			Names: []string{"array_union"}, Usage: "a, b", min: 2, max: 2, make: makeArrayUnion,
			Doc: "The elements of both arrays, each once.",
		},
		{
			Names: []string{"array_intersect"}, Usage: "a, b", min: 2, max: 2, make: makeArraySet(func(seen, other int) bool { return seen == 0 && other > 0 }),
			Doc: "The elements that are in both arrays, each once.",
		},
		{
			Names: []string{"array_except"}, Usage: "a, b", min: 2, max: 2, make: makeArraySet(func(seen, other int) bool { return seen == 0 && other == 0 }),
			Doc: "The elements of a that are not in b, each once.",
		},
		{
			Names: []string{"array_remove"}, Usage: "array, element", min: 2, max: 2, make: makeArrayRemove,
			Doc: "The array without the element.",
		},
		{
			Names: []string{"array_compact"}, Usage: "array", min: 1, max: 1, make: makeArrayCompact,
			Doc: "The array without NULLs.",
		},
		{
			Names: []string{"array_append"}, Usage: "array, element", min: 2, max: 2, make: makeArrayAdd(false),
			Doc: "The array with the element at the end.",
		},
		{
			Names: []string{"array_prepend"}, Usage: "array, element", min: 2, max: 2, make: makeArrayAdd(true),
			Doc: "The array with the element at the beginning.",
		},
		{
			Names: []string{"flatten"}, Usage: "array", min: 1, max: 1, make: makeFlatten,
			Doc: "The elements of an array's arrays in one array.",
		},
		{
			Names: []string{"array_repeat"}, Usage: "element, count", min: 2, max: 2, make: makeArrayRepeat,
			Doc: "An array of the element that many times.",
		},
		{
			Names: []string{"sequence"}, Usage: "from, to [, step]", min: 2, max: 3, make: makeSequence,
			Doc: "An array of the whole numbers from one to the other.",
		},
	}
}

// listType is the type of argument i, which must be an array.
func (c call) listType(i int) (*nested.Type, error) {
	t := c.nested(i)
	if t == nil || t.Kind != nested.List {
		return nil, c.bad("%s is a %s; an array is wanted", c.args[i], typeName(c.typ(i)))
	}
	return t, nil
}

// same says whether two cells are equal; NULLs are.
func same(ctx *sql.Context, t sql.Type, a, b any) (bool, error) {
	if a == nil || b == nil {
		return a == nil && b == nil, nil
	}
	n, err := compare(ctx, t, a, b)
	return n == 0, err
}

// index is where a cell is, -1 if it is not there.
func index(ctx *sql.Context, t sql.Type, cells []any, cell any) (int, error) {
	for i, c := range cells {
		if equal, err := same(ctx, t, c, cell); equal || err != nil {
			return i, err
		}
	}
	return -1, nil
}

// search makes a call that looks for an element.
func (c call) search(result sql.Type, found func(v *nested.Value, at int) any) (sql.Expression, error) {
	from, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	t := from.Parts[0].SQL
	return c.strict(result, func(ctx *sql.Context, args []any) (any, error) {
		v, ok := args[0].(*nested.Value)
		if !ok {
			return nil, nil
		}
		element, err := coerce(ctx, args[1], c.typ(1), t)
		if err != nil {
			return nil, err
		}
		i, err := index(ctx, t, v.Cells, element)
		if err != nil {
			return nil, err
		}
		return found(v, i), nil
	})
}

func makeArrayContains(c call) (sql.Expression, error) {
	return c.search(types.Boolean, func(v *nested.Value, at int) any {
		if at < 0 && slices.Contains(v.Cells, nil) {
			return nil
		}
		return at >= 0
	})
}

func makeArrayPosition(c call) (sql.Expression, error) {
	return c.search(types.Int64, func(_ *nested.Value, at int) any { return int64(at + 1) })
}

// sorted is cells in order, NULLs first.
func sorted(ctx *sql.Context, t sql.Type, cells []any) ([]any, error) {
	out := slices.Clone(cells)
	var failed error
	slices.SortStableFunc(out, func(a, b any) int {
		switch {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return -1
		case b == nil:
			return 1
		}
		n, err := compare(ctx, t, a, b)
		if err != nil {
			failed = err
		}
		return n
	})
	return out, failed
}

func makeSortArray(nullsFirst bool) maker {
	return func(c call) (sql.Expression, error) {
		t, err := c.listType(0)
		if err != nil {
			return nil, err
		}
		return c.strict(t, func(ctx *sql.Context, args []any) (any, error) {
			v, ok := args[0].(*nested.Value)
			if !ok {
				return nil, nil
			}
			cells, err := sorted(ctx, t.Parts[0].SQL, v.Cells)
			if err != nil {
				return nil, err
			}
			if !nullsFirst {
				nulls := 0
				for nulls < len(cells) && cells[nulls] == nil {
					nulls++
				}
				cells = append(cells[nulls:], cells[:nulls]...)
			}
			if len(args) == 2 {
				ascending, err := truth(args[1])
				if err != nil {
					return nil, err
				}
				if !ascending {
					slices.Reverse(cells)
				}
			}
			return &nested.Value{Type: t, Cells: cells}, nil
		})
	}
}

func makeArrayExtreme(sign int) maker {
	return func(c call) (sql.Expression, error) {
		from, err := c.listType(0)
		if err != nil {
			return nil, err
		}
		t := from.Parts[0].SQL
		return c.cells(t, func(ctx *sql.Context, args []*nested.Value) (any, error) {
			cells, err := sorted(ctx, t, args[0].Cells)
			if err != nil {
				return nil, err
			}
			cells = slices.DeleteFunc(cells, func(cell any) bool { return cell == nil })
			switch {
			case len(cells) == 0:
				return nil, nil
			case sign > 0:
				return cells[len(cells)-1], nil
			}
			return cells[0], nil
		})
	}
}

func makeSlice(c call) (sql.Expression, error) {
	t, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	return c.strict(t, func(_ *sql.Context, args []any) (any, error) {
		v, ok := args[0].(*nested.Value)
		if !ok {
			return nil, nil
		}
		start, err := small(args[1])
		if err != nil {
			return nil, err
		}
		length, err := small(args[2])
		if err != nil {
			return nil, err
		}
		if start == 0 || length < 0 {
			return nil, c.bad("elements are counted from 1, and the length is not negative: got %d and %d", start, length)
		}
		if start < 0 {
			start += len(v.Cells) + 1
		}
		if start < 1 || start > len(v.Cells) {
			return &nested.Value{Type: t}, nil
		}
		return &nested.Value{Type: t, Cells: v.Cells[start-1 : min(start-1+length, len(v.Cells))]}, nil
	})
}

func makeArrayJoin(c call) (sql.Expression, error) {
	t, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	return c.strict(types.LongText, func(_ *sql.Context, args []any) (any, error) {
		v, ok := args[0].(*nested.Value)
		if !ok {
			return nil, nil
		}
		var parts []string
		for _, cell := range v.Cells {
			switch {
			case cell != nil:
				parts = append(parts, text(cell, t.Parts[0].SQL))
			case len(args) == 3:
				parts = append(parts, text(args[2], nil))
			}
		}
		return strings.Join(parts, text(args[1], nil)), nil
	})
}

// makeArraySet keeps the elements for which keep holds: it is told how many
// equal ones were kept and, with a second array, are there.
func makeArraySet(keep func(seen, other int) bool) maker {
	return func(c call) (sql.Expression, error) {
		t, err := c.listType(0)
		if err != nil {
			return nil, err
		}
		return c.cells(t, func(ctx *sql.Context, args []*nested.Value) (any, error) {
			v := &nested.Value{Type: t}
			for _, cell := range args[0].Cells {
				seen, err := index(ctx, t.Parts[0].SQL, v.Cells, cell)
				if err != nil {
					return nil, err
				}
				other := -1
				if len(args) == 2 {
					if other, err = index(ctx, t.Parts[0].SQL, args[1].Cells, cell); err != nil {
						return nil, err
					}
				}
				if keep(seen+1, other+1) {
					v.Cells = append(v.Cells, cell)
				}
			}
			return v, nil
		})
	}
}

func makeArrayUnion(c call) (sql.Expression, error) {
	t, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	return c.cells(t, func(ctx *sql.Context, args []*nested.Value) (any, error) {
		v := &nested.Value{Type: t}
		for _, cell := range slices.Concat(args[0].Cells, args[1].Cells) {
			seen, err := index(ctx, t.Parts[0].SQL, v.Cells, cell)
			if err != nil {
				return nil, err
			}
			if seen < 0 {
				v.Cells = append(v.Cells, cell)
			}
		}
		return v, nil
	})
}
