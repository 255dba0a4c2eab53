package server

import (
	"slices"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// translator turns conditions of the engine on one table into Iceberg's.
type translator struct {
	ctx  *sql.Context
	tbl  *loaded
	zone *time.Location
}

// weaken returns a condition that every row meets that meets e. What has no
// translation is AlwaysTrue.
func (t translator) weaken(e sql.Expression) iceberg.BooleanExpression {
	switch e := e.(type) {
	case *expression.And:
		return iceberg.NewAnd(t.weaken(e.LeftChild), t.weaken(e.RightChild))
	case *expression.Or:
		return iceberg.NewOr(t.weaken(e.LeftChild), t.weaken(e.RightChild))
	case *expression.Equals:
		return t.compare(iceberg.OpEQ, e.Left(), e.Right())
	case *expression.LessThan:
		return t.compare(iceberg.OpLT, e.Left(), e.Right())
	case *expression.LessThanOrEqual:
		return t.compare(iceberg.OpLTEQ, e.Left(), e.Right())
	case *expression.GreaterThan:
		return t.compare(iceberg.OpGT, e.Left(), e.Right())
	case *expression.GreaterThanOrEqual:
		return t.compare(iceberg.OpGTEQ, e.Left(), e.Right())
	case *expression.Between:
		return iceberg.NewAnd(t.compare(iceberg.OpGTEQ, e.Val, e.Lower), t.compare(iceberg.OpLTEQ, e.Val, e.Upper))
	case *expression.InTuple:
		return t.in(e.Left(), e.Right())
	case *expression.HashInTuple:
		return t.in(e.Left(), e.Right())
	case *expression.IsNull:
		if f := t.column(e.Child); f != nil {
			return iceberg.IsNull(iceberg.Reference(f.Name))
		}
	case *expression.Not:
		if null, ok := e.Child.(*expression.IsNull); ok {
			if f := t.column(null.Child); f != nil {
				return iceberg.NotNull(iceberg.Reference(f.Name))
			}
		}
	}
	return iceberg.AlwaysTrue{}
}

// column is the column that e is, nil if it is none or of a type whose
// comparison in the engine is not Iceberg's.
func (t translator) column(e sql.Expression) *iceberg.NestedField {
	get, ok := e.(*expression.GetField)
	if !ok {
		return nil
	}
	i := t.tbl.column(get.Name())
	if i < 0 || i >= t.tbl.own || t.tbl.promoted(t.tbl.fields[i]) {
		return nil
	}
	switch t.tbl.fields[i].Type.(type) {
	case iceberg.Int32Type, iceberg.Int64Type, iceberg.StringType, iceberg.DateType, iceberg.TimestampType, iceberg.TimestampTzType:
		return &t.tbl.fields[i]
	}
	return nil
}

// promoted says whether a column had another type once: the library cannot read
// the bounds of files from then.
func (l *loaded) promoted(f iceberg.NestedField) bool {
	return slices.ContainsFunc(l.tbl.Metadata().Schemas(), func(s *iceberg.Schema) bool {
		was, ok := s.FindFieldByID(f.ID)
		return ok && !was.Type.Equals(f.Type)
	})
}

// compare translates a comparison of a column with a constant.
func (t translator) compare(op iceberg.Operation, left, right sql.Expression) iceberg.BooleanExpression {
	f := t.column(left)
	if f == nil {
		if f = t.column(right); f == nil {
			return iceberg.AlwaysTrue{}
		}
		op, right = op.FlipLR(), left
	}
	value, ok := t.constant(right)
	if !ok {
		return iceberg.AlwaysTrue{}
	}
	lit, slack := t.literal(f.Type, value)
	if lit == nil {
		return iceberg.AlwaysTrue{}
	}
	if slack == 0 {
		return iceberg.LiteralPredicate(op, iceberg.Reference(f.Name), lit)
	}
	return t.loose(op, f.Name, lit, slack)
}

// loose is a comparison with an instant that is known up to slack only.
func (t translator) loose(op iceberg.Operation, name string, lit iceberg.Literal, slack time.Duration) iceberg.BooleanExpression {
	at, ok := lit.(iceberg.TimestampLiteral)
	if !ok {
		return iceberg.AlwaysTrue{}
	}
	micros := iceberg.Timestamp(slack.Microseconds())
	low := iceberg.LiteralPredicate(iceberg.OpGTEQ, iceberg.Reference(name), iceberg.NewLiteral(at.Value()-micros))
	high := iceberg.LiteralPredicate(iceberg.OpLTEQ, iceberg.Reference(name), iceberg.NewLiteral(at.Value()+micros))
	switch op {
	case iceberg.OpLT, iceberg.OpLTEQ:
		return high
	case iceberg.OpGT, iceberg.OpGTEQ:
		return low
	case iceberg.OpEQ:
		return iceberg.NewAnd(low, high)
	}
	return iceberg.AlwaysTrue{}
}

// in translates column IN (constants).
func (t translator) in(left, right sql.Expression) iceberg.BooleanExpression {
	tuple, ok := right.(expression.Tuple)
	if !ok || len(tuple) > 1000 {
		return iceberg.AlwaysTrue{}
	}
	var either iceberg.BooleanExpression = iceberg.AlwaysFalse{}
	for _, e := range tuple {
		either = iceberg.NewOr(either, t.compare(iceberg.OpEQ, left, e))
	}
	return either
}

// constant is the value of an expression that has the same one for every row.
func (t translator) constant(e sql.Expression) (any, bool) {
	if varies(e, func(*expression.GetField) bool { return true }) {
		return nil, false
	}
	value, err := e.Eval(t.ctx, nil)
	return value, err == nil && value != nil
}

// varies says whether an expression may have another value each time, or may be
// unknown before the query runs. field says so of columns.
func varies(e sql.Expression, field func(*expression.GetField) bool) bool {
	return transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			return field(e)
		case *plan.Subquery, *expression.BindVar, *expression.UserVar, *expression.ProcedureParam:
			return true
		case sql.NonDeterministicExpression:
			return e.IsNonDeterministic()
		}
		return false
	})
}

// literal is value as a literal of Iceberg type typ, nil if a comparison with
// it would not be Iceberg's. An instant from a wall clock that may occur twice
// is off by slack at most.
func (t translator) literal(typ iceberg.Type, value any) (lit iceberg.Literal, slack time.Duration) {
	switch typ.(type) {
	case iceberg.Int32Type, iceberg.Int64Type:
		n, ok := wholeNumber(value)
		if !ok {
			return nil, 0
		}
		return iceberg.NewLiteral(n), 0
	case iceberg.StringType:
		if s, ok := value.(string); ok {
			return iceberg.NewLiteral(s), 0
		}
		return nil, 0
	}
	converted, _, err := types.DatetimeMaxPrecision.Convert(t.ctx, value)
	at, ok := converted.(time.Time)
	if err != nil || !ok {
		return nil, 0
	}
	switch typ.(type) {
	case iceberg.DateType:
		if at.Truncate(24*time.Hour) != at {
			return nil, 0
		}
		return iceberg.NewLiteral(iceberg.Date(at.Unix() / (24 * 60 * 60))), 0
	case iceberg.TimestampTzType:
		at = instant(at, t.zone)
		if t.zone != time.UTC {
			slack = 24 * time.Hour
		}
	}
	return iceberg.NewLiteral(iceberg.Timestamp(at.UnixMicro())), slack
}

func wholeNumber(value any) (int64, bool) {
	switch v := value.(type) {
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	}
	return 0, false
}
