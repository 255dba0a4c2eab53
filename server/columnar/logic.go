package columnar

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// truth is a kernel whose values are true, false and NULL: set computes them for
// the rows of the operands' vectors.
func truth(set func(out *vector, rows int, in []*vector), operands ...compiled) compiled {
	var out vector
	kernels := make([]kernel, len(operands))
	for i, o := range operands {
		kernels[i] = o.eval
	}
	var nulls []bool
	return compiled{kind: whole, form: asBool, eval: func(b *batch) (*vector, error) {
		in, err := eval(b, kernels...)
		if err != nil {
			return nil, err
		}
		out.wholes = resized(out.wholes, b.rows)
		nulls = resized(nulls, b.rows)
		clear(nulls)
		out.null = nulls
		set(&out, b.rows, in)
		return &out, nil
	}}
}

func asWhole(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// logic is AND, or OR if all is false.
func (c compiler) logic(left, right sql.Expression, all bool) (compiled, bool) {
	l, ok := c.condition(left)
	if !ok {
		return compiled{}, false
	}
	r, ok := c.condition(right)
	if !ok {
		return compiled{}, false
	}
	return truth(func(out *vector, rows int, in []*vector) {
		for i := range rows {
			lnull, rnull := in[0].isNull(i), in[1].isNull(i)
			ltrue, rtrue := in[0].true(i), in[1].true(i)
			if all {
				out.wholes[i] = asWhole(ltrue && rtrue)
				out.null[i] = (lnull || rnull) && (lnull || ltrue) && (rnull || rtrue)
			} else {
				out.wholes[i] = asWhole(ltrue || rtrue)
				out.null[i] = (lnull || rnull) && !ltrue && !rtrue
			}
		}
	}, l, r), true
}

// condition compiles an expression whose values are whole numbers or NULL.
func (c compiler) condition(e sql.Expression) (compiled, bool) {
	x, ok := c.compile(e)
	if !ok {
		return compiled{}, false
	}
	switch x.kind {
	case whole:
		return x, true
	case nothing:
		return truth(func(out *vector, _ int, _ []*vector) {
			for i := range out.null {
				out.null[i] = true
			}
		}), true
	}
	return compiled{}, false
}

func (c compiler) not(child sql.Expression) (compiled, bool) {
	x, ok := c.condition(child)
	if !ok {
		return compiled{}, false
	}
	return truth(func(out *vector, rows int, in []*vector) {
		for i := range rows {
			out.wholes[i] = asWhole(in[0].wholes[i] == 0)
			out.null[i] = in[0].isNull(i)
		}
	}, x), true
}

func (c compiler) isNull(child sql.Expression) (compiled, bool) {
	x, ok := c.compile(child)
	if !ok {
		return compiled{}, false
	}
	return truth(func(out *vector, rows int, in []*vector) {
		for i := range rows {
			out.wholes[i] = asWhole(in[0].isNull(i))
		}
	}, x), true
}

func (c compiler) between(e *expression.Between) (compiled, bool) {
	return c.logic(expression.NewLessThanOrEqual(e.Lower, e.Val), expression.NewGreaterThanOrEqual(e.Upper, e.Val), true)
}

// like is LIKE with a constant pattern.
func (c compiler) like(e *expression.Like) (compiled, bool) {
	x, ok := c.compile(e.LeftChild)
	if !ok || x.kind != text || e.Escape != nil {
		return compiled{}, false
	}
	value, _ := Constant(c.ctx, e.RightChild)
	pattern, ok := value.(string)
	if !ok {
		return compiled{}, false
	}
	collation, _ := e.CollationCoercibility(c.ctx)
	matcher, err := expression.ConstructLikeMatcher(collation, pattern, '\\')
	if err != nil || collation == sql.Collation_Unspecified {
		return compiled{}, false
	}
	return truth(func(out *vector, rows int, in []*vector) {
		for i := range rows {
			if out.null[i] = in[0].isNull(i); !out.null[i] {
				out.wholes[i] = asWhole(matcher.Match(in[0].texts[i]))
			}
		}
	}, x), true
}
