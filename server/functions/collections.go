package functions

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// collections are the functions of arrays, maps and structs.
func collections() []Function {
	list := []Function{
		{
			Names: []string{"array"}, Usage: "a, …", min: 0, max: -1, make: makeArray,
			Doc: "The array of these elements.",
		},
		{
			Names: []string{"map"}, Usage: "key, value, …", min: 0, max: -1, make: makeMap,
			Doc: "The map of these keys and values.",
		},
		{
			Names: []string{"named_struct"}, Usage: "name, value, …", min: 2, max: -1, make: makeNamedStruct,
			Doc: "The struct of these names and values.",
		},
		{
			Names: []string{"struct"}, Usage: "a, …", min: 1, max: -1, make: makeStruct,
			Doc: "The struct of these values; a column gives its name, another value is called by its place, as col2.",
		},
		{
			Names: []string{"size", "cardinality"}, Usage: "a", min: 1, max: 1, make: makeSize,
			Doc: "The number of elements of an array or of entries of a map.",
		},
		{
			Names: []string{"element_at"}, Usage: "a, key", min: 2, max: 2, make: makeElementAt(false),
			Doc: "The element of an array, counted from 1 or from the end by -1; it must be there. The value of a map's key, NULL if there is none.",
		},
		{
			Names: []string{"try_element_at"}, Usage: "a, key", min: 2, max: 2, make: makeElementAt(true),
			Doc: "As element_at, but NULL for an element that is not there.",
		},
		{
			Names: []string{"get"}, Usage: "array, index", min: 2, max: 2, make: makeElementAtIndex(true),
			Doc: "The element of an array, counted from 0; NULL if it is not there.",
		},
		{
			Names: []string{"explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer"}, Usage: "a", min: 1, max: 1, make: makeGenerator,
			Doc: "A row for each element or entry, as in LATERAL VIEW or alone in a SELECT.",
		},
	}
	return append(append(list, maps()...), arrays()...)
}

// makeGenerator is what is left of a generator that the dialect did not find
// where it may stand.
func makeGenerator(c call) (sql.Expression, error) {
	return nil, c.bad("it makes rows, and may stand in LATERAL VIEW or as a whole column of a SELECT without others like it")
}

// value is a nested value with cells made of the type's parts.
func (c call) value(t *nested.Type) func(ctx *sql.Context, args []any) (*nested.Value, error) {
	return func(ctx *sql.Context, args []any) (*nested.Value, error) {
		v := &nested.Value{Type: t, Cells: make([]any, len(args))}
		for i, arg := range args {
			cell, err := coerce(ctx, arg, c.typ(i), t.PartOf(i).SQL)
			if err != nil {
				return nil, err
			}
			v.Cells[i] = cell
		}
		return v, nil
	}
}

func makeArray(c call) (sql.Expression, error) {
	t := nested.ListOf(elementType(c.args))
	eval := c.value(t)
	return c.lenient(t, func(ctx *sql.Context, args []any) (any, error) { return eval(ctx, args) })
}

// elementType is the common type of cells; text if there are none.
func elementType(all []sql.Expression) sql.Type {
	t := commonType(all)
	if t == types.Null {
		return types.LongText
	}
	return t
}

func makeMap(c call) (sql.Expression, error) {
	if len(c.args)%2 != 0 {
		return nil, c.bad("keys and values must come in pairs: got %d arguments", len(c.args))
	}
	var keys, values []sql.Expression
	for i := 0; i < len(c.args); i += 2 {
		keys, values = append(keys, c.args[i]), append(values, c.args[i+1])
	}
	t := nested.MapOf(elementType(keys), elementType(values))
	eval := c.value(t)
	return c.lenient(t, func(ctx *sql.Context, args []any) (any, error) {
		v, err := eval(ctx, args)
		if err != nil {
			return nil, err
		}
		return c.newMap(ctx, t, v.Cells)
	})
}

func makeNamedStruct(c call) (sql.Expression, error) {
	if len(c.args)%2 != 0 {
		return nil, c.bad("names and values must come in pairs: got %d arguments", len(c.args))
	}
	t := &nested.Type{Kind: nested.Struct}
	for i := 0; i < len(c.args); i += 2 {
		name, err := c.constant(i)
		if err != nil {
			return nil, err
		}
		t.Names = append(t.Names, text(name, nil))
		t.Parts = append(t.Parts, nested.Part{SQL: elementType(c.args[i+1 : i+2])})
	}
	return c.lenient(t, func(_ *sql.Context, args []any) (any, error) {
		v := &nested.Value{Type: t}
		for i := 1; i < len(args); i += 2 {
			v.Cells = append(v.Cells, args[i])
		}
		return v, nil
	})
}

