package filter

import (
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

// condition makes an expression that is true of the rows for which e is want.
// That e is false is not the same as that it is not true: it may be NULL.
func (t *translator) condition(e predicate.Expr, want bool) (iceberg.BooleanExpression, error) {
	switch e := e.(type) {
	case *predicate.Constant:
		if b, ok := e.Value.(predicate.Bool); ok && bool(b) == want {
			return iceberg.AlwaysTrue{}, nil
		}
		return iceberg.AlwaysFalse{}, nil
	case *predicate.And:
		if want {
			return t.conjunction(e)
		}
		return t.both(e.Left, e.Right, want, iceberg.NewOr)
	case *predicate.Or:
		if want {
			return t.both(e.Left, e.Right, want, iceberg.NewOr)
		}
		return t.both(e.Left, e.Right, want, iceberg.NewAnd)
	case *predicate.Not:
		return t.condition(e.Arg, !want)
	case *predicate.Compare:
		return t.compare(e, want)
	case *predicate.In:
		return t.in(e, want)
	case *predicate.IsNull:
		return t.isNull(e.Arg, want)
	case *predicate.Like:
		return t.like(e, want)
	case *predicate.Column:
		return t.boolColumn(e, want)
	case *predicate.Call:
		return t.call(e, want)
	}
	return nil, predicate.Unsupported(e.Text(), "it is not a condition; compare it with a constant")
}

type connective func(l, r iceberg.BooleanExpression, more ...iceberg.BooleanExpression) iceberg.BooleanExpression

func (t *translator) both(l, r predicate.Expr, want bool, join connective) (iceberg.BooleanExpression, error) {
	left, err := t.condition(l, want)
	if err != nil {
		return nil, err
	}
	right, err := t.condition(r, want)
	if err != nil {
		return nil, err
	}
	return join(left, right), nil
}

func (t *translator) boolColumn(e *predicate.Column, want bool) (iceberg.BooleanExpression, error) {
	c, err := t.column(e)
	if err != nil {
		return nil, err
	}
	if _, ok := c.typ.(iceberg.BooleanType); !ok {
		return nil, predicate.Invalid(e.Text(), "the column is a %s, not a condition; compare it with something", c.typ)
	}
	return iceberg.EqualTo(c.ref, want), nil
}

func (t *translator) compare(e *predicate.Compare, want bool) (iceberg.BooleanExpression, error) {
	left, right, op := e.Left, e.Right, e.Op
	if _, ok := left.(*predicate.Constant); ok {
		left, right, op = right, left, op.Flip()
	}
	c, ok := right.(*predicate.Constant)
	if !ok {
		return nil, predicate.Unsupported(e.Text(), "two columns cannot be compared; compare a column with a constant")
	}
	if isCondition(left) {
		return t.compareCondition(e, left, op, c.Value, want)
	}
	term, err := t.term(left)
	if err != nil {
		return nil, err
	}
	_, null := c.Value.(predicate.Null)
	switch {
	case op == predicate.NullSafeEqual && null:
		return nullTest(term, want), nil
	case null:
		return iceberg.AlwaysFalse{}, nil
	case op == predicate.NullSafeEqual && want:
		return term.compare(predicate.Equal, c)
	case op == predicate.NullSafeEqual:
		differs, err := term.compare(predicate.NotEqual, c)
		if err != nil {
			return nil, err
		}
		return iceberg.NewOr(nullTest(term, true), differs), nil
	case !want:
		op = op.Negate()
	}
	return term.compare(op, c)
}

// isCondition tells whether e is a condition and not a value; a boolean column
// is both and counts as a value.
func isCondition(e predicate.Expr) bool {
	switch e := e.(type) {
	case *predicate.And, *predicate.Or, *predicate.Not, *predicate.Compare, *predicate.In, *predicate.IsNull, *predicate.Like:
		return true
	case *predicate.Call:
		switch e.Name {
		case "isnull", "isnotnull", "isnan", "startswith":
			return true
		}
	}
	return false
}

// compareCondition is (condition) = TRUE and the like.
func (t *translator) compareCondition(e, left predicate.Expr, op predicate.Op, v predicate.Value, want bool) (iceberg.BooleanExpression, error) {
	b, ok := v.(predicate.Bool)
	switch {
	case !ok:
	case op == predicate.Equal, op == predicate.NullSafeEqual && want:
		return t.condition(left, bool(b) == want)
	case op == predicate.NotEqual:
		return t.condition(left, bool(b) != want)
	}
	return nil, predicate.Unsupported(e.Text(), "a condition can only be compared by = or != with TRUE or FALSE")
}

func (t *translator) in(e *predicate.In, want bool) (iceberg.BooleanExpression, error) {
	if isCondition(e.Arg) {
		return nil, predicate.Unsupported(e.Text(), "IN takes a column on its left")
	}
	term, err := t.term(e.Arg)
	if err != nil {
		return nil, err
	}
	var values []*predicate.Constant
	null := false
	for _, item := range e.List {
		c, ok := item.(*predicate.Constant)
		if !ok {
			return nil, predicate.Unsupported(item.Text(), "the values of IN must be constants")
		}
		if _, ok := c.Value.(predicate.Null); ok {
			null = true
			continue
		}
		values = append(values, c)
	}
	out, err := term.in(values, want)
	if err != nil {
		return nil, err
	}
	if null && !want {
		// Whether a value is not in a list with a NULL is never known.
		return iceberg.AlwaysFalse{}, nil
	}
	return out, nil
}

func (t *translator) isNull(arg predicate.Expr, want bool) (iceberg.BooleanExpression, error) {
	if isCondition(arg) {
		return nil, predicate.Unsupported(arg.Text(), "IS NULL takes a column; a condition cannot be tested")
	}
	term, err := t.term(arg)
	if err != nil {
		return nil, err
	}
	return nullTest(term, want), nil
}

func nullTest(t term, want bool) iceberg.BooleanExpression {
	c := t.source()
	switch {
	case c.always, c.typ.Type() == "unknown":
		if want == (c.typ.Type() == "unknown") {
			return iceberg.AlwaysTrue{}
		}
		return iceberg.AlwaysFalse{}
	case want:
		return iceberg.IsNull(c.ref)
	}
	return iceberg.NotNull(c.ref)
}

// call translates the functions that are conditions.
func (t *translator) call(e *predicate.Call, want bool) (iceberg.BooleanExpression, error) {
	switch {
	case (e.Name == "isnull" || e.Name == "isnotnull") && len(e.Args) == 1:
		return t.isNull(e.Args[0], want == (e.Name == "isnull"))
	case e.Name == "isnan" && len(e.Args) == 1:
		return t.isNaN(e, want)
	case e.Name == "startswith" && len(e.Args) == 2:
		return t.startsWith(e, want)
	}
	return nil, predicate.Unsupported(e.Text(), "it is not a condition that can be used; allowed are comparisons of columns with constants, isnull, isnotnull, isnan and startswith")
}

// isNaN translates isnan(c), which is false for NULL.
func (t *translator) isNaN(e *predicate.Call, want bool) (iceberg.BooleanExpression, error) {
	term, err := t.term(e.Args[0])
	if err != nil {
		return nil, err
	}
	c, ok := term.(column)
	if !ok || !c.floating() {
		return nil, predicate.Unsupported(e.Text(), "isnan takes a column of type float or double")
	}
	if want {
		return iceberg.IsNaN(c.ref), nil
	}
	return iceberg.NotNaN(c.ref), nil
}
