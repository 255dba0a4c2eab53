package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// mayHaveZeros says whether a negative zero may be in values of a type.
func mayHaveZeros(t sql.Type) bool { return types.IsFloat(t) || isNested(t) }

// unsignedZero is its argument with 0 for each negative zero.
type unsignedZero struct{ call }

func newUnsignedZero(e sql.Expression) sql.Expression {
	return &unsignedZero{call{"unsigned_zero", []sql.Expression{e}, e.Type()}}
}

// Eval implements sql.Expression.
func (z *unsignedZero) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := z.args[0].Eval(ctx, row)
	return nested.WithoutSign(value), err
}

// WithChildren implements sql.Expression.
func (z *unsignedZero) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(z, len(children), 1)
	}
	return newUnsignedZero(children[0]), nil
}

// unsignedRows are rows without negative zeros, which the engine tells from
// others.
type unsignedRows struct {
	sql.RowIter
	// columns is how many columns a row ends in, zeros which of them may have
	// zeros. A subquery's rows begin with those of the query around it.
	columns int
	zeros   []int
}

// unsigned is rows if the schema has nothing that may be a zero.
func unsigned(rows sql.RowIter, schema sql.Schema) sql.RowIter {
	u := &unsignedRows{RowIter: rows, columns: len(schema)}
	for i, c := range schema {
		if mayHaveZeros(c.Type) {
			u.zeros = append(u.zeros, i)
		}
	}
	if u.zeros == nil {
		return rows
	}
	return u
}

// Next implements sql.RowIter. A row may be another's too: it is not changed.
func (u *unsignedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := u.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	changed := make(sql.Row, len(row))
	copy(changed, row)
	for _, i := range u.zeros {
		at := len(row) - u.columns + i
		changed[at] = nested.WithoutSign(row[at])
	}
	return changed, nil
}
