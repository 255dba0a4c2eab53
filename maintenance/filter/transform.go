package filter

import (
	"math"
	"math/big"
	"unicode/utf8"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

// sized reads the arguments of bucket and truncate, in either order.
func (t *translator) sized(e *predicate.Call) (column, int, error) {
	usage := predicate.Invalid(e.Text(), "it takes a number greater than 0 and a column, as in %s(16, id)", e.Name)
	if len(e.Args) != 2 {
		return column{}, 0, usage
	}
	size, arg := e.Args[0], e.Args[1]
	if _, ok := arg.(*predicate.Constant); ok {
		size, arg = arg, size
	}
	constant, ok := size.(*predicate.Constant)
	if !ok {
		return column{}, 0, usage
	}
	n, ok := constant.Value.(predicate.Int)
	if !ok || n < 1 || n > math.MaxInt32 {
		return column{}, 0, usage
	}
	inner, err := t.term(arg)
	if err != nil {
		return column{}, 0, err
	}
	c, ok := inner.(column)
	if !ok {
		return column{}, 0, usage
	}
	return c, int(n), nil
}

// bucket is Iceberg's bucket transform. It has no order; its conditions only
// choose files where the table is partitioned by the same transform.
type bucket struct {
	column
	text string
	n    int
}

func (t *translator) bucket(e *predicate.Call) (term, error) {
	c, n, err := t.sized(e)
	if err != nil {
		return nil, err
	}
	if transform := (iceberg.BucketTransform{NumBuckets: n}); !transform.CanTransform(c.typ) {
		return nil, predicate.Unsupported(e.Text(), "a column of type %s has no buckets", c.typ)
	}
	return bucket{c, e.Text(), n}, nil
}

// ids are the buckets among the values; those that are none are left out.
func (b bucket) ids(values []*predicate.Constant) ([]iceberg.Literal, error) {
	var ids []iceberg.Literal
	for _, c := range values {
		v := c.Value
		if s, ok := v.(predicate.String); ok {
			var err error
			if v, err = predicate.CastValue(s, predicate.Type{Name: "bigint"}, b.env); err != nil {
				return nil, predicate.Invalid(c.Text(), "it cannot be compared with %s: %w", b.text, err)
			}
		}
		r := predicate.Rational(v)
		if r == nil {
			return nil, predicate.Invalid(c.Text(), "a value of type %s cannot be compared with %s; write a number", c.Value.Kind(), b.text)
		}
		if r.IsInt() && r.Sign() >= 0 && r.Cmp(big.NewRat(int64(b.n), 1)) < 0 {
			ids = append(ids, iceberg.NewLiteral(int32(r.Num().Int64())))
		}
	}
	return ids, nil
}

func (b bucket) compare(op predicate.Op, c *predicate.Constant) (iceberg.BooleanExpression, error) {
	switch op {
	case predicate.Equal, predicate.NotEqual:
		return b.in([]*predicate.Constant{c}, op == predicate.Equal)
	}
	return nil, predicate.Unsupported(b.text, "buckets have no order; use =, != or IN")
}

func (b bucket) in(values []*predicate.Constant, want bool) (iceberg.BooleanExpression, error) {
	ids, err := b.ids(values)
	if err != nil {
		return nil, err
	}
	ref := iceberg.NewUnboundTransform(iceberg.BucketTransform{NumBuckets: b.n}, b.ref)
	if want {
		return iceberg.SetPredicate(iceberg.OpIn, ref, ids), nil
	}
	return b.notNull(iceberg.SetPredicate(iceberg.OpNotIn, ref, ids)), nil
}

// truncated is Iceberg's truncate transform: of numbers, the multiple of the
// width at or below; of text and bytes, a prefix.
type truncated struct {
	column
	text  string
	width int
}

func (t *translator) truncate(e *predicate.Call) (term, error) {
	c, n, err := t.sized(e)
	if err != nil {
		return nil, err
	}
	switch c.typ.(type) {
	case iceberg.Int32Type, iceberg.Int64Type, iceberg.DecimalType, iceberg.StringType:
		return truncated{c, e.Text(), n}, nil
	}
	return nil, predicate.Unsupported(e.Text(), "a column of type %s cannot be used with truncate; allowed are int, long, decimal and string", c.typ)
}

func (t truncated) in(values []*predicate.Constant, want bool) (iceberg.BooleanExpression, error) {
	return inByCompare(t, values, want)
}

func (t truncated) compare(op predicate.Op, c *predicate.Constant) (iceberg.BooleanExpression, error) {
	if _, ok := t.typ.(iceberg.StringType); ok {
		return t.comparePrefix(op, c)
	}
	v := c.Value
	if s, ok := v.(predicate.String); ok {
		d, err := predicate.ParseDecimal(string(s))
		if err != nil {
			return nil, predicate.Invalid(c.Text(), "it cannot be compared with %s: %w", t.text, err)
		}
		v = d
	}
	r := predicate.Rational(v)
	if r == nil {
		return nil, predicate.Invalid(c.Text(), "a value of type %s cannot be compared with %s", c.Value.Kind(), t.text)
	}
	// The width counts units of a decimal's last digit (spec, "Truncate
	// Transform Details").
	width := new(big.Rat).SetInt64(int64(t.width))
	if d, ok := t.typ.(iceberg.DecimalType); ok {
		width.Quo(width, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale())), nil)))
	}
	steps := predicate.Floor(new(big.Rat).Quo(r, width))
	start := new(big.Rat).Mul(new(big.Rat).SetInt(steps), width)
	return t.steps(op, start, width, start.Cmp(r) == 0)
}

