package server

import (
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/columnar"
	"github.com/firndb/firn/server/functions"
)

// translator turns conditions of the engine on one table into Iceberg's.
type translator struct {
	ctx  *sql.Context
	tbl  *loaded
	zone *time.Location
	// name is what expressions call the table.
	name string
	// nested: fields of structs can be named. Where they can, text is the same
	// whatever its case, so that its order is not what it is here.
	nested bool
}

// term is what a condition is about.
type term struct {
	name string
	typ  iceberg.Type
}

func (t term) ref() iceberg.Reference { return iceberg.Reference(t.name) }

// weaken returns a condition that every row meets that meets e. What has no
// translation is AlwaysTrue.
func (t translator) weaken(e sql.Expression) iceberg.BooleanExpression {
	switch e := e.(type) {
	case *expression.And:
		return iceberg.NewAnd(t.weaken(e.LeftChild), t.weaken(e.RightChild))
	case *expression.Or:
		return iceberg.NewOr(t.weaken(e.LeftChild), t.weaken(e.RightChild))
	case *expression.Not:
		return t.weakenNot(e.Child)
	case *expression.Between:
		return iceberg.NewAnd(t.compare(iceberg.OpGTEQ, e.Val, e.Lower), t.compare(iceberg.OpLTEQ, e.Val, e.Upper))
	case *expression.InTuple:
		return t.in(e.Left(), e.Right())
	case *expression.HashInTuple:
		return t.in(e.Left(), e.Right())
	case *expression.Like:
		return t.like(e)
	case *expression.IsNull:
		if f, ok := t.term(e.Child); ok {
			return iceberg.IsNull(f.ref())
		}
	case expression.Comparer:
		if op, ok := operationOf(e); ok {
			return t.compare(op, e.Left(), e.Right())
		}
	}
	return iceberg.AlwaysTrue{}
}

// weakenNot is weaken of NOT e. A row for which e is NULL is not wanted either.
func (t translator) weakenNot(e sql.Expression) iceberg.BooleanExpression {
	switch e := e.(type) {
	case *expression.And:
		return iceberg.NewOr(t.weakenNot(e.LeftChild), t.weakenNot(e.RightChild))
	case *expression.Or:
		return iceberg.NewAnd(t.weakenNot(e.LeftChild), t.weakenNot(e.RightChild))
	case *expression.Not:
		return t.weaken(e.Child)
	case *expression.Between:
		return iceberg.NewOr(t.compare(iceberg.OpLT, e.Val, e.Lower), t.compare(iceberg.OpGT, e.Val, e.Upper))
	case *expression.IsNull:
		if f, ok := t.term(e.Child); ok {
			return iceberg.NotNull(f.ref())
		}
	case expression.Comparer:
		if op, ok := operationOf(e); ok {
			return t.compare(op.Negate(), e.Left(), e.Right())
		}
	}
	return iceberg.AlwaysTrue{}
}

// operationOf is the operation of a comparison of two values.
func operationOf(e expression.Comparer) (iceberg.Operation, bool) {
	switch e.(type) {
	case *expression.Equals:
		return iceberg.OpEQ, true
	case *expression.LessThan:
		return iceberg.OpLT, true
	case *expression.LessThanOrEqual:
		return iceberg.OpLTEQ, true
	case *expression.GreaterThan:
		return iceberg.OpGT, true
	case *expression.GreaterThanOrEqual:
		return iceberg.OpGTEQ, true
	}
	return 0, false
}

// term is the column, or the field nested in one, that e is; false if it is
// none, or of a type whose comparison in the engine is not Iceberg's.
func (t translator) term(e sql.Expression) (term, bool) {
	path, typ := t.tbl.pathOf(e, t.name)
	if path == nil || len(path) > 1 && !t.nested {
		return term{}, false
	}
	if i := t.tbl.column(path[0]); !t.nested && (i >= t.tbl.own || t.tbl.promoted(t.tbl.fields[i])) {
		return term{}, false
	}
	switch typ.(type) {
	case iceberg.Int32Type, iceberg.Int64Type, iceberg.StringType, iceberg.DateType, iceberg.TimestampType, iceberg.TimestampTzType:
		return term{strings.Join(path, "."), typ}, true
	}
	return term{}, false
}

