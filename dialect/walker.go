package dialect

import "strings"

// walker rewrites a run of expressions: tokens i to end-1, in which commas,
// keywords such as BY or ASC, and operators stand between operands. It does not
// check the order of these; the engine's grammar does.
type walker struct {
	*rewriter
	sc       *scope
	i, end   int
	operand  bool // an operand comes next
	inSelect bool // the run is one item of a SELECT
	out      pieces

	sumStart  int // where in out the current operand of || begins
	itemStart int // where in out the current item of a list begins
	itemEnd   int // where in out its ASC or DESC begins, 0 if there is none

	aliased  bool   // the item has an alias
	valueEnd int    // where in out the item's value ends
	column   bool   // the item is a column and nothing else
	caption  string // Spark's name for the item, if it is not its text
}

// expressions rewrites tokens i to end-1, which are expressions in scope sc.
func (r *rewriter) expressions(i, end int, sc *scope) (pieces, error) {
	w := &walker{rewriter: r, sc: sc, i: i, end: end, operand: true}
	err := w.run()
	return w.out, err
}

func (w *walker) run() error {
	for w.i < w.end {
		var err error
		if w.operand {
			err = w.stepOperand()
		} else {
			err = w.stepOperator()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// emit passes token i through.
func (w *walker) emit() {
	w.out = append(w.out, w.gap(w.i), w.verbatim(w.i))
	w.i++
}

// newOperand notes that an operand begins here.
func (w *walker) newOperand() {
	w.operand = true
	w.sumStart = len(w.out)
}

// newItem notes that an item of a list begins here.
func (w *walker) newItem() {
	w.newOperand()
	w.itemStart, w.itemEnd = len(w.out), 0
}

// stepOperand takes what comes where an operand is expected.
func (w *walker) stepOperand() error {
	t := w.tok(w.i)
	switch {
	case t.kind == tokOp && t.val == "*":
		w.emit()
		w.operand = false
		if (w.tok(w.i).is("except") || w.tok(w.i).is("exclude")) && w.tok(w.i+1).is("(") && w.i < w.end {
			return w.syntaxAt(w.tok(w.i), "name the columns: * EXCEPT is not supported")
		}
		return nil
	case t.kind == tokOp && t.val == ",":
		w.emit()
		w.newItem()
		return nil
	case t.kind == tokOp && (t.val == ")" || t.val == "]"):
		return w.syntaxAt(t, "")
	case w.isPrefix(w.i):
		by := t.is("by")
		w.emit()
		if by {
			w.newItem()
		}
		return nil
	}
	first := w.i
	gap := w.gap(w.i)
	p, err := w.primary()
	if err != nil {
		return err
	}
	if w.inSelect && (first > 0 && len(w.out) > 0 || w.i < w.end) {
		w.column, w.caption = false, ""
	}
	w.out = append(append(w.out, gap), p...)
	w.operand = false
	return nil
}

// isPrefix reports whether token i stands before an operand and is none: an
// operator such as NOT, or a keyword such as DISTINCT or PARTITION BY.
func (r *rewriter) isPrefix(i int) bool {
	t, next := r.tok(i), r.tok(i+1)
	if t.kind == tokOp {
		return t.val != "("
	}
	if t.kind != tokWord || next.is(".") {
		return false
	}
	switch strings.ToLower(t.val) {
	case "not", "exists":
		return true
	case "binary":
		return !followsOperand(next)
	case "leading", "trailing", "both":
		return r.tok(i-1).is("(") && r.tok(i-2).is("trim")
	case "distinct", "distinctrow", "by", "when", "then", "else", "between":
		return true
	case "all":
		return next.is("(") || next.isName()
	case "any", "some":
		// After a comparison; else they are aggregates.
		return next.is("(") && r.tok(i-1).kind == tokOp && r.tok(i-1).val != "(" && r.tok(i-1).val != ","
	case "partition", "order":
		return next.is("by")
	case "rows", "range", "groups":
		return r.tok(i-1).is("(") && (r.tok(i-2).is("over") || r.tok(i-2).is("as"))
	}
	return false
}

// followsOperand reports whether t, where an operand may stand, tells that one
// was before it.
func followsOperand(t token) bool {
	if t.kind == tokOp {
		return t.val != "("
	}
	if t.kind != tokWord {
		return t.kind == tokEOF
	}
	switch strings.ToLower(t.val) {
	case "from", "where", "group", "having", "order", "limit", "union", "is", "in", "like", "between", "and", "or", "xor", "as",
		"asc", "desc", "nulls", "when", "then", "else", "end", "over", "div", "mod", "regexp", "rlike", "not":
		return true
	}
	return false
}

// stepOperator takes what comes after an operand.
func (w *walker) stepOperator() error {
	t := w.tok(w.i)
	switch t.kind {
	case tokOp:
		return w.stepSymbol(t)
	case tokWord:
		return w.stepWord(t)
	}
	w.setAlias()
	return nil
}

func (w *walker) stepSymbol(t token) error {
	switch t.val {
	case "||":
		return w.concat()
	case "->":
		if w.tok(w.i+1).kind != tokString {
			return w.syntaxAt(t, "functions with -> are not supported")
		}
		w.emit()
		w.newOperand()
	case "==":
		w.out = append(w.out, w.gap(w.i), piece{"=", t.pos})
		w.i++
		w.newOperand()
	case ",":
		w.emit()
		w.newItem()
	case "+", "-", "*", "/", "%":
		w.emit()
		w.operand = true
	case ")", "]":
		return w.syntaxAt(t, "")
	default:
		w.emit()
		w.newOperand()
	}
	return nil
}

// stepWord takes a keyword, or an alias, after an operand.
func (w *walker) stepWord(t token) error {
	next := w.tok(w.i + 1)
	if w.inSelect && w.i+1 == w.end {
		w.setAlias()
		return nil
	}
	switch strings.ToLower(t.val) {
	case "as":
		w.valueEnd = len(w.out)
		w.emit()
		switch {
		case next.is("("):
			w.newOperand()
		case w.i < w.end:
			w.setAlias()
		}
	case "nulls":
		if next.is("first") || next.is("last") {
			return w.nullsOrder(next.is("first"))
		}
		w.setAlias()
	case "asc", "desc":
		w.itemEnd = len(w.out)
		w.emit()
	case "div", "mod":
		w.emit()
		w.operand = true
	case "is":
		for not := 0; not < 2; not++ {
			if from := w.i + 2 + not; w.tok(from-1).is("distinct") && w.tok(from).is("from") && from < w.end && (not == 0 || next.is("not")) {
				return w.distinctFrom(from+1, not == 0)
			}
		}
		w.emit()
		w.newOperand()
	case "by", "separator":
		w.emit()
		w.newItem()
	case "rlike", "regexp", "ilike":
		return w.match(t)
	case "and", "or", "xor", "in", "like", "between", "collate", "escape",
		"when", "then", "else", "on", "using", "from", "for", "against", "member", "of", "over", "returning", "rows", "range", "groups":
		w.emit()
		w.newOperand()
	case "not":
		// Before an operator: NOT IN, NOT LIKE, NOT BETWEEN.
		if next.is("rlike") || next.is("regexp") || next.is("ilike") {
			w.i++
			return w.match(t)
		}
		w.emit()
	case "order", "group", "partition", "preceding", "following", "row", "end":
		w.emit()
	default:
		w.setAlias()
	}
	return nil
}

// setAlias takes a token that follows an operand and is no operator: in a
// SELECT, an alias.
func (w *walker) setAlias() {
	t := w.tok(w.i)
	p := w.verbatim(w.i)
	if t.kind == tokWord && isRefused(t.val) {
		p.text = quoteName(t.val)
	}
	if !w.tok(w.i - 1).is("as") {
		w.valueEnd = len(w.out)
	}
	w.out = append(w.out, w.gap(w.i), p)
	w.i++
	w.aliased = true
}

// takeSum removes the operand that ends here from what is written and returns
// it, without the gap before it, which stays.
func (w *walker) takeSum() pieces {
	taken := append(pieces(nil), w.out[w.sumStart:]...)
	if len(taken) == 0 {
		return nil
	}
	w.out = append(w.out[:w.sumStart], taken[0])
	return taken[1:]
}

// concat rewrites a || b, which to the engine is OR.
func (w *walker) concat() error {
	op := w.tok(w.i)
	left := w.takeSum()
	w.i++
	right, err := w.product()
	if err != nil {
		return err
	}
	if len(left) == 0 {
		return w.syntaxAt(op, "")
	}
	w.column, w.caption = false, ""
	both := append(append(left, piece{", ", op.pos}), right...)
	w.out = append(w.out, both.wrap("concat(", ")")...)
	return nil
}

// match rewrites a [NOT] RLIKE b and a [NOT] ILIKE b, of which first is the
// first word.
func (w *walker) match(first token) error {
	function := "regexp_like("
	if w.tok(w.i).is("ilike") {
		function = "ilike("
	}
	left := w.takeSum()
	w.i++
	right, err := w.sum()
	if err != nil {
		return err
	}
	if len(left) == 0 {
		return w.syntaxAt(first, "")
	}
	both := append(append(left, piece{", ", first.pos}), right...)
	if w.tok(w.i).is("escape") && w.i < w.end && function == "ilike(" {
		at := w.tok(w.i).pos
		w.i++
		escape, err := w.sum()
		if err != nil {
			return err
		}
		both = append(append(both, piece{", ", at}), escape...)
	}
	w.column, w.caption = false, ""
	if first.is("not") {
		function = "NOT " + function
		w.out = append(w.out, both.wrap("("+function, "))")...)
		return nil
	}
	w.out = append(w.out, both.wrap(function, ")")...)
	return nil
}

// distinctFrom rewrites a IS [NOT] DISTINCT FROM b, where b begins at token i.
func (w *walker) distinctFrom(i int, distinct bool) error {
	op := w.tok(w.i)
	left := w.takeSum()
	w.i = i
	right, err := w.sum()
	if err != nil {
		return err
	}
	before := "("
	if distinct {
		before = "(NOT "
	}
	w.column, w.caption = false, ""
	both := append(append(left, piece{" <=> ", op.pos}), right...)
	w.out = append(w.out, both.wrap(before, ")")...)
	return nil
}

// product rewrites operands joined by *, / and %, without the gap before them.
func (w *walker) product() (pieces, error) {
	var out pieces
	for first := true; ; first = false {
		if !first && w.i < w.end {
			out = append(out, w.gap(w.i))
		}
		for w.i < w.end && (w.tok(w.i).is("-") || w.tok(w.i).is("+") || w.tok(w.i).is("~")) {
			out = append(out, w.verbatim(w.i))
			w.i++
		}
		if w.i >= w.end {
			return nil, w.syntaxAt(w.tok(w.i), "an expression is expected")
		}
		p, err := w.primary()
		if err != nil {
			return nil, err
		}
		out = append(out, p...)
		if t := w.tok(w.i); w.i >= w.end || !t.is("*") && !t.is("/") && !t.is("%") {
			return out, nil
		}
		out = append(out, w.gap(w.i), w.verbatim(w.i))
		w.i++
	}
}

// sum rewrites products joined by + and -, without the gap before them.
func (w *walker) sum() (pieces, error) {
	var out pieces
	for first := true; ; first = false {
		if !first && w.i < w.end {
			out = append(out, w.gap(w.i))
		}
		p, err := w.product()
		if err != nil {
			return nil, err
		}
		out = append(out, p...)
		if t := w.tok(w.i); w.i >= w.end || !t.is("+") && !t.is("-") {
			return out, nil
		}
		out = append(out, w.gap(w.i), w.verbatim(w.i))
		w.i++
	}
}

// nullsOrder rewrites NULLS FIRST and LAST. Without them NULLs are first in
// ascending order and last in descending order, here as in Spark.
func (w *walker) nullsOrder(first bool) error {
	desc := w.tok(w.i - 1).is("desc")
	if first == !desc {
		w.i += 2
		return nil
	}
	end := w.itemEnd
	if end == 0 {
		end = len(w.out)
	}
	item := append(pieces(nil), w.out[w.itemStart:]...)
	if end-w.itemStart < 2 {
		return w.syntaxAt(w.tok(w.i), "")
	}
	key := append(pieces(nil), w.out[w.itemStart+1:end]...)
	if end-w.itemStart == 2 {
		// The engine takes a number or an alias only where it stands alone.
		t := w.tok(w.i - 1)
		if w.itemEnd != 0 {
			t = w.tok(w.i - 2)
		}
		if expr, ok := w.sc.item(t); ok {
			key = expr
		} else if t.kind == tokNumber {
			return w.syntaxAt(w.tok(w.i), "NULLS FIRST and NULLS LAST need a column or expression, not its number")
		}
	}
	after := ") IS NULL, "
	if desc {
		after = ") IS NULL DESC, "
	}
	w.out = append(w.out[:w.itemStart], item[0])
	w.out = append(w.out, key.wrap("(", after)...)
	w.out = append(w.out, item[1:]...)
	w.i += 2
	return nil
}
