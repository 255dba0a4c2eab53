package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// maps are the functions of maps.
func maps() []Function {
	return []Function{
		{
			Names: []string{"map_keys"}, Usage: "map", min: 1, max: 1, make: makeMapCells(0),
			Doc: "An array of the map's keys.",
		},
		{
			Names: []string{"map_values"}, Usage: "map", min: 1, max: 1, make: makeMapCells(1),
			Doc: "An array of the map's values.",
		},
		{
			Names: []string{"map_entries"}, Usage: "map", min: 1, max: 1, make: makeMapEntries,
			Doc: "An array of structs of key and value.",
		},
		{
			Names: []string{"map_contains_key"}, Usage: "map, key", min: 2, max: 2, make: makeContainsKey,
			Doc: "Whether the map has the key.",
		},
		{
			Names: []string{"map_from_entries"}, Usage: "array", min: 1, max: 1, make: makeFromEntries,
			Doc: "The map of an array of structs of two fields.",
		},
		{
			Names: []string{"map_from_arrays"}, Usage: "keys, values", min: 2, max: 2, make: makeFromArrays,
			Doc: "The map of an array of keys and one of values.",
		},
		{
			Names: []string{"map_concat"}, Usage: "map, …", min: 1, max: -1, make: makeMapConcat,
			Doc: "The map of the entries of all maps, which have different keys.",
		},
		{
			Names: []string{"str_to_map"}, Usage: "text [, between pairs [, between key and value]]", min: 1, max: 3, make: makeStrToMap,
			Doc: "The map that the text says; pairs are separated by commas, key and value by a colon.",
		},
	}
}

// mapType is the type of argument i, which must be a map.
func (c call) mapType(i int) (*nested.Type, error) {
	t := c.nested(i)
	if t == nil || t.Kind != nested.Map {
		return nil, c.bad("%s is a %s; a map is wanted", c.args[i], typeName(c.typ(i)))
	}
	return t, nil
}

// cells is a strict call on nested values only.
func (c call) cells(t sql.Type, eval func(ctx *sql.Context, args []*nested.Value) (any, error)) (sql.Expression, error) {
	return c.strict(t, func(ctx *sql.Context, args []any) (any, error) {
		values := make([]*nested.Value, len(args))
		for i, arg := range args {
			v, ok := arg.(*nested.Value)
			if !ok {
				return nil, nil
			}
			values[i] = v
		}
		return eval(ctx, values)
	})
}

func makeMapCells(which int) maker {
	return func(c call) (sql.Expression, error) {
		from, err := c.mapType(0)
		if err != nil {
			return nil, err
		}
		t := &nested.Type{Kind: nested.List, Parts: from.Parts[which : which+1]}
		return c.cells(t, func(_ *sql.Context, args []*nested.Value) (any, error) {
			v := &nested.Value{Type: t}
			for i := which; i < len(args[0].Cells); i += 2 {
				v.Cells = append(v.Cells, args[0].Cells[i])
			}
			return v, nil
		})
	}
}

func makeMapEntries(c call) (sql.Expression, error) {
	from, err := c.mapType(0)
	if err != nil {
		return nil, err
	}
	entry := &nested.Type{Kind: nested.Struct, Names: []string{"key", "value"}, Parts: from.Parts}
	t := nested.ListOf(entry)
	return c.cells(t, func(_ *sql.Context, args []*nested.Value) (any, error) {
		v := &nested.Value{Type: t}
		for i := 0; i+1 < len(args[0].Cells); i += 2 {
			v.Cells = append(v.Cells, &nested.Value{Type: entry, Cells: args[0].Cells[i : i+2]})
		}
		return v, nil
	})
}

func makeContainsKey(c call) (sql.Expression, error) {
	from, err := c.mapType(0)
	if err != nil {
		return nil, err
	}
	t := from.Parts[0].SQL
	return c.strict(types.Boolean, func(ctx *sql.Context, args []any) (any, error) {
		v, ok := args[0].(*nested.Value)
		if !ok {
			return nil, nil
		}
		key, err := coerce(ctx, args[1], c.typ(1), t)
		if err != nil {
			return nil, err
		}
		for i := 0; i < len(v.Cells); i += 2 {
			if n, err := compare(ctx, t, v.Cells[i], key); n == 0 || err != nil {
				return err == nil, err
			}
		}
		return false, nil
	})
}

