package server

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// element is x[k]: an element of a list, counted from 0, or the value of a map
// for a key. It is NULL when there is none.
type element struct {
	call
	of *nested.Type
}

func newElement(args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 2 {
		return nil, sql.ErrInvalidArgumentNumber.New("element_at_index", 2, len(args))
	}
	if isOpen(args[0]) {
		return &element{call: call{"element_at_index", args, types.LongText}}, nil
	}
	t, ok := args[0].Type().(*nested.Type)
	if !ok || t.Kind == nested.Struct {
		return nil, badArgument("element_at_index", "%s is a %s; only a map or an array has elements", args[0], args[0].Type())
	}
	return &element{call{"element_at_index", args, t.Parts[len(t.Parts)-1].SQL}, t}, nil
}

// Eval implements sql.Expression.
func (e *element) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	container, err := e.args[0].Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	key, err := e.args[1].Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	v, ok := container.(*nested.Value)
	if !ok || key == nil || e.of == nil {
		return nil, nil
	}
	if e.of.Kind == nested.List {
		n, _, err := types.Int64.Convert(ctx, key)
		if err != nil {
			return nil, err
		}
		if i, ok := n.(int64); ok && i >= 0 && i < int64(len(v.Cells)) {
			return v.Cells[i], nil
		}
		return nil, nil
	}
	keyType := e.of.Parts[0].SQL
	if key, _, err = keyType.Convert(ctx, key); err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(v.Cells); i += 2 {
		n, err := keyType.Compare(ctx, v.Cells[i], key)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return v.Cells[i+1], nil
		}
	}
	return nil, nil
}

// WithChildren implements sql.Expression.
func (e *element) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return newElement(children...)
}

// collect is map(k, v, …) or array(x, …).
type collect struct {
	call
	of *nested.Type
}

func newMapCall(args ...sql.Expression) (sql.Expression, error) {
	if len(args)%2 != 0 {
		return nil, badArgument("map", "keys and values must come in pairs: got %d arguments", len(args))
	}
	var keys, values []sql.Expression
	for i := 0; i < len(args); i += 2 {
		keys, values = append(keys, args[i]), append(values, args[i+1])
	}
	t := nested.MapOf(commonType(keys), commonType(values))
	return &collect{call{"map", args, t}, t}, nil
}

func newArrayCall(args ...sql.Expression) (sql.Expression, error) {
	t := nested.ListOf(commonType(args))
	return &collect{call{"array", args, t}, t}, nil
}

// commonType is the type that all expressions have, text if they differ.
func commonType(all []sql.Expression) sql.Type {
	if len(all) == 0 || isOpen(all[0]) {
		return types.LongText
	}
	t := all[0].Type()
	for _, e := range all[1:] {
		if isOpen(e) || !types.TypesEqual(t, e.Type()) {
			return commonNumber(all)
		}
	}
	switch {
	case types.IsTextOnly(t):
		return types.LongText
	case types.IsInteger(t):
		return commonNumber(all)
	}
	return t
}

// commonNumber is BIGINT if all expressions are whole numbers, else text.
func commonNumber(all []sql.Expression) sql.Type {
	for _, e := range all {
		if isOpen(e) || !types.IsInteger(e.Type()) {
			return types.LongText
		}
	}
	return types.Int64
}

// Eval implements sql.Expression.
func (c *collect) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v := &nested.Value{Type: c.of, Cells: make([]any, len(c.args))}
	for i, arg := range c.args {
		cell, err := arg.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		// TRUE is a number to the engine, but not to a person who reads it.
		if _, isBool := cell.(bool); isBool {
			v.Cells[i] = cell
			continue
		}
		if cell != nil {
			if cell, _, err = c.of.PartOf(i).SQL.Convert(ctx, cell); err != nil {
				return nil, fmt.Errorf("%s: argument %d: %w", c.name, i+1, err)
			}
		} else if c.of.Kind == nested.Map && i%2 == 0 {
			return nil, wireError(badArgument("map", "a key must not be NULL"))
		}
		v.Cells[i] = cell
	}
	return v, nil
}

// WithChildren implements sql.Expression.
func (c *collect) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if c.of.Kind == nested.Map {
		return newMapCall(children...)
	}
	return newArrayCall(children...)
}