// steps compares with the values from start to before start + width; exact is
// set if start itself was meant, and not a value behind it.
func (t truncated) steps(op predicate.Op, start, width *big.Rat, exact bool) (iceberg.BooleanExpression, error) {
	at := func(r *big.Rat) *predicate.Constant {
		return &predicate.Constant{Value: predicate.Decimal{Rat: r}}
	}
	next := new(big.Rat).Add(start, width)
	if !exact {
		switch op {
		case predicate.Equal:
			return iceberg.AlwaysFalse{}, nil
		case predicate.NotEqual:
			return nullTest(t, false), nil
		case predicate.Less:
			op = predicate.LessEqual
		case predicate.GreaterEqual:
			op = predicate.Greater
		}
	}
	switch op {
	case predicate.Less:
		return t.column.compare(predicate.Less, at(start))
	case predicate.LessEqual:
		return t.column.compare(predicate.Less, at(next))
	case predicate.Greater:
		return t.column.compare(predicate.GreaterEqual, at(next))
	case predicate.GreaterEqual:
		return t.column.compare(predicate.GreaterEqual, at(start))
	}
	first, second, join := predicate.GreaterEqual, predicate.Less, connective(iceberg.NewAnd)
	if op == predicate.NotEqual {
		first, second, join = predicate.Less, predicate.GreaterEqual, iceberg.NewOr
	}
	left, err := t.column.compare(first, at(start))
	if err != nil {
		return nil, err
	}
	right, err := t.column.compare(second, at(next))
	if err != nil {
		return nil, err
	}
	return join(left, right), nil
}

// comparePrefix compares the first characters of a string. Shorter values are
// what they are, longer ones can be no result.
func (t truncated) comparePrefix(op predicate.Op, c *predicate.Constant) (iceberg.BooleanExpression, error) {
	s, ok := c.Value.(predicate.String)
	if !ok {
		return nil, predicate.Invalid(c.Text(), "a value of type %s cannot be compared with %s; write a string", c.Value.Kind(), t.text)
	}
	length := utf8.RuneCountInString(string(s))
	switch {
	case op != predicate.Equal && op != predicate.NotEqual:
		return nil, predicate.Unsupported(t.text, "of strings it can only be compared by =, != and IN")
	case length > t.width && op == predicate.Equal:
		return iceberg.AlwaysFalse{}, nil
	case length > t.width:
		return nullTest(t, false), nil
	case length < t.width:
		return t.column.compare(op, c)
	}
	return t.startsWith(string(s), op == predicate.Equal), nil
}