// newMap is a map whose keys differ and are not NULL.
func (c call) newMap(ctx *sql.Context, t *nested.Type, cells []any) (any, error) {
	for i := 0; i < len(cells); i += 2 {
		if cells[i] == nil {
			return nil, c.bad("a key must not be NULL")
		}
		for j := 0; j < i; j += 2 {
			n, err := compare(ctx, t.Parts[0].SQL, cells[i], cells[j])
			if err != nil {
				return nil, err
			}
			if n == 0 {
				return nil, c.bad("key %s is given twice", text(cells[i], t.Parts[0].SQL))
			}
		}
	}
	return &nested.Value{Type: t, Cells: cells}, nil
}

func makeFromEntries(c call) (sql.Expression, error) {
	from, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	entry, ok := from.Parts[0].SQL.(*nested.Type)
	if !ok || entry.Kind != nested.Struct || len(entry.Parts) != 2 {
		return nil, c.bad("%s is no array of structs of two fields", c.args[0])
	}
	t := &nested.Type{Kind: nested.Map, Parts: entry.Parts}
	return c.cells(t, func(ctx *sql.Context, args []*nested.Value) (any, error) {
		var cells []any
		for _, cell := range args[0].Cells {
			pair, ok := cell.(*nested.Value)
			if !ok {
				return nil, nil
			}
			cells = append(cells, pair.Cells...)
		}
		return c.newMap(ctx, t, cells)
	})
}

func makeFromArrays(c call) (sql.Expression, error) {
	keys, err := c.listType(0)
	if err != nil {
		return nil, err
	}
	values, err := c.listType(1)
	if err != nil {
		return nil, err
	}
	t := &nested.Type{Kind: nested.Map, Parts: []nested.Part{keys.Parts[0], values.Parts[0]}}
	return c.cells(t, func(ctx *sql.Context, args []*nested.Value) (any, error) {
		if len(args[0].Cells) != len(args[1].Cells) {
			return nil, c.bad("there are %d keys and %d values", len(args[0].Cells), len(args[1].Cells))
		}
		var cells []any
		for i, key := range args[0].Cells {
			cells = append(cells, key, args[1].Cells[i])
		}
		return c.newMap(ctx, t, cells)
	})
}

func makeMapConcat(c call) (sql.Expression, error) {
	t, err := c.mapType(0)
	if err != nil {
		return nil, err
	}
	for i := range c.args[1:] {
		if other, err := c.mapType(i + 1); err != nil || !t.Equals(other) {
			return nil, c.bad("all arguments must be maps of one type")
		}
	}
	return c.cells(t, func(ctx *sql.Context, args []*nested.Value) (any, error) {
		var cells []any
		for _, v := range args {
			cells = append(cells, v.Cells...)
		}
		return c.newMap(ctx, t, cells)
	})
}

func makeStrToMap(c call) (sql.Expression, error) {
	t := nested.MapOf(types.LongText, types.LongText)
	pairs, entries := c.regexps(), c.regexps()
	return c.strict(t, func(ctx *sql.Context, args []any) (any, error) {
		between, inside := any(","), any(":")
		if len(args) > 1 {
			between = args[1]
		}
		if len(args) > 2 {
			inside = args[2]
		}
		pair, err := pairs(between)
		if err != nil {
			return nil, err
		}
		entry, err := entries(inside)
		if err != nil {
			return nil, err
		}
		var cells []any
		for _, p := range pair.Split(text(args[0], c.typ(0)), -1) {
			cells = append(cells, nil, nil)
			for i, part := range entry.Split(p, 2) {
				cells[len(cells)-2+i] = part
			}
		}
		return c.newMap(ctx, t, cells)
	})
}