// promoted says whether a column had another type once: the library cannot read
// the bounds of files from then.
func (l *loaded) promoted(f iceberg.NestedField) bool {
	return slices.ContainsFunc(l.tbl.Metadata().Schemas(), func(s *iceberg.Schema) bool {
		was, ok := s.FindFieldByID(f.ID)
		return ok && !was.Type.Equals(f.Type)
	})
}

// pathOf is the column of the table, or the field nested in one, that e is; nil
// if it is none. The table is known by name in expressions.
func (l *loaded) pathOf(e sql.Expression, name string) (path []string, typ iceberg.Type) {
	switch e := e.(type) {
	case *expression.GetField:
		i := l.column(e.Name())
		if i < 0 || !strings.EqualFold(e.Table(), name) {
			return nil, nil
		}
		return []string{l.fields[i].Name}, l.fields[i].Type
	case *functions.Call:
		of, index, ok := e.Field()
		if !ok {
			return nil, nil
		}
		path, typ := l.pathOf(of, name)
		st, ok := typ.(*iceberg.StructType)
		if !ok || index >= len(st.FieldList) {
			return nil, nil
		}
		f := st.FieldList[index]
		return append(path, f.Name), f.Type
	}
	return nil, nil
}

// compare translates a comparison of a term with a constant.
func (t translator) compare(op iceberg.Operation, left, right sql.Expression) iceberg.BooleanExpression {
	f, ok := t.term(left)
	if !ok {
		if f, ok = t.term(right); !ok {
			return iceberg.AlwaysTrue{}
		}
		op, left, right = flipped(op), right, left
	}
	if _, text := f.typ.(iceberg.StringType); text {
		if !columnar.Bytewise(t.ctx, left, right) || t.nested && op != iceberg.OpEQ {
			return iceberg.AlwaysTrue{}
		}
	}
	value, ok := columnar.Constant(t.ctx, right)
	if !ok || value == nil {
		return iceberg.AlwaysTrue{}
	}
	lit, slack := t.literal(f.typ, value)
	switch {
	case lit == nil:
		return iceberg.AlwaysTrue{}
	case slack == 0:
		return iceberg.LiteralPredicate(op, f.ref(), lit)
	}
	return t.loose(op, f.name, lit, slack)
}

// flipped is the operation with its sides exchanged.
func flipped(op iceberg.Operation) iceberg.Operation {
	if op == iceberg.OpEQ || op == iceberg.OpNEQ {
		return op
	}
	return op.FlipLR()
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

// in translates term IN (constants).
func (t translator) in(left, right sql.Expression) iceberg.BooleanExpression {
	tuple, ok := right.(expression.Tuple)
	if !ok || len(tuple) > 1000 {
		return iceberg.AlwaysTrue{}
	}
	var either iceberg.BooleanExpression = iceberg.AlwaysFalse{}
	for _, e := range tuple {
		if lit, ok := e.(*expression.Literal); ok && lit.Value() == nil {
			// No value is NULL's equal.
			continue
		}
		either = iceberg.NewOr(either, t.compare(iceberg.OpEQ, left, e))
	}
	return either
}

// like translates LIKE by the part of the pattern before its first wildcard.
func (t translator) like(e *expression.Like) iceberg.BooleanExpression {
	f, ok := t.term(e.LeftChild)
	if _, text := f.typ.(iceberg.StringType); !ok || !text || e.Escape != nil || !columnar.Bytewise(t.ctx, e.LeftChild, e.RightChild) {
		return iceberg.AlwaysTrue{}
	}
	value, _ := columnar.Constant(t.ctx, e.RightChild)
	pattern, ok := value.(string)
	if !ok {
		return iceberg.AlwaysTrue{}
	}
	if end := strings.IndexAny(pattern, `%_\`); end >= 0 {
		pattern = pattern[:end]
	}
	if pattern == "" {
		return iceberg.AlwaysTrue{}
	}
	return iceberg.StartsWith(f.ref(), pattern)
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
