package shell

import (
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// Result is what a statement returned.
type Result struct {
	Columns []Column
	Rows    [][]Cell
	// Warnings are the texts of the warnings that the statement left.
	Warnings []string
}

// Column is a column of a Result.
type Column struct {
	Name string
	Kind Kind
}

// Kind is how the text of a column's cells is to be read.
type Kind int

// The kinds of columns.
const (
	KindText Kind = iota
	KindNumber
	KindJSON
)

// Cell is a value as the server sent it.
type Cell struct {
	Text string
	Null bool
}

// String is the text, or NULL.
func (c Cell) String() string {
	if c.Null {
		return "NULL"
	}
	return c.Text
}

func newResult(from *sqltypes.Result) Result {
	var r Result
	for _, field := range from.Fields {
		r.Columns = append(r.Columns, Column{Name: field.Name, Kind: kindOf(field.Type)})
	}
	for _, values := range from.Rows {
		row := make([]Cell, len(values))
		for i, v := range values {
			row[i] = Cell{Text: v.ToString(), Null: v.IsNull()}
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func kindOf(t querypb.Type) Kind {
	switch {
	case sqltypes.IsIntegral(t), sqltypes.IsFloat(t), t == sqltypes.Decimal:
		return KindNumber
	case t == sqltypes.TypeJSON:
		return KindJSON
	}
	return KindText
}
