package server

import (
	"math"
	"slices"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/firndb/firn/server/functions"
)

// Doubles from smallest to below largest, whatever their sign, are shown
// without an exponent, as MySQL does.
const (
	smallestPlain = 1e-5
	largestPlain  = 1e15
)

// plainFloat is the text of a FLOAT or DOUBLE as it is shown: with the fewest
// digits that make the same number, the infinities as Spark writes them.
func plainFloat(t sqltypes.Value) sqltypes.Value {
	bits := 64
	if t.Type() == sqltypes.Float32 {
		bits = 32
	}
	f, err := strconv.ParseFloat(t.ToString(), bits)
	if err != nil {
		return t
	}
	return sqltypes.MakeTrusted(t.Type(), appendShown(nil, f, bits))
}

func appendShown(dest []byte, f float64, bits int) []byte {
	size := math.Abs(f)
	switch {
	case math.IsInf(f, 1):
		return append(dest, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dest, "-Infinity"...)
	case size >= smallestPlain && size < largestPlain:
		return strconv.AppendFloat(dest, f, 'f', -1, bits)
	}
	return strconv.AppendFloat(dest, f, 'g', -1, bits)
}

// sentFloat is FLOAT in a result. The engine's makes the largest number of an
// infinite one when it is sent.
type sentFloat struct{ sql.NumberType }

// SQL implements sql.Type.
func (t sentFloat) SQL(ctx *sql.Context, dest []byte, v any) (sqltypes.Value, error) {
	if f, ok := v.(float32); ok && math.IsInf(float64(f), 0) {
		return sqltypes.MakeTrusted(sqltypes.Float32, appendShown(dest, float64(f), 32)), nil
	}
	return t.NumberType.SQL(ctx, dest, v)
}

// Equals implements sql.Type: the engine leaves out a projection that changes
// nothing, which this does.
func (t sentFloat) Equals(other sql.Type) bool {
	_, ok := other.(sentFloat)
	return ok
}

// sendFloats gives the FLOAT columns of a query's result the type that sends
// all their values. Within the query they are the engine's, which knows its own
// types only.
func sendFloats(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return sendFrom(n, sentFloat{types.Float32})
}

// sendFrom changes the projection at the top of n, below what only chooses or
// orders rows.
func sendFrom(n sql.Node, t sentFloat) (sql.Node, transform.TreeIdentity, error) {
	switch n := n.(type) {
	case *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.Distinct, *plan.Having, *plan.SetOp:
		children := slices.Clone(n.Children())
		changed := false
		for i, child := range children {
			sent, same, err := sendFrom(child, t)
			if err != nil {
				return nil, transform.SameTree, err
			}
			children[i], changed = sent, changed || same == transform.NewTree
		}
		if !changed {
			return n, transform.SameTree, nil
		}
		sent, err := n.WithChildren(children...)
		return sent, transform.NewTree, err
	case *plan.Project:
		columns := slices.Clone(n.Projections)
		changed := false
		for i, e := range columns {
			var sent bool
			columns[i], sent = sendColumn(e, t)
			changed = changed || sent
		}
		if !changed {
			return n, transform.SameTree, nil
		}
		sent, err := n.WithExpressions(columns...)
		return sent, transform.NewTree, err
	}
	return n, transform.SameTree, nil
}

// sendColumn gives a column of a result type t if it is a FLOAT.
func sendColumn(e sql.Expression, t sentFloat) (sql.Expression, bool) {
	switch e := e.(type) {
	case *expression.Alias:
		child, ok := sendColumn(e.Child, t)
		if !ok {
			return e, false
		}
		sent, err := e.WithChildren(child)
		return sent, err == nil
	case *expression.GetField:
		if e.Type() != types.Float32 {
			return e, false
		}
		field := expression.NewGetFieldWithTable(e.Index(), int(e.TableId()), t, e.Database(), e.Table(), e.Name(), e.IsNullable())
		return field.WithId(e.Id()), true
	case *expression.Literal:
		if e.Type() == types.Float32 {
			return expression.NewLiteral(e.Value(), t), true
		}
	case *functions.Call:
		if e.Type() == types.Float32 {
			return e.WithType(t), true
		}
	}
	return e, false
}
