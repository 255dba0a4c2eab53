package predicate

import (
	"encoding/hex"
	"strings"
)

var comparisonOps = map[string]Op{
	"=": Equal, "==": Equal, "<>": NotEqual, "!=": NotEqual, "<": Less, "<=": LessEqual,
	">": Greater, ">=": GreaterEqual, "<=>": NullSafeEqual,
}

// comparison is a sum, or sums with comparison operators between them.
func (p *parser) comparison() (Expr, error) {
	pos := p.peek().pos
	left, err := p.sum()
	for err == nil {
		t := p.peek()
		op, ok := comparisonOps[t.value]
		if t.kind != tokenOp || !ok {
			return left, nil
		}
		p.take()
		var right Expr
		if right, err = p.sum(); err == nil {
			left, err = p.compare(pos, op, left, right)
		}
	}
	return nil, err
}

func (p *parser) sum() (Expr, error) {
	return p.binary([]string{"+", "-", "||"}, func() (Expr, error) {
		return p.binary([]string{"*", "/", "%", "div"}, p.unary)
	})
}

// binary parses operands with operators of one precedence between them.
func (p *parser) binary(ops []string, operand func() (Expr, error)) (Expr, error) {
	pos := p.peek().pos
	left, err := operand()
next:
	for err == nil {
		for _, op := range ops {
			if !p.accept(op) {
				continue
			}
			var right Expr
			if right, err = operand(); err == nil {
				left, err = p.arithmetic(pos, op, left, right)
			}
			continue next
		}
		return left, nil
	}
	return nil, err
}

func (p *parser) unary() (Expr, error) {
	pos := p.peek().pos
	minus := p.peek().is("-")
	if !minus && !p.peek().is("+") {
		return p.postfix()
	}
	p.take()
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	// The least bigint has no positive counterpart to be negated.
	if t := p.peek(); minus && t.kind == tokenNumber {
		if v, err := parseNumber("-" + t.value); err == nil {
			p.take()
			return &Constant{p.from(pos), v}, nil
		}
	}
	arg, err := p.unary()
	if err != nil || !minus {
		return arg, err
	}
	c, ok := arg.(*Constant)
	if !ok {
		return &Call{p.from(pos), "-", []Expr{arg}}, nil
	}
	v, err := negate(c.Value)
	if err != nil {
		return nil, Invalid(string(p.from(pos)), "%w", err)
	}
	return &Constant{p.from(pos), v}, nil
}

// postfix is a primary with casts of the form x::type behind it.
func (p *parser) postfix() (Expr, error) {
	pos := p.peek().pos
	e, err := p.primary()
	for err == nil {
		switch {
		case p.accept("::"):
			var t Type
			if t, err = p.typeName(); err == nil {
				e, err = p.foldCast(&Cast{p.from(pos), e, t})
			}
		case p.peek().is("["):
			return nil, Unsupported(p.src[pos:], "elements of lists and maps cannot be used; only columns and fields of structs have statistics")
		case p.peek().is("."):
			return nil, p.unexpected("an operator")
		default:
			return e, nil
		}
	}
	return nil, err
}

func (p *parser) primary() (Expr, error) {
	t := p.peek()
	switch t.kind {
	case tokenEnd:
		return nil, p.unexpected("a column or value")
	case tokenNumber:
		p.take()
		v, err := parseNumber(t.value)
		if err != nil {
			return nil, Invalid(t.value, "%w", err)
		}
		return &Constant{span(t.value), v}, nil
	case tokenString:
		s := String(p.stringValue())
		return &Constant{p.from(t.pos), s}, nil
	case tokenBinary:
		p.take()
		digits := t.value
		if len(digits)%2 == 1 {
			digits = "0" + digits
		}
		b, err := hex.DecodeString(digits)
		if err != nil {
			return nil, Invalid(p.src[t.pos:t.end], "X'…' takes hexadecimal digits")
		}
		return &Constant{p.from(t.pos), Binary(b)}, nil
	case tokenQuoted:
		return p.name()
	case tokenWord:
		return p.word()
	}
	if !p.accept("(") {
		return nil, p.unexpected("a column or value")
	}
	return p.parenthesised(t.pos)
}

