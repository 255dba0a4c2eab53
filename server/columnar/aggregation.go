package columnar

import (
	"bytes"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
)

// Aggregation computes a GROUP BY. It is for one goroutine.
type Aggregation struct {
	filter  *Filter
	keys    []keyPart
	columns []accumulator

	groups map[string]int32
	count  int
	bytes  int64
	// of are the groups of the selected rows of a batch; key and last are the
	// keys of the row and of the one before.
	of        []int32
	key, last []byte
	lastGroup int32
}

// NewAggregation prepares for the rows that meet all conditions: selected are
// the columns of the result, keys what they are grouped by; without keys all
// rows, even none, are one group. It returns false if an expression is not known
// here.
func NewAggregation(ctx *sql.Context, src Source, conditions, selected, keys []sql.Expression) (*Aggregation, bool) {
	if len(keys) == 0 && !aggregates(selected) {
		return nil, false
	}
	c := compiler{ctx: ctx, src: src, unsure: true}
	filter, ok := c.filter(conditions)
	if !ok {
		return nil, false
	}
	a := &Aggregation{filter: filter, groups: map[string]int32{}}
	for _, e := range keys {
		parts, ok := c.keyParts(e)
		if !ok {
			return nil, false
		}
		a.keys = append(a.keys, parts...)
	}
	for _, e := range selected {
		column, ok := c.accumulator(e)
		if !ok {
			return nil, false
		}
		a.columns = append(a.columns, column)
	}
	if len(keys) == 0 {
		a.grow(1)
	}
	return a, true
}

// aggregates says whether an expression combines rows. Where none but ANY_VALUE
// does, the engine returns every row.
func aggregates(selected []sql.Expression) bool {
	for _, e := range selected {
		if alias, ok := e.(*expression.Alias); ok {
			e = alias.Child
		}
		_, any := e.(*aggregation.AnyValue)
		if _, ok := e.(sql.Aggregation); ok && !any {
			return true
		}
	}
	return false
}

func (a *Aggregation) grow(groups int) {
	a.count = groups
	for _, column := range a.columns {
		column.grow(groups)
	}
}

// Add takes the rows of a batch, which must stay for the call only.
func (a *Aggregation) Add(record arrow.RecordBatch) error {
	b := &batch{record: record, rows: int(record.NumRows())}
	rows, err := a.filter.rows(b)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := a.group(b, rows); err != nil {
		return err
	}
	for _, column := range a.columns {
		if err := column.add(members{b, rows, a.of}); err != nil {
			return err
		}
	}
	return nil
}

// group finds the groups of rows.
func (a *Aggregation) group(b *batch, rows []int32) error {
	a.of = resized(a.of, len(rows))
	if len(a.keys) == 0 {
		clear(a.of)
		return nil
	}
	for _, part := range a.keys {
		if err := part.load(b); err != nil {
			return err
		}
	}
	before := a.count
	for i, row := range rows {
		a.key = a.key[:0]
		for _, part := range a.keys {
			a.key = part.append(a.key, int(row))
		}
		if a.count == 0 || !bytes.Equal(a.key, a.last) {
			a.lastGroup = a.find()
			a.key, a.last = a.last, a.key
		}
		a.of[i] = a.lastGroup
	}
	if a.count > before {
		a.grow(a.count)
	}
	return nil
}

// find is the group of key, a new one if there is none.
func (a *Aggregation) find() int32 {
	g, ok := a.groups[string(a.key)]
	if !ok {
		g = int32(min(a.count, math.MaxInt32))
		a.groups[string(a.key)] = g
		a.count++
		a.bytes += int64(len(a.key))
	}
	return g
}

// heldBytes is about what one value takes that is kept.
const heldBytes = 48

// Held is how many groups and values are kept, and about how many bytes they
// take.
func (a *Aggregation) Held() (values, bytes int64) {
	values = int64(a.count)
	for _, column := range a.columns {
		values += int64(column.held())
	}
	return values, a.bytes + values*heldBytes*int64(1+len(a.columns))
}

// OnlyCounts says whether the result is nothing but the number of all rows.
func (a *Aggregation) OnlyCounts() bool {
	if len(a.keys) > 0 || len(a.filter.conditions) > 0 {
		return false
	}
	for _, column := range a.columns {
		if c, ok := column.(*counts); !ok || c.x != nil {
			return false
		}
	}
	return true
}

// AddCount takes n rows at once, of which only the number matters.
func (a *Aggregation) AddCount(n int64) {
	for _, column := range a.columns {
		if c, ok := column.(*counts); ok {
			c.totals[0] += n
		}
	}
}

// Groups is how many rows the result has.
func (a *Aggregation) Groups() int { return a.count }

// Row is a row of the result, in the order in which groups were first seen.
func (a *Aggregation) Row(group int) (sql.Row, error) {
	row := make(sql.Row, len(a.columns))
	for i, column := range a.columns {
		value, err := column.value(group)
		if err != nil {
			return nil, err
		}
		row[i] = value
	}
	return row, nil
}
