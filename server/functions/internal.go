package functions

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/firndb/firn/server/nested"
)

// internal are the functions that the dialect writes for forms that the
// engine's grammar does not have; see its package's comment.
func internal() []Function {
	list := []Function{
		{Names: []string{"field"}, Usage: "struct, name", min: 1, max: -1, make: makeFieldOrPlace},
		{Names: []string{"struct_field"}, Usage: "struct, name", min: 2, max: 2, make: makeField},
		{Names: []string{"element_at_index"}, Usage: "a, key", min: 2, max: 2, make: makeElementAtIndex(false)},
		{Names: []string{"element_or_null"}, Usage: "array, index", min: 2, max: 2, make: makeElementAtIndex(true)},
		{Names: []string{"explode_positions"}, Usage: "a", min: 1, max: 1, make: makePositions(false)},
		{Names: []string{"explode_positions_outer"}, Usage: "a", min: 1, max: 1, make: makePositions(true)},
		{Names: []string{"explode_element"}, Usage: "array, position", min: 2, max: 2, make: makeExploded(nested.List, 0)},
		{Names: []string{"explode_key"}, Usage: "map, position", min: 2, max: 2, make: makeExploded(nested.Map, 0)},
		{Names: []string{"explode_value"}, Usage: "map, position", min: 2, max: 2, make: makeExploded(nested.Map, 1)},
		{Names: []string{"field_at"}, Usage: "struct, position", min: 2, max: 2, make: makeFieldAt},
		{Names: []string{"timestamp_literal"}, Usage: "text", min: 1, max: 1, make: makeTimestampLiteral},
		{Names: []string{"date_literal"}, Usage: "text", min: 1, max: 1, make: makeDateLiteral},
		{Names: []string{"substring_of"}, Usage: "text, position [, length]", min: 2, max: 3, make: makeSubstring},
	}
	return slices.Concat(list, castInternal(), aggregateInternal(), arithmetics())
}

// makeFieldOrPlace is x.name in a statement that the dialect does not see. With
// anything but a struct, FIELD is MySQL's own function.
func makeFieldOrPlace(c call) (sql.Expression, error) {
	if len(c.args) != 2 || c.nested(0) == nil {
		return function.NewField(c.args...)
	}
	return makeField(c)
}

// makeField is x.name.
func makeField(c call) (sql.Expression, error) {
	if c.open() {
		return c.strict(types.LongText, func(*sql.Context, []any) (any, error) { return nil, nil })
	}
	name, err := c.constant(1)
	if err != nil {
		return nil, err
	}
	t, i := c.nested(0), -1
	if t != nil {
		i = t.Field(text(name, nil))
	}
	if i < 0 {
		return nil, mysql.NewSQLError(mysql.ERBadFieldError, "42S22", "%s",
			fmt.Sprintf("no such field: %q in %s, which is a %s", text(name, nil), c.args[0], typeName(c.typ(0))))
	}
	return c.part(t, i)
}

// part is field i of a struct.
func (c call) part(t *nested.Type, i int) (sql.Expression, error) {
	part := c.computed(t.Parts[i].SQL, func(_ *sql.Context, args []any) (any, error) {
		v, ok := args[0].(*nested.Value)
		if !ok || i >= len(v.Cells) {
			return nil, nil
		}
		return v.Cells[i], nil
	})
	part.field = i + 1
	return part, nil
}

func makeFieldAt(c call) (sql.Expression, error) {
	n, err := c.constant(1)
	if err != nil {
		return nil, err
	}
	i, err := small(n)
	t := c.nested(0)
	if err != nil || t == nil || t.Kind != nested.Struct || i >= len(t.Parts) {
		return nil, c.bad("%s is no struct of %d fields or more", c.args[0], i+1)
	}
	return c.part(t, i)
}

// makePositions gives the positions in an array or a map as a JSON array; outer
// gives -1 if there are none.
func makePositions(outer bool) maker {
	return func(c call) (sql.Expression, error) {
		if _, err := c.container(); err != nil {
			return nil, err
		}
		return c.lenient(types.LongText, func(_ *sql.Context, args []any) (any, error) {
			n := 0
			if v, ok := args[0].(*nested.Value); ok {
				n = len(v.Cells) / len(v.Type.Parts)
			}
			if n == 0 && outer {
				return "[-1]", nil
			}
			return positionsOf(n), nil
		})
	}
}

// makeExploded is the element of an array, or the key (0) or value (1) of a
// map's entry.
func makeExploded(kind nested.Kind, which int) maker {
	return func(c call) (sql.Expression, error) {
		t, err := c.container()
		if err != nil {
			return nil, err
		}
		if t.Kind != kind {
			return nil, argumentError("explode", "%s has another type: an array has one column, a map two, as in AS (key, value)", c.args[0])
		}
		return c.strict(t.Parts[which].SQL, func(_ *sql.Context, args []any) (any, error) {
			v, ok := args[0].(*nested.Value)
			if !ok {
				return nil, nil
			}
			i, err := small(args[1])
			if err != nil {
				return nil, err
			}
			if i = i*len(t.Parts) + which; i < 0 || i >= len(v.Cells) {
				return nil, nil
			}
			return v.Cells[i], nil
		})
	}
}

// makeTimestampLiteral makes a constant. Text without a zone is in the
// session's.
func makeTimestampLiteral(c call) (sql.Expression, error) {
	v, err := c.args[0].Eval(c.ctx, nil)
	if err != nil {
		return nil, err
	}
	zone, err := Zone(c.ctx)
	if err != nil {
		return nil, err
	}
	t, ok := parseTimestamp(text(v, nil), zone)
	if !ok {
		return nil, argumentError("TIMESTAMP", "%q is no timestamp; write it as 2026-01-31 12:30:00", text(v, nil))
	}
	return expression.NewLiteral(t, dateTime()), nil
}

func makeDateLiteral(c call) (sql.Expression, error) {
	v, err := c.args[0].Eval(c.ctx, nil)
	if err != nil {
		return nil, err
	}
	t, ok := parseDate(text(v, nil))
	if !ok {
		return nil, argumentError("DATE", "%q is no date; write it as 2026-01-31", text(v, nil))
	}
	return expression.NewLiteral(t, types.Date), nil
}
