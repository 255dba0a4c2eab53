package dialect

import "strings"

// primary rewrites one operand with what follows it closely: subscripts, fields
// and OVER. The pieces begin at its first token.
func (w *walker) primary() (pieces, error) {
	t := w.tok(w.i)
	w.column, w.caption = false, ""
	var out pieces
	var err error
	switch {
	case t.is("("):
		out, w.i, err = w.parenthesized(w.i, w.end, w.sc)
	case t.kind == tokString:
		out = w.stringLiteral()
	case t.kind == tokNumber:
		out = w.number(t)
	case t.isName():
		out, err = w.word(t)
	default:
		out = pieces{w.verbatim(w.i)}
		w.i++
	}
	if err != nil {
		return nil, err
	}
	if out, err = w.postfix(out); err != nil {
		return nil, err
	}
	if alias, ok := w.sc.alias(out); ok {
		return pieces{{quoteName(alias), t.pos}}, nil
	}
	return out, nil
}

// number rewrites a number with a suffix: 1L is a BIGINT, 1D and 1F are doubles,
// 1.5BD is what it is without.
func (w *walker) number(t token) pieces {
	w.i++
	val := t.val
	switch suffix := strings.ToLower(w.text[t.pos+len(t.val) : t.end]); {
	case (suffix == "d" || suffix == "f") && !strings.ContainsAny(val, "eE"):
		val += "e0"
	case suffix == "l":
		val = "cast_as(" + val + ", 'bigint')"
	}
	return pieces{{val, t.pos}}
}

// stringLiteral passes strings through that the engine reads as Spark does.
func (w *walker) stringLiteral() pieces {
	var out pieces
	for first := true; w.i < w.end && w.tok(w.i).kind == tokString; first = false {
		p := w.verbatim(w.i)
		if t := w.tok(w.i); !t.plain {
			p.text = quoteString(t.val)
		}
		if !first {
			out = append(out, w.gap(w.i))
		}
		out = append(out, p)
		w.i++
	}
	return out
}

// word rewrites an operand that begins with a name or keyword.
func (w *walker) word(t token) (pieces, error) {
	next := w.tok(w.i + 1)
	if w.i+1 >= w.end {
		next = w.eof()
	}
	if t.is("interval") && isIntervalValue(next) {
		return w.interval()
	}
	if t.kind == tokWord && next.kind == tokString {
		return w.prefixedString(t), nil
	}
	if t.is("case") && !next.is(".") && next.kind != tokEOF {
		return w.caseExpr()
	}
	if t.kind == tokWord && !next.is(".") && !next.is("(") && isValueWord(t.val) {
		w.i++
		return pieces{w.verbatim(w.i - 1)}, nil
	}
	parts, after := w.dotted(w.i, w.end)
	switch {
	case after < w.end && w.tok(after).is("("):
		return w.call(parts, after)
	case after+1 < w.end && w.tok(after).is(".") && w.tok(after+1).is("*"):
		return w.star(parts, after), nil
	}
	return w.path(parts, after), nil
}

// isIntervalValue reports whether t, after INTERVAL, begins its value. Before
// others interval is a column.
func isIntervalValue(t token) bool {
	return t.is("-") || t.is("+") || !followsOperand(t)
}

// isValueWord reports whether the engine's grammar has a value of that name.
func isValueWord(word string) bool {
	switch strings.ToLower(word) {
	case "null", "true", "false", "default", "maxvalue", "current_date", "current_time", "current_timestamp",
		"current_user", "localtime", "localtimestamp", "utc_date", "utc_time", "utc_timestamp":
		return true
	}
	return false
}

// prefixedString rewrites a typed literal, and passes N'…', X'…' and _utf8'…'.
func (w *walker) prefixedString(t token) pieces {
	s := w.tok(w.i + 1)
	function := ""
	switch strings.ToLower(t.val) {
	case "timestamp", "timestamp_ltz", "timestamp_ntz":
		function = "timestamp_literal"
	case "date":
		function = "date_literal"
	}
	if function == "" {
		w.i += 2
		return pieces{w.verbatim(w.i - 2), w.gap(w.i - 1), w.verbatim(w.i - 1)}
	}
	w.i += 2
	return pieces{{function + "(" + quoteString(s.val) + ")", t.pos}}
}

