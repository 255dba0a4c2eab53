package columnar

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// compare is a comparison; holds says for which orders it is true.
func (c compiler) compare(left, right sql.Expression, holds func(order int) bool) (compiled, bool) {
	l, ok := c.compile(left)
	if !ok {
		return compiled{}, false
	}
	r, ok := c.compile(right)
	if !ok {
		return compiled{}, false
	}
	if l, r, ok = c.comparable(left, right, l, r); !ok {
		return compiled{}, false
	}
	less, equal, greater := asWhole(holds(-1)), asWhole(holds(0)), asWhole(holds(1))
	results := [3]int64{less, equal, greater}
	return truth(func(out *vector, rows int, in []*vector) {
		a, b := in[0], in[1]
		for i := range rows {
			if a.isNull(i) || b.isNull(i) {
				out.null[i] = true
				continue
			}
			if l.kind == text {
				out.wholes[i] = results[1+order(a.texts[i], b.texts[i])]
			} else {
				out.wholes[i] = results[1+order(a.wholes[i], b.wholes[i])]
			}
		}
	}, l, r), true
}

// comparable gives both sides of a comparison the same kind, if the engine
// compares them as that kind is compared here. Doubles are compared by their
// keys.
func (c compiler) comparable(left, right sql.Expression, l, r compiled) (compiled, compiled, bool) {
	none := compiled{}
	switch {
	case l.kind == nothing || r.kind == nothing:
		return compiled{kind: whole, eval: allNull()}, compiled{kind: whole, eval: allNull()}, true
	case l.kind == whole && r.kind == whole:
		return l, r, types.IsInteger(left.Type()) && types.IsInteger(right.Type())
	case l.kind == text && r.kind == text:
		return l, r, Bytewise(c.ctx, left, right)
	case l.kind == moment && r.kind == moment:
		onlyDates := types.IsDateType(left.Type()) && types.IsDateType(right.Type())
		if !types.IsTime(left.Type()) || !types.IsTime(right.Type()) {
			return none, none, false
		}
		return atMidnight(l, onlyDates), atMidnight(r, onlyDates), true
	case l.kind == moment && r.kind == text:
		r, ok := c.textAsMoment(r, left.Type())
		return l, r, ok
	case l.kind == text && r.kind == moment:
		l, ok := c.textAsMoment(l, right.Type())
		return l, r, ok
	}
	return none, none, false
}

// Bytewise says whether two strings are compared byte by byte.
func Bytewise(ctx *sql.Context, left, right sql.Expression) bool {
	if !types.IsTextOnly(left.Type()) || !types.IsTextOnly(right.Type()) {
		return false
	}
	if types.TypesEqual(left.Type(), right.Type()) {
		return isBytewise(left.Type())
	}
	lc, ls := sql.GetCoercibility(ctx, left)
	rc, rs := sql.GetCoercibility(ctx, right)
	collation, _ := sql.ResolveCoercibility(lc, ls, rc, rs)
	return collation == sql.Collation_Default
}

// isBytewise says whether strings of a type are compared byte by byte.
func isBytewise(t sql.Type) bool {
	st, ok := t.(sql.StringType)
	return ok && types.IsTextOnly(t) && st.Collation() == sql.Collation_Default
}

// asReal is a number as a double.
func asReal(x compiled) compiled {
	if x.kind == real {
		return x
	}
	var out vector
	return compiled{kind: real, form: asFloat64, eval: func(b *batch) (*vector, error) {
		in, err := x.eval(b)
		if err != nil {
			return nil, err
		}
		out.null = in.null
		out.reals = resized(out.reals, b.rows)
		for i := range out.reals {
			out.reals[i] = float64(in.wholes[i])
		}
		return &out, nil
	}}
}

// atMidnight is a constant time as the engine compares it with a date, if both
// are dates. What is no constant is at midnight already.
func atMidnight(x compiled, onlyDates bool) compiled {
	at, ok := x.constant.(time.Time)
	if !ok || !onlyDates {
		return x
	}
	day, _ := constantOf(at.Truncate(24 * time.Hour))
	return day
}

// textAsMoment is a constant text as it is compared with a value of a type.
func (c compiler) textAsMoment(x compiled, with sql.Type) (compiled, bool) {
	value, ok := x.constant.(string)
	if !ok || !types.IsTime(with) {
		return compiled{}, false
	}
	at, _, err := types.DatetimeMaxPrecision.Convert(c.ctx, value)
	if err != nil || at == nil {
		return compiled{}, false
	}
	return constantOf(at)
}

// in is IN with constants.
func (c compiler) in(left, right sql.Expression) (compiled, bool) {
	x, ok := c.compile(left)
	tuple, isTuple := right.(expression.Tuple)
	if !ok || !isTuple {
		return compiled{}, false
	}
	var values constants
	for _, e := range tuple {
		if value, ok := Constant(c.ctx, e); !ok || !values.add(c.ctx, x.kind, left, e, value) {
			return compiled{}, false
		}
	}
	return truth(func(out *vector, rows int, in []*vector) {
		for i := range rows {
			if out.null[i] = in[0].isNull(i); out.null[i] {
				continue
			}
			found := false
			if x.kind == text {
				_, found = values.texts[in[0].texts[i]]
			} else {
				_, found = values.wholes[in[0].wholes[i]]
			}
			out.wholes[i] = asWhole(found)
			out.null[i] = !found && values.null
		}
	}, x), true
}

// constants are what IN looks among.
type constants struct {
	wholes map[int64]struct{}
	texts  map[string]struct{}
	null   bool
}

// add takes the value of e as the engine compares it with left, which is of
// kind k; false if that is not known here.
func (s *constants) add(ctx *sql.Context, k kind, left, e sql.Expression, value any) bool {
	if s.wholes == nil {
		s.wholes, s.texts = map[int64]struct{}{}, map[string]struct{}{}
	}
	if value == nil {
		s.null = true
		return true
	}
	x, ok := constantOf(value)
	switch {
	case k == moment && types.IsTime(left.Type()):
		at, _, err := left.Type().Promote().Convert(ctx, value)
		if x, ok = constantOf(at); err != nil || !ok || x.kind != moment {
			return false
		}
	case !ok || x.kind != k:
		return false
	case k == whole:
		if !types.IsInteger(left.Type()) || !types.IsInteger(e.Type()) {
			return false
		}
	case k == text:
		s.texts[value.(string)] = struct{}{}
		return isBytewise(left.Type()) && Bytewise(ctx, left, e)
	default:
		return false
	}
	v, err := x.eval(&batch{rows: 1})
	if err != nil {
		return false
	}
	s.wholes[v.wholes[0]] = struct{}{}
	return true
}
