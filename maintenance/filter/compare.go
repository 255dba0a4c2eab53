package filter

import (
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

var operations = map[predicate.Op]iceberg.Operation{
	predicate.Equal: iceberg.OpEQ, predicate.NotEqual: iceberg.OpNEQ,
	predicate.Less: iceberg.OpLT, predicate.LessEqual: iceberg.OpLTEQ,
	predicate.Greater: iceberg.OpGT, predicate.GreaterEqual: iceberg.OpGTEQ,
}

func (c column) compare(op predicate.Op, constant *predicate.Constant) (iceberg.BooleanExpression, error) {
	b, err := c.convert(constant)
	if err != nil {
		return nil, err
	}
	switch {
	case b.nan:
		return c.compareNaN(op), nil
	case b.place != inside:
		above := b.place == above
		switch op {
		case predicate.NotEqual:
			return nullTest(c, false), nil
		case predicate.Less, predicate.LessEqual:
			return c.constant(above), nil
		case predicate.Greater, predicate.GreaterEqual:
			return c.constant(!above), nil
		}
		return iceberg.AlwaysFalse{}, nil
	case !b.exact:
		// The value lies between b.lit and the column's next value.
		switch op {
		case predicate.Equal:
			return iceberg.AlwaysFalse{}, nil
		case predicate.NotEqual:
			return nullTest(c, false), nil
		case predicate.Less:
			op = predicate.LessEqual
		case predicate.GreaterEqual:
			op = predicate.Greater
		}
	}
	e := iceberg.LiteralPredicate(operations[op], c.ref, b.lit)
	switch op {
	case predicate.NotEqual, predicate.Less, predicate.LessEqual:
		// Iceberg's evaluators sort NULL before all values.
		return c.notNull(e), nil
	}
	return e, nil
}

// constant is a condition that is the same for all values of the column.
func (c column) constant(holds bool) iceberg.BooleanExpression {
	if holds {
		return nullTest(c, false)
	}
	return iceberg.AlwaysFalse{}
}

// compareNaN compares with NaN, which in Spark equals itself and is greater
// than all other numbers.
func (c column) compareNaN(op predicate.Op) iceberg.BooleanExpression {
	switch op {
	case predicate.Equal, predicate.GreaterEqual:
		return iceberg.IsNaN(c.ref)
	case predicate.NotEqual, predicate.Less:
		return c.notNull(iceberg.NotNaN(c.ref))
	case predicate.LessEqual:
		return nullTest(c, false)
	}
	return iceberg.AlwaysFalse{}
}

func (c column) in(values []*predicate.Constant, want bool) (iceberg.BooleanExpression, error) {
	var literals []iceberg.Literal
	nan := false
	for _, v := range values {
		b, err := c.convert(v)
		if err != nil {
			return nil, err
		}
		nan = nan || b.nan
		if !b.nan && b.place == inside && b.exact {
			literals = append(literals, b.lit)
		}
	}
	if want {
		e := iceberg.SetPredicate(iceberg.OpIn, c.ref, literals)
		if nan {
			return iceberg.NewOr(e, iceberg.IsNaN(c.ref)), nil
		}
		return e, nil
	}
	e := c.notNull(iceberg.SetPredicate(iceberg.OpNotIn, c.ref, literals))
	if nan {
		return iceberg.NewAnd(e, iceberg.NotNaN(c.ref)), nil
	}
	return e, nil
}

// inByCompare is in for terms that have nothing better.
func inByCompare(t term, values []*predicate.Constant, want bool) (iceberg.BooleanExpression, error) {
	op, join := predicate.Equal, connective(iceberg.NewOr)
	var out iceberg.BooleanExpression = iceberg.AlwaysFalse{}
	if !want {
		op, join = predicate.NotEqual, iceberg.NewAnd
		out = nullTest(t, false)
	}
	for _, v := range values {
		e, err := t.compare(op, v)
		if err != nil {
			return nil, err
		}
		out = join(out, e)
	}
	return out, nil
}
