package dialect

import "strings"

// asOf rewrites the time travel at i, if any, to AS OF with one string; see the
// package's comment for its form.
func (r *rewriter) asOf(i, end int) (out pieces, next int, err error) {
	at := i
	if at < end && r.tok(at).is("for") {
		at++
	}
	kind := ""
	switch t := r.tok(at); {
	case t.is("version"), t.is("system_version") && at > i:
		kind = "v:"
	case t.is("timestamp"), t.is("system_time") && at > i:
		kind = "t:"
	case t.is("as") && at == i:
		at--
	default:
		return nil, i, nil
	}
	if at+3 >= end || !r.tok(at+1).is("as") || !r.tok(at+2).is("of") {
		return nil, i, nil
	}
	w := &walker{rewriter: r, i: at + 3, end: end, operand: true}
	start := w.i
	value, err := w.sum()
	if err != nil {
		return nil, 0, err
	}
	out = pieces{{" AS OF ", r.tok(i).pos}}
	switch text, ok := r.constant(start, w.i); {
	case kind == "", w.i == start+1 && r.tok(start).is("null"):
		out = append(out, value...)
	case ok:
		out = append(out, piece{quoteString(kind + text), r.tok(start).pos})
	default:
		out = append(out, value.wrap("concat('"+kind+"', ", ")")...)
	}
	return out, w.i, nil
}

// constant returns the text of a string, a whole number or a typed literal of
// tokens i to end-1.
func (r *rewriter) constant(i, end int) (string, bool) {
	t := r.tok(i)
	if end-i == 2 && (t.is("timestamp") || t.is("date") || t.is("timestamp_ltz")) {
		i++
		t = r.tok(i)
	}
	sign := ""
	if end-i == 2 && t.is("-") {
		i++
		sign, t = "-", r.tok(i)
	}
	if end-i != 1 || t.kind != tokString && t.kind != tokNumber {
		return "", false
	}
	return sign + strings.TrimSpace(t.val), true
}
