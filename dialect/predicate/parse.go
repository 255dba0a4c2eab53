package predicate

import (
	"strings"
)

// maxDepth bounds nesting, and maxText the length of a condition in bytes.
const (
	maxDepth = 200
	maxText  = 1 << 20
)

// Parse parses a condition.
func Parse(text string, env Env) (Expr, error) {
	if len(text) > maxText {
		return nil, Invalid(text, "a condition may have %d bytes, this one has %d", maxText, len(text))
	}
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{src: text, tokens: tokens, env: env}
	if p.peek().kind == tokenEnd {
		return nil, Invalid(text, "the condition is empty; leave it out to select everything")
	}
	e, err := p.condition()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != tokenEnd {
		return nil, Invalid(text[t.pos:], "unexpected text behind the condition")
	}
	if c, ok := e.(*Constant); ok {
		switch c.Value.(type) {
		case Bool, Null:
		default:
			return nil, Invalid(text, "a value of type %s is not a condition; compare it with something", c.Value.Kind())
		}
	}
	return e, nil
}

type parser struct {
	src    string
	tokens []token
	at     int
	depth  int
	env    Env
}

func (p *parser) peek() token { return p.tokens[p.at] }

// ahead is the token n behind the next.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

// accept takes the next tokens if they are words.
func (p *parser) accept(words ...string) bool {
	for i, w := range words {
		if !p.ahead(i).is(w) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *parser) expect(word string) error {
	if p.accept(word) {
		return nil
	}
	return p.unexpected(strings.ToUpper(word))
}

// unexpected says what the next token should have been.
func (p *parser) unexpected(want string) error {
	t := p.peek()
	if t.kind == tokenEnd {
		return Invalid(p.src, "the condition ends where %s should follow", want)
	}
	return Invalid(p.src[t.pos:], "%s expected", want)
}

// from is the text from a position to the last token taken.
func (p *parser) from(pos int) span {
	if p.at == 0 {
		return ""
	}
	return span(p.src[pos:max(pos, p.tokens[p.at-1].end)])
}

func (p *parser) enter() error {
	p.depth++
	if p.depth > maxDepth {
		return Invalid(p.src[p.peek().pos:], "the condition is nested deeper than %d levels", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// condition is the grammar's start: OR of AND of NOT of predicates.
func (p *parser) condition() (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	pos := p.peek().pos
	left, err := p.conjunction()
	for err == nil && p.accept("or") {
		var right Expr
		if right, err = p.conjunction(); err == nil {
			left, err = foldOr(&Or{p.from(pos), left, right})
		}
	}
	return left, err
}

func (p *parser) conjunction() (Expr, error) {
	pos := p.peek().pos
	left, err := p.negation()
	for err == nil && p.accept("and") {
		var right Expr
		if right, err = p.negation(); err == nil {
			left, err = foldAnd(&And{p.from(pos), left, right})
		}
	}
	return left, err
}

func (p *parser) negation() (Expr, error) {
	pos := p.peek().pos
	if !p.accept("not") && !p.accept("!") {
		return p.predicate()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	arg, err := p.negation()
	if err != nil {
		return nil, err
	}
	return foldNot(&Not{p.from(pos), arg})
}

// predicate is a comparison and the tests behind it: IS, IN, BETWEEN, LIKE.
func (p *parser) predicate() (Expr, error) {
	pos := p.peek().pos
	e, err := p.comparison()
	for err == nil {
		switch {
		case p.accept("is"):
			e, err = p.is(pos, e)
		case p.peek().is("not") && p.isTest(p.ahead(1)):
			p.take()
			if e, err = p.test(pos, e); err == nil {
				e, err = foldNot(&Not{p.from(pos), e})
			}
		case p.isTest(p.peek()):
			e, err = p.test(pos, e)
		default:
			return e, nil
		}
	}
	return nil, err
}

func (p *parser) isTest(t token) bool {
	for _, w := range []string{"in", "between", "like", "rlike", "regexp", "ilike"} {
		if t.is(w) {
			return true
		}
	}
	return false
}

func (p *parser) test(pos int, e Expr) (Expr, error) {
	switch {
	case p.accept("in"):
		return p.in(pos, e)
	case p.accept("between"):
		return p.between(pos, e)
	case p.accept("like"):
		return p.like(pos, e)
	}
	t := p.take()
	return nil, Unsupported(p.src[pos:], "%s cannot be used; use LIKE with a prefix, such as 'abc%%'", strings.ToUpper(t.value))
}

// is parses what follows IS.
func (p *parser) is(pos int, e Expr) (Expr, error) {
	not := p.accept("not")
	var out Expr
	var err error
	switch {
	case p.accept("null"), p.accept("unknown"):
		out, err = foldIsNull(&IsNull{p.from(pos), e})
	case p.accept("true"):
		out, err = p.compare(pos, NullSafeEqual, e, &Constant{"true", Bool(true)})
	case p.accept("false"):
		out, err = p.compare(pos, NullSafeEqual, e, &Constant{"false", Bool(false)})
	case p.accept("distinct", "from"):
		var right Expr
		if right, err = p.sum(); err != nil {
			return nil, err
		}
		out, err = p.compare(pos, NullSafeEqual, e, right)
		not = !not
	default:
		return nil, p.unexpected("NULL, TRUE, FALSE or DISTINCT FROM")
	}
	if err == nil && not {
		return foldNot(&Not{p.from(pos), out})
	}
	return out, err
}

func (p *parser) in(pos int, e Expr) (Expr, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	if t := p.peek(); t.is("select") || t.is("with") {
		return nil, Unsupported(p.src[pos:], "a subquery cannot be used; list the values")
	}
	list, err := p.list()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, Invalid(string(p.from(pos)), "IN needs at least one value")
	}
	return p.foldIn(&In{p.from(pos), e, list})
}

// list parses expressions up to and with the closing parenthesis.
func (p *parser) list() ([]Expr, error) {
	var list []Expr
	if p.accept(")") {
		return nil, nil
	}
	for {
		e, err := p.condition()
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		if p.accept(")") {
			return list, nil
		}
		if !p.accept(",") {
			return nil, p.unexpected("a comma or )")
		}
	}
}

func (p *parser) between(pos int, e Expr) (Expr, error) {
	low, err := p.sum()
	if err != nil {
		return nil, err
	}
	if err := p.expect("and"); err != nil {
		return nil, err
	}
	high, err := p.sum()
	if err != nil {
		return nil, err
	}
	left, err := p.compare(pos, GreaterEqual, e, low)
	if err != nil {
		return nil, err
	}
	right, err := p.compare(pos, LessEqual, e, high)
	if err != nil {
		return nil, err
	}
	return foldAnd(&And{p.from(pos), left, right})
}

func (p *parser) like(pos int, e Expr) (Expr, error) {
	if t := p.peek(); t.is("any") || t.is("all") || t.is("some") {
		return nil, Unsupported(p.src[pos:], "LIKE ANY and LIKE ALL cannot be used; write LIKE once for each pattern")
	}
	pattern, err := p.sum()
	if err != nil {
		return nil, err
	}
	escape := '\\'
	if p.accept("escape") {
		t := p.take()
		runes := []rune(t.value)
		if t.kind != tokenString || len(runes) != 1 {
			return nil, Invalid(string(p.from(pos)), "ESCAPE takes a string of one character")
		}
		escape = runes[0]
	}
	text := p.from(pos)
	c, ok := pattern.(*Constant)
	if !ok {
		return nil, Unsupported(string(text), "the pattern must be a constant")
	}
	switch s := c.Value.(type) {
	case Null:
		return &Constant{text, Null{}}, nil
	case String:
		pattern, err := parsePattern(string(s), escape)
		if err != nil {
			return nil, Invalid(string(text), "%w", err)
		}
		return p.foldLike(&Like{text, e, pattern})
	}
	return nil, Invalid(string(text), "the pattern must be a string")
}