func makeStruct(c call) (sql.Expression, error) {
	t := &nested.Type{Kind: nested.Struct}
	for i, arg := range c.args {
		name := "col" + text(int64(i+1), nil)
		if named, ok := arg.(sql.Nameable); ok {
			name = named.Name()
		}
		t.Names = append(t.Names, name)
		t.Parts = append(t.Parts, nested.Part{SQL: elementType(c.args[i : i+1])})
	}
	return c.lenient(t, func(_ *sql.Context, args []any) (any, error) {
		return &nested.Value{Type: t, Cells: args}, nil
	})
}

func makeSize(c call) (sql.Expression, error) {
	t := c.nested(0)
	if !c.open() && c.typ(0) != types.Null && (t == nil || t.Kind == nested.Struct) {
		return nil, c.bad("%s is a %s; only an array or a map has a size", c.args[0], typeName(c.typ(0)))
	}
	return c.strict(types.Int32, func(_ *sql.Context, args []any) (any, error) {
		v, ok := args[0].(*nested.Value)
		switch {
		case !ok:
			return nil, nil
		case v.Type.Kind == nested.Map:
			return int32(len(v.Cells) / 2), nil
		}
		return int32(len(v.Cells)), nil
	})
}

// lookUp finds the value of a key of a map, nil if there is none.
func lookUp(ctx *sql.Context, v *nested.Value, key any, from sql.Type) (any, error) {
	t := v.Type.Parts[0].SQL
	key, err := coerce(ctx, key, from, t)
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(v.Cells); i += 2 {
		n, err := compare(ctx, t, v.Cells[i], key)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return v.Cells[i+1], nil
		}
	}
	return nil, nil
}

// container is the type of argument 0, which must be an array or a map.
func (c call) container() (*nested.Type, error) {
	t := c.nested(0)
	if t == nil || t.Kind == nested.Struct {
		return nil, c.bad("%s is a %s; only a map or an array has elements", c.args[0], typeName(c.typ(0)))
	}
	return t, nil
}

func makeElementAt(try bool) maker {
	return func(c call) (sql.Expression, error) {
		if c.open() {
			return c.strict(types.LongText, func(*sql.Context, []any) (any, error) { return nil, nil })
		}
		t, err := c.container()
		if err != nil {
			return nil, err
		}
		element := t.Parts[len(t.Parts)-1].SQL
		return c.strict(element, func(ctx *sql.Context, args []any) (any, error) {
			v, ok := args[0].(*nested.Value)
			if !ok {
				return nil, nil
			}
			if t.Kind == nested.Map {
				return lookUp(ctx, v, args[1], c.typ(1))
			}
			i, err := small(args[1])
			if err != nil {
				return nil, err
			}
			switch {
			case i == 0:
				return nil, c.bad("elements are counted from 1: got 0")
			case i < 0:
				i += len(v.Cells) + 1
			}
			if i < 1 || i > len(v.Cells) {
				if try {
					return nil, nil
				}
				return nil, c.bad("the array has %s: got index %s; try_element_at gives NULL instead", count(len(v.Cells), "element"), text(args[1], nil))
			}
			return v.Cells[i-1], nil
		})
	}
}

// makeElementAtIndex is x[k]: an element of a list, counted from 0, which must be
// there unless it is tried; or the value of a map for a key, NULL if there is
// none.
func makeElementAtIndex(try bool) maker {
	return func(c call) (sql.Expression, error) {
		if c.open() {
			return c.strict(types.LongText, func(*sql.Context, []any) (any, error) { return nil, nil })
		}
		t, err := c.container()
		if err != nil {
			return nil, err
		}
		return c.strict(t.Parts[len(t.Parts)-1].SQL, func(ctx *sql.Context, args []any) (any, error) {
			v, ok := args[0].(*nested.Value)
			if !ok {
				return nil, nil
			}
			if t.Kind == nested.Map {
				return lookUp(ctx, v, args[1], c.typ(1))
			}
			i, err := integer(args[1])
			switch {
			case err != nil:
				return nil, err
			case i >= 0 && i < int64(len(v.Cells)):
				return v.Cells[i], nil
			case try:
				return nil, nil
			}
			return nil, argumentError("array[index]", "the array has %s: got index %d, counted from 0; get(array, index) gives NULL instead", count(len(v.Cells), "element"), i)
		})
	}
}

// nestedText is a nested value as Spark casts it to text.
func nestedText(v any) (string, bool) {
	n, ok := v.(*nested.Value)
	if !ok {
		return "", false
	}
	var parts []string
	cell := func(i int) string {
		if n.Cells[i] == nil {
			return "null"
		}
		return text(n.Cells[i], n.Type.PartOf(i).SQL)
	}
	if n.Type.Kind == nested.Map {
		for i := 0; i+1 < len(n.Cells); i += 2 {
			parts = append(parts, cell(i)+" -> "+cell(i+1))
		}
		return "{" + strings.Join(parts, ", ") + "}", true
	}
	for i := range n.Cells {
		parts = append(parts, cell(i))
	}
	if n.Type.Kind == nested.List {
		return "[" + strings.Join(parts, ", ") + "]", true
	}
	return "{" + strings.Join(parts, ", ") + "}", true
}
