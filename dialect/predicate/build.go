package predicate

// The functions here make nodes, or constants where all operands are constant.

func foldOr(e *Or) (Expr, error) { return foldPair(e, e.span, e.Left, e.Right, isTrue) }

func foldAnd(e *And) (Expr, error) { return foldPair(e, e.span, e.Left, e.Right, isFalse) }

// foldPair folds a connective of two conditions: decides settles the result
// whatever the other side is; two known sides without it give its opposite.
func foldPair(e Expr, at span, left, right Expr, decides truthValue) (Expr, error) {
	if err := conditions(left, right); err != nil {
		return nil, err
	}
	l, ok := truth(left)
	r, ok2 := truth(right)
	switch {
	case !ok || !ok2:
		return e, nil
	case l == decides || r == decides:
		return &Constant{at, Bool(decides == isTrue)}, nil
	case l == isNull || r == isNull:
		return &Constant{at, Null{}}, nil
	}
	return &Constant{at, Bool(decides != isTrue)}, nil
}

func foldNot(e *Not) (Expr, error) {
	if err := conditions(e.Arg); err != nil {
		return nil, err
	}
	switch t, ok := truth(e.Arg); {
	case !ok:
		return e, nil
	case t == isNull:
		return &Constant{e.span, Null{}}, nil
	default:
		return &Constant{e.span, Bool(t == isFalse)}, nil
	}
}

type truthValue int

const (
	isFalse truthValue = iota
	isTrue
	isNull
)

// truth is the value of a constant condition.
func truth(e Expr) (truthValue, bool) {
	c, ok := e.(*Constant)
	if !ok {
		return isNull, false
	}
	switch v := c.Value.(type) {
	case Bool:
		if v {
			return isTrue, true
		}
		return isFalse, true
	case Null:
		return isNull, true
	}
	return isNull, false
}

// conditions refuses constants that are neither true nor false.
func conditions(exprs ...Expr) error {
	for _, e := range exprs {
		if c, ok := e.(*Constant); ok {
			if _, ok := truth(e); !ok {
				return Invalid(e.Text(), "a value of type %s is not a condition; compare it with something", c.Value.Kind())
			}
		}
	}
	return nil
}

func foldIsNull(e *IsNull) (Expr, error) {
	c, ok := e.Arg.(*Constant)
	if !ok {
		return e, nil
	}
	_, null := c.Value.(Null)
	return &Constant{e.span, Bool(null)}, nil
}

func (p *parser) foldLike(e *Like) (Expr, error) {
	c, ok := e.Arg.(*Constant)
	if !ok {
		return e, nil
	}
	if _, null := c.Value.(Null); null {
		return &Constant{e.span, Null{}}, nil
	}
	s, err := CastValue(c.Value, Type{Name: "string"}, p.env)
	if err != nil {
		return nil, Invalid(e.Text(), "%w", err)
	}
	return &Constant{e.span, Bool(e.Pattern.matches(string(s.(String))))}, nil
}

func (p *parser) foldCast(e *Cast) (Expr, error) {
	c, ok := e.Arg.(*Constant)
	if !ok {
		return e, nil
	}
	v, err := CastValue(c.Value, e.Type, p.env)
	if err != nil {
		return nil, Invalid(e.Text(), "%w", err)
	}
	return &Constant{e.span, v}, nil
}

func (p *parser) compare(pos int, op Op, left, right Expr) (Expr, error) {
	e := &Compare{p.from(pos), op, left, right}
	l, ok := left.(*Constant)
	r, ok2 := right.(*Constant)
	if !ok || !ok2 {
		return e, nil
	}
	v, err := compareValues(op, l.Value, r.Value, p.env)
	if err != nil {
		return nil, Invalid(e.Text(), "%w", err)
	}
	return &Constant{e.span, v}, nil
}

func compareValues(op Op, a, b Value, env Env) (Value, error) {
	_, aNull := a.(Null)
	_, bNull := b.(Null)
	switch {
	case op == NullSafeEqual && (aNull || bNull):
		return Bool(aNull && bNull), nil
	case aNull || bNull:
		return Null{}, nil
	}
	c, err := Order(a, b, env)
	if err != nil {
		return nil, err
	}
	return Bool(op.holds(c)), nil
}

func (p *parser) foldIn(e *In) (Expr, error) {
	arg, constant := e.Arg.(*Constant)
	for _, item := range e.List {
		_, ok := item.(*Constant)
		constant = constant && ok
	}
	if !constant {
		return e, nil
	}
	out := Value(Bool(false))
	for _, item := range e.List {
		v, err := compareValues(Equal, arg.Value, item.(*Constant).Value, p.env)
		if err != nil {
			return nil, Invalid(e.Text(), "%w", err)
		}
		if v == Value(Bool(true)) {
			return &Constant{e.span, v}, nil
		}
		if _, null := v.(Null); null {
			out = v
		}
	}
	return &Constant{e.span, out}, nil
}

func (p *parser) arithmetic(pos int, op string, left, right Expr) (Expr, error) {
	l, ok := left.(*Constant)
	r, ok2 := right.(*Constant)
	if !ok || !ok2 {
		return &Call{p.from(pos), op, []Expr{left, right}}, nil
	}
	v, err := arithmetic(op, l.Value, r.Value, p.env)
	if err != nil {
		return nil, Invalid(string(p.from(pos)), "%w", err)
	}
	return &Constant{p.from(pos), v}, nil
}

// call folds a function, or keeps it for a reader that knows columns.
func (p *parser) call(pos int, name string, args []Expr) (Expr, error) {
	text := p.from(pos)
	values := make([]Value, 0, len(args))
	null := false
	for _, a := range args {
		c, ok := a.(*Constant)
		if !ok {
			return &Call{text, name, args}, nil
		}
		_, isNull := c.Value.(Null)
		null = null || isNull
		values = append(values, c.Value)
	}
	f, ok := lookup(name)
	if !ok {
		return nil, Unsupported(string(text), "the function %q is not known; allowed on constants are current_timestamp, current_date, date_sub, date_add, add_months, to_date, to_timestamp, date_trunc, last_day, make_date, concat and CAST", name)
	}
	if len(args) < f.min || len(args) > f.max {
		return nil, Invalid(string(text), "the function %s takes %d arguments, not %d", name, f.min, len(args))
	}
	if null && !f.keepNull {
		return &Constant{text, Null{}}, nil
	}
	v, err := f.fold(values, p.env)
	if err != nil {
		return nil, Invalid(string(text), "%w", err)
	}
	return &Constant{text, v}, nil
}
