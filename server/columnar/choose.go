package columnar

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// choose is CASE.
func (c compiler) choose(e *expression.Case) (compiled, bool) {
	var conditions, values []compiled
	for _, branch := range e.Branches {
		condition := branch.Cond
		if e.Expr != nil {
			condition = expression.NewEquals(e.Expr, branch.Cond)
		}
		when, ok := c.condition(condition)
		if !ok {
			return compiled{}, false
		}
		then, ok := c.compile(branch.Value)
		if !ok {
			return compiled{}, false
		}
		conditions, values = append(conditions, when), append(values, then)
	}
	otherwise, _ := constantOf(nil)
	if e.Else != nil {
		var ok bool
		if otherwise, ok = c.compile(e.Else); !ok {
			return compiled{}, false
		}
	}
	values = append(values, otherwise)
	k, form := kindOfCase(e.Type())
	if k == opaque {
		return compiled{}, false
	}
	for i, v := range values {
		switch {
		case v.kind == k || v.kind == nothing:
		case k == real && v.kind == whole:
			values[i] = asReal(v)
		default:
			return compiled{}, false
		}
	}
	return firstOf(k, form, conditions, values), true
}

// kindOfCase is how the values of CASE are held, which are converted to its type.
func kindOfCase(t sql.Type) (kind, form) {
	switch t {
	case types.Int64:
		return whole, asInt64
	case types.Float64:
		return real, asFloat64
	case types.LongText:
		return text, asString
	}
	return opaque, mixed
}

// coalesce is the first of all that is not NULL. Only CASE never makes an INT.
func (c compiler) coalesce(t sql.Type, all []sql.Expression) (compiled, bool) {
	k, form := kindOfCase(t)
	if t == types.Int32 {
		k, form = whole, asInt32
	}
	if k == opaque {
		return compiled{}, false
	}
	var conditions, values []compiled
	for _, e := range all {
		x, ok := c.compile(e)
		switch {
		case !ok:
			return compiled{}, false
		case k == real && x.kind == whole && isNumber(e):
			x = asReal(x)
		case x.kind == k && k != whole || x.kind == nothing:
		case x.kind == k && types.IsInteger(e.Type()):
		default:
			return compiled{}, false
		}
		found := x
		conditions = append(conditions, truth(func(out *vector, rows int, in []*vector) {
			for i := range rows {
				out.wholes[i] = asWhole(!in[0].isNull(i))
			}
		}, found))
		values = append(values, x)
	}
	none, _ := constantOf(nil)
	return firstOf(k, form, conditions, append(values, none)), true
}

// ifElse is IF, whose values are those of its branches as they are.
func (c compiler) ifElse(e *function.If) (compiled, bool) {
	children := e.Children()
	when, ok := c.condition(children[0])
	if !ok {
		return compiled{}, false
	}
	a, ok := c.compile(children[1])
	if !ok {
		return compiled{}, false
	}
	b, ok := c.compile(children[2])
	switch {
	case !ok || a.kind == opaque || b.kind == opaque:
	case a.kind == nothing:
		return firstOf(b.kind, b.form, []compiled{when}, []compiled{a, b}), true
	case b.kind == nothing || a.kind == b.kind && a.form == b.form:
		return firstOf(a.kind, a.form, []compiled{when}, []compiled{a, b}), true
	case a.kind == b.kind:
		return firstOf(a.kind, mixed, []compiled{when}, []compiled{a, b}), true
	}
	return compiled{}, false
}

// firstOf has the value whose condition is the first that is true, else the
// last.
func firstOf(k kind, f form, conditions, values []compiled) compiled {
	var out vector
	kernels := make([]kernel, 0, len(conditions)+len(values))
	for _, x := range append(slices.Clone(conditions), values...) {
		kernels = append(kernels, x.eval)
	}
	var nulls []bool
	return compiled{kind: k, form: f, eval: func(b *batch) (*vector, error) {
		in, err := eval(b, kernels...)
		if err != nil {
			return nil, err
		}
		when, then := in[:len(conditions)], in[len(conditions):]
		nulls = resized(nulls, b.rows)
		out.null = nulls
		out.prepare(k, b.rows)
		for i := range b.rows {
			j := 0
			for j < len(when) && !when[j].true(i) {
				j++
			}
			if nulls[i] = then[j].isNull(i); nulls[i] {
				continue
			}
			switch k {
			case real:
				out.reals[i] = then[j].reals[i]
			case text:
				out.texts[i] = then[j].texts[i]
			default:
				out.wholes[i] = then[j].wholes[i]
			}
		}
		return &out, nil
	}}
}
