package server

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// holdGroups counts the groups of a GROUP BY of the engine's own, and the values
// that an aggregate keeps. A zero is in one group with all zeros, whatever its
// sign.
func (b *builder) holdGroups(ctx *sql.Context, n *plan.GroupBy, row sql.Row) (sql.RowIter, error) {
	held := &heldGroups{budget: budgetOf(ctx), bytes: groupBytes * int64(1+len(n.SelectedExprs))}
	keys, signed := unsignedKeys(n.GroupByExprs)
	counted, changed := slices.Clone(n.SelectedExprs), signed != nil
	for i, e := range counted {
		if alias, ok := e.(*expression.Alias); signed[e.String()] || ok && signed[alias.Child.String()] {
			e, changed = newUnsignedZero(e), true
		}
		a, aggregates := e.(sql.Aggregation)
		if kept := held.keeping(e); kept != nil {
			a, aggregates, changed = kept, true, true
		}
		if i == 0 && len(n.GroupByExprs) > 0 {
			if !aggregates {
				a = aggregation.NewFirst(e)
			}
			a, aggregates, changed = &countedGroups{a, held}, true, true
		}
		counted[i] = e
		if aggregates {
			counted[i] = a
		}
	}
	if !changed {
		return nil, nil
	}
	rows, err := b.engineBuild(ctx, plan.NewGroupBy(counted, keys, n.Child), row, nil)
	if err != nil {
		return nil, err
	}
	held.RowIter = rows
	return held, nil
}

// unsignedKeys are keys with those replaced that may have negative zeros, and the texts of those that were.
func unsignedKeys(keys []sql.Expression) ([]sql.Expression, map[string]bool) {
	var signed map[string]bool
	replaced := slices.Clone(keys)
	for i, key := range keys {
		if !mayHaveZeros(key.Type()) {
			continue
		}
		if signed == nil {
			signed = map[string]bool{}
		}
		replaced[i] = newUnsignedZero(key)
		signed[key.String()] = true
	}
	return replaced, signed
}

// groupBytes is about what the engine takes for a group, and for each of its
// columns.
const groupBytes = 96

// heldGroups are the rows of a GROUP BY whose groups are counted.
type heldGroups struct {
	sql.RowIter
	budget *budget
	// bytes is what one group takes.
	bytes             int64
	taken, takenBytes int64
}

func (h *heldGroups) take(values, bytes int64) error {
	if values == 0 && bytes == 0 {
		return nil
	}
	h.taken += values
	h.takenBytes += bytes
	return h.budget.take("GROUP BY", values, bytes)
}

// Close implements sql.RowIter.
func (h *heldGroups) Close(ctx *sql.Context) error {
	h.budget.give(h.taken, h.takenBytes)
	h.taken, h.takenBytes = 0, 0
	return h.RowIter.Close(ctx)
}

// countedGroups is an aggregate that counts the groups it is asked for.
type countedGroups struct {
	sql.Aggregation
	held *heldGroups
}

// NewBuffer implements sql.Aggregation.
func (c *countedGroups) NewBuffer() (sql.AggregationBuffer, error) {
	if err := c.held.take(1, c.held.bytes); err != nil {
		return nil, err
	}
	return c.Aggregation.NewBuffer()
}

// keeping is e with what it keeps counted, nil if e keeps nothing.
func (h *heldGroups) keeping(e sql.Expression) sql.Aggregation {
	switch e := e.(type) {
	case *aggregation.JsonArray, *aggregation.JSONObjectAgg, *aggregation.GroupConcat:
		return &keptValues{e.(sql.Aggregation), h, everyRow}
	case *aggregation.CountDistinct:
		children := slices.Clone(e.Children())
		for i, child := range children {
			if mayHaveZeros(child.Type()) {
				children[i] = newUnsignedZero(child)
			}
		}
		return &keptValues{aggregation.NewCountDistinct(children...), h, distinctSoFar}
	case interface {
		sql.Aggregation
		Keeps() bool
	}:
		if e.Keeps() {
			return &keptValues{e, h, heldSoFar}
		}
	}
	return nil
}

// keptSoFar is how much a buffer keeps, to which row has just been added.
type keptSoFar func(ctx *sql.Context, of *keptBuffer, row sql.Row) (values, bytes int64, err error)

func everyRow(_ *sql.Context, of *keptBuffer, row sql.Row) (values, bytes int64, err error) {
	return of.values + 1, of.bytes + sizeOf(row), nil
}

func distinctSoFar(ctx *sql.Context, of *keptBuffer, _ sql.Row) (values, bytes int64, err error) {
	const hash = 16
	n, err := of.AggregationBuffer.Eval(ctx)
	values, _ = n.(int64)
	return values, values * hash, err
}

func heldSoFar(_ *sql.Context, of *keptBuffer, _ sql.Row) (values, bytes int64, err error) {
	if holder, ok := of.AggregationBuffer.(interface{ Held() (values, bytes int64) }); ok {
		values, bytes = holder.Held()
	}
	return values, bytes, nil
}

// keptValues is an aggregate that keeps values; it counts them.
type keptValues struct {
	sql.Aggregation
	held *heldGroups
	kept keptSoFar
}

// NewBuffer implements sql.Aggregation.
func (k *keptValues) NewBuffer() (sql.AggregationBuffer, error) {
	buffer, err := k.Aggregation.NewBuffer()
	return &keptBuffer{AggregationBuffer: buffer, of: k}, err
}

type keptBuffer struct {
	sql.AggregationBuffer
	of            *keptValues
	values, bytes int64
}

// Update implements sql.AggregationBuffer.
func (k *keptBuffer) Update(ctx *sql.Context, row sql.Row) error {
	if err := k.AggregationBuffer.Update(ctx, row); err != nil {
		return err
	}
	values, bytes, err := k.of.kept(ctx, k, row)
	if err != nil {
		return err
	}
	err = k.of.held.take(values-k.values, bytes-k.bytes)
	k.values, k.bytes = values, bytes
	return err
}
