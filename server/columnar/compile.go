package columnar

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/firndb/firn/server/functions"
)

// Source says what expressions refer to.
type Source struct {
	// Leaf finds the leaf that an expression is.
	Leaf func(e sql.Expression) (Leaf, bool)
	// Cells makes the engine's values of an array that holds a leaf; nil is
	// NULL.
	Cells func(leaf Leaf, arr arrow.Array) (func(row int) any, error)
	// Zone is the time zone of the session.
	Zone *time.Location
}

// batch is a record batch under evaluation.
type batch struct {
	record arrow.RecordBatch
	rows   int
}

// kernel computes the values of an expression for a batch. They are good until
// it is called again.
type kernel func(b *batch) (*vector, error)

// compiled is an expression that can be evaluated.
type compiled struct {
	kind kind
	form form
	eval kernel
	// constant is the value if it is the same for every row and not NULL.
	constant any
}

// compiler turns the engine's expressions into kernels.
type compiler struct {
	ctx *sql.Context
	src Source
	// unsure allows what may fail with [ErrUnsure].
	unsure bool
}

// compile returns false for an expression that is not known here.
func (c compiler) compile(e sql.Expression) (compiled, bool) {
	if leaf, ok := c.src.Leaf(e); ok {
		if _, variant := leaf.Type.(iceberg.VariantType); variant {
			// A variant that holds null is not NULL.
			return compiled{}, false
		}
		k, form := kindOf(leaf.Type)
		return compiled{kind: k, form: form, eval: readLeaf(leaf, c.src.Zone)}, true
	}
	if isConstant(e) {
		value, err := e.Eval(c.ctx, nil)
		if err != nil {
			return compiled{}, false
		}
		return constantOf(value)
	}
	if all, ok := functions.Coalesced(e); ok {
		return c.coalesce(e.Type(), all)
	}
	switch e := e.(type) {
	case *expression.Alias:
		return c.compile(e.Child)
	case *expression.And:
		return c.logic(e.LeftChild, e.RightChild, true)
	case *expression.Or:
		return c.logic(e.LeftChild, e.RightChild, false)
	case *expression.Not:
		return c.not(e.Child)
	case *expression.IsNull:
		return c.isNull(e.Child)
	case *expression.Equals:
		return c.compare(e.Left(), e.Right(), func(n int) bool { return n == 0 })
	case *expression.LessThan:
		return c.compare(e.Left(), e.Right(), func(n int) bool { return n < 0 })
	case *expression.LessThanOrEqual:
		return c.compare(e.Left(), e.Right(), func(n int) bool { return n <= 0 })
	case *expression.GreaterThan:
		return c.compare(e.Left(), e.Right(), func(n int) bool { return n > 0 })
	case *expression.GreaterThanOrEqual:
		return c.compare(e.Left(), e.Right(), func(n int) bool { return n >= 0 })
	case *expression.Between:
		return c.between(e)
	case *expression.InTuple:
		return c.in(e.Left(), e.Right())
	case *expression.HashInTuple:
		return c.in(e.Left(), e.Right())
	case *expression.Like:
		return c.like(e)
	case *functions.Call:
		return c.arithmetic(e)
	case FloatKey:
		return c.floatKey(e.Keyed())
	case *expression.Case:
		return c.choose(e)
	case *function.If:
		return c.ifElse(e)
	}
	return compiled{}, false
}

// isConstant says whether e has the same value for every row, which is known
// already.
func isConstant(e sql.Expression) bool {
	if _, part := e.(*expression.Interval); part {
		return false
	}
	return !transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField, *plan.Subquery, *expression.BindVar, *expression.UserVar, *expression.ProcedureParam:
			return true
		case *expression.Star, sql.Aggregation, sql.WindowAdaptableExpression:
			return true
		case sql.NonDeterministicExpression:
			return e.IsNonDeterministic()
		}
		return false
	})
}

// Constant is the value of an expression that has the same one for every row;
// false if it has not, or if it cannot be evaluated.
func Constant(ctx *sql.Context, e sql.Expression) (any, bool) {
	if !isConstant(e) {
		return nil, false
	}
	value, err := e.Eval(ctx, nil)
	return value, err == nil
}

// constantOf is a constant as an expression.
func constantOf(value any) (compiled, bool) {
	var fill vector
	c := compiled{constant: value}
	switch value := value.(type) {
	case nil:
		return compiled{kind: nothing, eval: allNull()}, true
	case float64:
		c.kind, c.form, fill.reals = real, asFloat64, []float64{value}
	case string:
		c.kind, c.form, fill.texts = text, asString, []string{value}
	case time.Time:
		if value.Nanosecond()%1000 != 0 {
			return compiled{}, false
		}
		c.kind, fill.wholes = moment, []int64{value.UnixMicro()}
		if value.Location() == time.UTC {
			c.form = asTime
		}
	default:
		n, form := wholeOf(value)
		if form == mixed {
			return compiled{}, false
		}
		c.kind, c.form, fill.wholes = whole, form, []int64{n}
	}
	c.eval = func(b *batch) (*vector, error) {
		fill.wholes = repeated(fill.wholes, b.rows)
		fill.reals = repeated(fill.reals, b.rows)
		fill.texts = repeated(fill.texts, b.rows)
		return &fill, nil
	}
	return c, true
}

// wholeOf is a whole number that is no larger than a BIGINT; its form is mixed if
// value is none.
func wholeOf(value any) (int64, form) {
	switch v := value.(type) {
	case bool:
		return asWhole(v), asBool
	case int8:
		return int64(v), asInt8
	case int16:
		return int64(v), asInt16
	case int32:
		return int64(v), asInt32
	case int64:
		return v, asInt64
	case uint8:
		return int64(v), asUint8
	case uint16:
		return int64(v), asUint16
	case uint32:
		return int64(v), asUint32
	}
	return 0, mixed
}

// allNull is the kernel of NULL.
func allNull() kernel {
	var v vector
	return func(b *batch) (*vector, error) {
		v.null = repeated(append(v.null, true), b.rows)
		return &v, nil
	}
}

// repeated is s, all of whose elements are the same, with n elements at least.
func repeated[T any](s []T, n int) []T {
	for len(s) > 0 && len(s) < n {
		s = append(s, s...)
	}
	return s
}

// eval runs several kernels.
func eval(b *batch, kernels ...kernel) ([]*vector, error) {
	vectors := make([]*vector, len(kernels))
	for i, k := range kernels {
		v, err := k(b)
		if err != nil {
			return nil, err
		}
		vectors[i] = v
	}
	return vectors, nil
}
