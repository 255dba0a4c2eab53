package filter

import (
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

// like translates LIKE with text before one %, or with text alone. Statistics
// say nothing about other patterns, which Spark refuses too.
func (t *translator) like(e *predicate.Like, want bool) (iceberg.BooleanExpression, error) {
	c, err := t.text(e, e.Arg)
	if err != nil {
		return nil, err
	}
	text, whole, ok := e.Pattern.Prefix()
	if !ok {
		return nil, predicate.Unsupported(e.Text(), "only a prefix can be matched, such as LIKE 'abc%%'")
	}
	if whole {
		op := predicate.Equal
		if !want {
			op = predicate.NotEqual
		}
		return c.compare(op, &predicate.Constant{Value: predicate.String(text)})
	}
	return c.startsWith(text, want), nil
}

func (t *translator) startsWith(e *predicate.Call, want bool) (iceberg.BooleanExpression, error) {
	constant, ok := e.Args[1].(*predicate.Constant)
	if !ok {
		return nil, predicate.Unsupported(e.Text(), "the prefix must be a constant string")
	}
	c, err := t.text(e, e.Args[0])
	if err != nil {
		return nil, err
	}
	switch s := constant.Value.(type) {
	case predicate.Null:
		return iceberg.AlwaysFalse{}, nil
	case predicate.String:
		return c.startsWith(string(s), want), nil
	}
	return nil, predicate.Invalid(e.Text(), "the prefix must be a string")
}

// text is the string column that arg is.
func (t *translator) text(e, arg predicate.Expr) (column, error) {
	if isCondition(arg) {
		return column{}, predicate.Unsupported(e.Text(), "a prefix can only be matched in a column")
	}
	term, err := t.term(arg)
	if err != nil {
		return column{}, err
	}
	c, ok := term.(column)
	if ok {
		_, ok = c.typ.(iceberg.StringType)
	}
	if !ok {
		return column{}, predicate.Unsupported(e.Text(), "a prefix can only be matched in a column of type string")
	}
	return c, nil
}

func (c column) startsWith(prefix string, want bool) iceberg.BooleanExpression {
	switch {
	case prefix == "" && want:
		return nullTest(c, false)
	case prefix == "":
		return iceberg.AlwaysFalse{}
	case want:
		return iceberg.StartsWith(c.ref, prefix)
	}
	return c.notNull(iceberg.NotStartsWith(c.ref, prefix))
}
