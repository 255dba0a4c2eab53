package columnar

import (
	"errors"
	"math"
	"math/bits"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/functions"
)

// ErrUnsure says that a value is out of range or divided by zero. That is an
// error only if the row is wanted and so is the branch of a CASE that it is in:
// the engine must be asked for the whole result.
var ErrUnsure = errors.New("a value that may not be wanted cannot be computed")

// arithmetic is an operator on whole numbers or doubles.
func (c compiler) arithmetic(e *functions.Call) (compiled, bool) {
	op, left, right := e.Operator()
	if op == "" || !isNumber(left) || !isNumber(right) {
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
	switch t := e.Type(); {
	case t == types.Float64 && (op != "/" && op != "%" || c.unsure):
		return realArithmetic(op, asReal(l), asReal(r))
	case l.kind != whole || r.kind != whole || !c.unsure:
	case t == types.Int32:
		return wholeArithmetic(op, l, r, asInt32, math.MinInt32, math.MaxInt32)
	case t == types.Int64:
		return wholeArithmetic(op, l, r, asInt64, math.MinInt64, math.MaxInt64)
	}
	return compiled{}, false
}

func isNumber(e sql.Expression) bool {
	return types.IsInteger(e.Type()) || types.IsFloat(e.Type())
}

func realArithmetic(op string, l, r compiled) (compiled, bool) {
	var f func(a, b float64) float64
	switch op {
	case "+":
		f = func(a, b float64) float64 { return a + b }
	case "-":
		f = func(a, b float64) float64 { return a - b }
	case "*":
		f = func(a, b float64) float64 { return a * b }
	case "/":
		f = func(a, b float64) float64 { return a / b }
	case "%":
		f = math.Mod
	default:
		return compiled{}, false
	}
	divides := op == "/" || op == "%"
	return combine(real, asFloat64, l, r, func(out, a, b *vector, rows int) error {
		out.reals = resized(out.reals, rows)
		for i := range out.reals {
			if divides && b.reals[i] == 0 && !out.isNull(i) {
				return ErrUnsure
			}
			out.reals[i] = f(a.reals[i], b.reals[i])
		}
		return nil
	}), true
}

// wholeArithmetic has results from least to most.
func wholeArithmetic(op string, l, r compiled, as form, least, most int64) (compiled, bool) {
	var f func(a, b int64) (n int64, ok bool)
	switch op {
	case "+":
		f = func(a, b int64) (int64, bool) { return a + b, (a+b > a) == (b > 0) }
	case "-":
		f = func(a, b int64) (int64, bool) { return a - b, (a-b < a) == (b > 0) }
	case "*":
		f = product
	case "%":
		f = func(a, b int64) (int64, bool) {
			if b == 0 {
				return 0, false
			}
			return a % b, true
		}
	case "DIV":
		f = func(a, b int64) (int64, bool) {
			if b == 0 || b == -1 && a == math.MinInt64 {
				return 0, false
			}
			return a / b, true
		}
	default:
		return compiled{}, false
	}
	return combine(whole, as, l, r, func(out, a, b *vector, rows int) error {
		out.wholes = resized(out.wholes, rows)
		for i := range out.wholes {
			n, ok := f(a.wholes[i], b.wholes[i])
			if (!ok || n < least || n > most) && !out.isNull(i) {
				return ErrUnsure
			}
			out.wholes[i] = n
		}
		return nil
	}), true
}

// product is false if it does not fit.
func product(a, b int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	return a * b, high == 0 && low <= math.MaxInt64
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// combine is an expression of two others that is NULL if one of them is.
func combine(k kind, f form, l, r compiled, set func(out, a, b *vector, rows int) error) compiled {
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
		return &out, set(&out, in[0], in[1], b.rows)
	}}
}
