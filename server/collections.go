package server

import (
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// element is x[k]: an element of a list, counted from 0, or the value of a map
// for a key. It is NULL when there is none.
type element struct {
	call
	of *nestedType
}

func newElement(args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 2 {
		return nil, sql.ErrInvalidArgumentNumber.New("element_at_index", 2, len(args))
	}
	if isOpen(args[0]) {
		return &element{call: call{"element_at_index", args, types.LongText}}, nil
	}
	t, ok := args[0].Type().(*nestedType)
	if !ok || t.kind == structKind {
		return nil, badArgument("element_at_index", "%s is a %s; only a map or an array has elements", args[0], args[0].Type())
	}
	return &element{call{"element_at_index", args, t.parts[len(t.parts)-1].sql}, t}, nil
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
	v, ok := container.(*nestedValue)
	if !ok || key == nil || e.of == nil {
		return nil, nil
	}
	if e.of.kind == listKind {
		n, _, err := types.Int64.Convert(ctx, key)
		if err != nil {
			return nil, err
		}
		if i, ok := n.(int64); ok && i >= 0 && i < int64(len(v.cells)) {
			return v.cells[i], nil
		}
		return nil, nil
	}
	keyType := e.of.parts[0].sql
	if key, _, err = keyType.Convert(ctx, key); err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(v.cells); i += 2 {
		n, err := keyType.Compare(ctx, v.cells[i], key)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return v.cells[i+1], nil
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
	of *nestedType
}

func newMapCall(args ...sql.Expression) (sql.Expression, error) {
	if len(args)%2 != 0 {
		return nil, badArgument("map", "keys and values must come in pairs: got %d arguments", len(args))
	}
	var keys, values []sql.Expression
	for i := 0; i < len(args); i += 2 {
		keys, values = append(keys, args[i]), append(values, args[i+1])
	}
	t := &nestedType{kind: mapKind, parts: []part{commonPart(keys), commonPart(values)}}
	return &collect{call{"map", args, t}, t}, nil
}

func newArrayCall(args ...sql.Expression) (sql.Expression, error) {
	t := &nestedType{kind: listKind, parts: []part{commonPart(args)}}
	return &collect{call{"array", args, t}, t}, nil
}

// commonPart is the type that all expressions have, text if they differ.
func commonPart(all []sql.Expression) part {
	text := part{types.LongText, iceberg.PrimitiveTypes.String}
	if len(all) == 0 || isOpen(all[0]) {
		return text
	}
	t := all[0].Type()
	for _, e := range all[1:] {
		if isOpen(e) || !types.TypesEqual(t, e.Type()) {
			return commonNumber(all, text)
		}
	}
	if types.Date.Equals(t) {
		return part{t, iceberg.PrimitiveTypes.Date}
	}
	if types.IsTextOnly(t) {
		return text
	}
	if types.IsInteger(t) {
		return commonNumber(all, text)
	}
	return part{t, iceberg.PrimitiveTypes.String}
}

// commonNumber is BIGINT if all expressions are whole numbers, else text.
func commonNumber(all []sql.Expression, text part) part {
	for _, e := range all {
		if isOpen(e) || !types.IsInteger(e.Type()) {
			return text
		}
	}
	return part{types.Int64, iceberg.PrimitiveTypes.Int64}
}

// Eval implements sql.Expression.
func (c *collect) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v := &nestedValue{typ: c.of, cells: make([]any, len(c.args))}
	for i, arg := range c.args {
		cell, err := arg.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		// TRUE is a number to the engine, but not to a person who reads it.
		if _, isBool := cell.(bool); isBool {
			v.cells[i] = cell
			continue
		}
		if cell != nil {
			if cell, _, err = c.of.partOf(i).sql.Convert(ctx, cell); err != nil {
				return nil, fmt.Errorf("%s: argument %d: %w", c.name, i+1, err)
			}
		} else if c.of.kind == mapKind && i%2 == 0 {
			return nil, wireError(badArgument("map", "a key must not be NULL"))
		}
		v.cells[i] = cell
	}
	return v, nil
}

// WithChildren implements sql.Expression.
func (c *collect) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if c.of.kind == mapKind {
		return newMapCall(children...)
	}
	return newArrayCall(children...)
}
