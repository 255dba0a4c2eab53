package columnar

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
)

// FloatKey is an expression whose values are the [OrderedBits] of another's.
type FloatKey interface {
	sql.Expression
	// Keyed is that other expression.
	Keyed() sql.Expression
}

// OrderedFloat is the argument of a MIN or MAX of numbers that are in the order
// of their [OrderedBits].
type OrderedFloat interface {
	sql.Expression
	// Ordered is what has the numbers.
	Ordered() sql.Expression
}

// OrderedBits is a whole number for each number, in order: all zeros have the
// same, and all NaNs the largest.
func OrderedBits(f float64) int64 {
	if f == 0 {
		return 0
	}
	if math.IsNaN(f) {
		return math.MaxInt64
	}
	bits := int64(math.Float64bits(f))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

// floatKey is a [FloatKey] of e.
func (c compiler) floatKey(e sql.Expression) (compiled, bool) {
	x, ok := c.compile(e)
	if !ok || x.kind != real && x.kind != whole || !isNumber(e) {
		return compiled{}, false
	}
	x = asReal(x)
	var out vector
	return compiled{kind: whole, form: asInt64, eval: func(b *batch) (*vector, error) {
		in, err := x.eval(b)
		if err != nil {
			return nil, err
		}
		out.null = in.null
		out.wholes = resized(out.wholes, b.rows)
		for i := range out.wholes {
			out.wholes[i] = OrderedBits(in.reals[i])
		}
		return &out, nil
	}}, true
}