// caseExpr rewrites CASE … END.
func (w *walker) caseExpr() (pieces, error) {
	inner := &walker{rewriter: w.rewriter, sc: w.sc, i: w.i + 1, end: w.end, operand: true}
	for inner.i < inner.end {
		if t := inner.tok(inner.i); !inner.operand && t.is("end") {
			out := append(pieces{w.verbatim(w.i)}, inner.out...)
			out = append(out, w.gap(inner.i), w.verbatim(inner.i))
			w.i = inner.i + 1
			return out, nil
		}
		var err error
		if inner.operand {
			err = inner.stepOperand()
		} else {
			err = inner.stepOperator()
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, w.syntaxAt(w.tok(w.end), "CASE without END")
}

// star rewrites t.*, where t may be a table's full name.
func (w *walker) star(parts []string, after int) pieces {
	first := w.i
	w.i = after + 2
	w.column = true
	if rel, n := w.sc.match(parts, len(parts)); n == len(parts) {
		return pieces{{name(rel.name) + ".*", w.tok(first).pos}}
	}
	out := pieces{w.verbatim(first)}
	for i := first + 1; i < w.i; i++ {
		out = append(out, w.gap(i), w.verbatim(i))
	}
	return out
}

// path rewrites a column, which may be qualified and followed by fields.
func (w *walker) path(parts []string, after int) pieces {
	first := w.i
	w.i = after
	if expr, n := w.sc.viewColumn(parts); n > 0 {
		for _, field := range parts[n:] {
			expr = expr.wrap("struct_field(", ", "+quoteString(field)+")")
		}
		w.caption = parts[len(parts)-1]
		return expr
	}
	rel, n := w.sc.match(parts, len(parts)-1)
	before := ""
	if of, ok := w.sc.hidden(w.tok(first)); ok && n == 0 && len(parts) > 1 {
		before = name(of.name) + "."
	} else if expr, ok := w.sc.aliased(w.tok(first)); ok && n == 0 && !w.isAlone(first, after) {
		for _, field := range parts[1:] {
			expr = expr.wrap("struct_field(", ", "+quoteString(field)+")")
		}
		return expr
	}
	col := first + 2*n
	p := w.verbatim(col)
	if t := w.tok(col); t.kind == tokWord && isRefused(t.val) {
		p.text = quoteName(t.val)
	}
	p.text = before + p.text
	out := pieces{p}
	if n > 0 {
		out = append(pieces{{name(rel.name) + ".", w.tok(first).pos}}, out...)
		if q := w.verbatim(first); n == 1 && strings.EqualFold(parts[0], rel.name) && (w.tok(first).kind == tokQuoted || !isRefused(parts[0])) {
			out[0].text = q.text + "."
		}
	}
	w.column = n == len(parts)-1
	if !w.column {
		w.caption = parts[len(parts)-1]
	}
	for _, field := range parts[n+1:] {
		out = out.wrap("struct_field(", ", "+quoteString(field)+")")
	}
	return out
}

// isAlone reports whether tokens i to end-1 are an item of ORDER BY.
func (w *walker) isAlone(i, end int) bool {
	before, after := w.tok(i-1), w.tok(end)
	return end == i+1 && (before.is("by") || before.is(",")) &&
		(end >= w.end || after.is(",") || after.is("asc") || after.is("desc") || after.is("nulls"))
}

// postfix rewrites what follows an operand closely.
func (w *walker) postfix(out pieces) (pieces, error) {
	for w.i < w.end {
		t := w.tok(w.i)
		switch {
		case t.is("["):
			j, err := w.closing(w.i, w.end)
			if err != nil {
				return nil, err
			}
			key, err := w.expressions(w.i+1, j, w.sc)
			if err != nil {
				return nil, err
			}
			caption := ""
			if base := w.lastPart(out); base != "" && j == w.i+2 {
				caption = base + "[" + w.tok(w.i+1).val + "]"
			}
			out = append(append(out, piece{", ", t.pos}), key...).wrap("element_at_index(", ")")
			w.i, w.column, w.caption = j+1, false, caption
		case t.is(".") && w.i+1 < w.end && w.tok(w.i+1).isName():
			field := w.tok(w.i + 1)
			out = out.wrap("struct_field(", ", "+quoteString(field.val)+")")
			w.i, w.column, w.caption = w.i+2, false, field.val
		case t.is("::") && w.i+1 < w.end:
			from := w.i + 1
			to := from + 1
			if to < w.end && w.tok(to).is("(") {
				j, err := w.closing(to, w.end)
				if err != nil {
					return nil, err
				}
				to = j + 1
			}
			cast, err := w.castTo(out, from, to, false)
			if err != nil {
				return nil, err
			}
			out, w.i, w.column, w.caption = cast, to, false, ""
		case t.is("over") && w.tok(w.i-1).is(")") && w.tok(w.i+1).is("("):
			window, next, err := w.parenthesized(w.i+1, w.end, w.sc)
			if err != nil {
				return nil, err
			}
			out = append(append(out, w.gap(w.i), w.verbatim(w.i), w.gap(w.i+1)), window...)
			w.i, w.caption = next, ""
		default:
			return out, nil
		}
	}
	return out, nil
}

// lastPart is the name of the column or field that the operand before token i
// is, or "".
func (w *walker) lastPart(out pieces) string {
	if w.column && len(out) > 0 && w.tok(w.i-1).isName() {
		return w.tok(w.i - 1).val
	}
	return w.caption
}
