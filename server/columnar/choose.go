package columnar

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/functions"
)

// arithmetic is +, - and * of doubles, or of doubles and whole numbers. Of whole
// numbers alone it may be out of range, which must not matter in a branch of a
// CASE that is not taken: the engine computes these.
func (c compiler) arithmetic(e *functions.Call) (compiled, bool) {
	op, left, right := e.Operator()
	f := operation(op)
	if f == nil || e.Type() != types.Float64 || !isNumber(left) || !isNumber(right) {
		return compiled{}, false
	}
	l, ok := c.compile(left)
	if !ok || l.kind != real && l.kind != whole {
		return compiled{}, false
	}
	r, ok := c.compile(right)
	if !ok || r.kind != real && r.kind != whole {
		return compiled{}, false
	}
	return combine(real, asFloat64, asReal(l), asReal(r), func(out, a, b *vector, rows int) {
		out.reals = resized(out.reals, rows)
		for i := range out.reals {
			out.reals[i] = f(a.reals[i], b.reals[i])
		}
	}), true
}

func isNumber(e sql.Expression) bool {
	return types.IsInteger(e.Type()) || types.IsFloat(e.Type())
}

func operation(op string) func(a, b float64) float64 {
	switch op {
	case "+":
		return func(a, b float64) float64 { return a + b }
	case "-":
		return func(a, b float64) float64 { return a - b }
	case "*":
		return func(a, b float64) float64 { return a * b }
	}
	return nil
}

// combine is an expression of two others that is NULL if one of them is.
func combine(k kind, f form, l, r compiled, set func(out, a, b *vector, rows int)) compiled {
	var out vector
	var nulls []bool
	return compiled{kind: k, form: f, eval: func(b *batch) (*vector, error) {
		in, err := eval(b, l.eval, r.eval)
		if err != nil {
			return nil, err
		}
		out.null = nil
		if in[0].null != nil || in[1].null != nil {
			nulls = resized(nulls, b.rows)
			for i := range nulls {
				nulls[i] = in[0].isNull(i) || in[1].isNull(i)
			}
			out.null = nulls
		}
		set(&out, in[0], in[1], b.rows)
		return &out, nil
	}}
}

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