// stringValue takes one string, or several in a row, which are one.
func (p *parser) stringValue() string {
	var s strings.Builder
	for p.peek().kind == tokenString {
		s.WriteString(p.take().value)
	}
	return s.String()
}

func (p *parser) parenthesised(pos int) (Expr, error) {
	if t := p.peek(); t.is("select") || t.is("with") {
		return nil, Unsupported(p.src[pos:], "a subquery cannot be used; write its values")
	}
	e, err := p.condition()
	if err != nil {
		return nil, err
	}
	if p.peek().is(",") {
		return nil, Unsupported(p.src[pos:], "a tuple cannot be used; compare its parts one by one")
	}
	return e, p.expect(")")
}

// word parses what begins with a word without quotes: a typed literal, a
// special form, a function or a column.
func (p *parser) word() (Expr, error) {
	t := p.peek()
	name := strings.ToLower(t.value)
	next := p.ahead(1)
	switch name {
	case "null":
		p.take()
		return &Constant{span(t.value), Null{}}, nil
	case "true", "false":
		p.take()
		return &Constant{span(t.value), Bool(name == "true")}, nil
	case "case", "exists", "select":
		if next.kind != tokenOp || next.is("(") {
			return nil, Unsupported(p.src[t.pos:], "%s cannot be used", strings.ToUpper(name))
		}
	case "and", "or", "in", "is", "between", "like":
		return nil, p.unexpected("a column or value")
	case "interval":
		if next.kind == tokenString || next.kind == tokenNumber || next.is("-") || next.is("+") {
			return p.interval()
		}
	case "current_date", "current_timestamp", "localtimestamp":
		if !next.is("(") && !next.is(".") {
			p.take()
			return p.call(t.pos, name, nil)
		}
	}
	if kind, ok := typedLiterals[name]; ok && next.kind == tokenString {
		p.take()
		v, err := parseTyped(kind, p.stringValue(), p.env)
		if err != nil {
			return nil, Invalid(string(p.from(t.pos)), "%w", err)
		}
		return &Constant{p.from(t.pos), v}, nil
	}
	if next.is("(") {
		switch name {
		case "cast", "try_cast":
			return p.cast()
		case "extract":
			return p.extract()
		}
	}
	return p.name()
}

var typedLiterals = map[string]string{
	"date": "date", "time": "time", "timestamp": "timestamp", "timestamp_ltz": "timestamp", "timestamp_ntz": "timestamp_ntz",
}

// name parses a path of names: a column, or a function if ( follows.
func (p *parser) name() (Expr, error) {
	first := p.peek()
	var path []string
	for {
		t := p.peek()
		if t.kind != tokenWord && t.kind != tokenQuoted {
			return nil, p.unexpected("a name")
		}
		p.take()
		path = append(path, t.value)
		if !p.accept(".") {
			break
		}
	}
	if !p.accept("(") {
		return &Column{p.from(first.pos), path}, nil
	}
	text := strings.TrimSuffix(string(p.from(first.pos)), "(")
	if n := len(path); n > 1 && !strings.EqualFold(path[n-2], "system") {
		return nil, Unsupported(text, "there are no functions in %q; allowed before a function is only system", strings.Join(path[:n-1], "."))
	}
	args, err := p.arguments(first.pos)
	if err != nil {
		return nil, err
	}
	return p.call(first.pos, strings.ToLower(path[len(path)-1]), args)
}

func (p *parser) arguments(pos int) ([]Expr, error) {
	if t := p.peek(); t.is("distinct") || t.is("*") || t.is("select") {
		return nil, Unsupported(p.src[pos:], "aggregates and subqueries cannot be used")
	}
	args, err := p.list()
	if err == nil && p.peek().is("over") {
		return nil, Unsupported(p.src[pos:], "window functions cannot be used")
	}
	return args, err
}
