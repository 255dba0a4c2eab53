package dialect

import (
	"slices"
	"strings"
)

// duration is one value and unit of an interval.
type duration struct {
	value pieces
	unit  string
}

// interval rewrites INTERVAL 7 DAYS, INTERVAL '7' DAY, INTERVAL '7 days' and
// INTERVAL 1 DAY 2 HOURS. The engine adds and subtracts intervals of one unit.
func (w *walker) interval() (pieces, error) {
	first := w.i
	var all []duration
	if s := w.tok(first + 1); s.kind == tokString && w.tok(first+3).is("to") && first+4 < w.end {
		all = rangeDurations(s, w.tok(first+2), w.tok(first+4))
		w.i = first + 5
		if all == nil {
			return nil, w.syntaxAt(s, "an interval such as '1 02:03' DAY TO MINUTE or '1-2' YEAR TO MONTH is expected")
		}
	} else if s.kind == tokString && intervalUnit(w.tok(first+2)) == "" {
		all = textDurations(s)
		w.i = first + 2
		if all == nil {
			return nil, w.syntaxAt(s, "an interval has a number and a unit")
		}
	} else if s.is("(") {
		j, err := w.closing(first+1, w.end)
		if err != nil {
			return nil, err
		}
		if intervalUnit(w.tok(j+1)) == "" || j+1 >= w.end {
			return w.call([]string{"interval"}, first+1)
		}
	}
	for w.i = max(w.i, first+1); w.i < w.end && len(all) == 0 || w.isDuration(); {
		value, err := w.intervalValue()
		if err != nil {
			return nil, err
		}
		unit := intervalUnit(w.tok(w.i))
		if unit == "" || w.i >= w.end {
			return nil, w.syntaxAt(w.tok(min(w.i, w.end)), "a unit such as DAY is expected")
		}
		w.i++
		all = append(all, duration{value, unit})
	}
	return w.intervals(first, all)
}

// intervalValue rewrites what is before a unit. A sum is one as in MySQL, where
// it needs no brackets.
func (w *walker) intervalValue() (pieces, error) {
	value, err := w.product()
	sum := false
	for err == nil && w.i < w.end && (w.tok(w.i).is("+") || w.tok(w.i).is("-")) {
		value = append(value, w.gap(w.i), w.verbatim(w.i))
		w.i++
		var next pieces
		next, err = w.product()
		value, sum = append(value, next...), true
	}
	if err != nil {
		return nil, err
	}
	if sum {
		value = value.wrap("(", ")")
	}
	return value, nil
}

// isDuration reports whether a number and a unit follow.
func (w *walker) isDuration() bool {
	return w.i+1 < w.end && w.tok(w.i).kind == tokNumber && intervalUnit(w.tok(w.i+1)) != ""
}

// intervals writes INTERVAL value unit, repeating the operator before it.
func (w *walker) intervals(first int, all []duration) (pieces, error) {
	op := w.tok(first - 1)
	if len(all) > 1 && !op.is("+") && !op.is("-") {
		return nil, w.syntaxAt(w.tok(first), "an interval of several units can only be added or subtracted")
	}
	var out pieces
	for i, d := range all {
		if i > 0 {
			out = append(out, piece{" " + op.val + " ", w.tok(first).pos})
		}
		if d.unit == "MILLISECOND" {
			d.value, d.unit = d.value.wrap("((", ") * 1000)"), "MICROSECOND"
		}
		out = append(out, piece{"INTERVAL ", w.tok(first).pos})
		out = append(append(out, d.value...), piece{" " + d.unit, w.tok(w.i - 1).pos})
	}
	if next := w.tok(w.i); w.i < w.end && next.isName() && next.pos == w.tok(w.i-1).end {
		// A word may follow a string closely, but not a unit.
		out = append(out, piece{" ", next.pos})
	}
	return out, nil
}

// textDurations reads the text of INTERVAL '1 day 2 hours'.
func textDurations(s token) []duration {
	fields := strings.Fields(s.val)
	if len(fields) > 0 && strings.EqualFold(fields[0], "interval") {
		fields = fields[1:]
	}
	if len(fields)%2 != 0 {
		return nil
	}
	var all []duration
	for i := 0; i < len(fields); i += 2 {
		unit := intervalUnit(token{kind: tokWord, val: fields[i+1]})
		if unit == "" || strings.Trim(fields[i], "0123456789.+-") != "" {
			return nil
		}
		all = append(all, duration{pieces{{fields[i], s.pos}}, unit})
	}
	return all
}

// rangeDurations reads the text of INTERVAL '1 02:03' DAY TO MINUTE; nil if it
// does not have just these units.
func rangeDurations(s, from, to token) []duration {
	units := []string{"YEAR", "MONTH"}
	fields := strings.FieldsFunc(strings.TrimLeft(s.val, "+-"), func(r rune) bool { return strings.ContainsRune(" -:", r) })
	first, last := intervalUnit(from), intervalUnit(to)
	if first != "YEAR" {
		units = []string{"DAY", "HOUR", "MINUTE", "SECOND"}
	}
	i, j := slices.Index(units, first), slices.Index(units, last)
	if i < 0 || j <= i || len(fields) != j-i+1 {
		return nil
	}
	sign := ""
	if strings.HasPrefix(s.val, "-") {
		sign = "-"
	}
	var all []duration
	for n, field := range fields {
		if strings.Trim(field, "0123456789.") != "" {
			return nil
		}
		all = append(all, duration{pieces{{sign + field, s.pos}}, units[i+n]})
	}
	return all
}

// intervalUnit returns the engine's name of a unit, or "" if t is none.
func intervalUnit(t token) string {
	if t.kind != tokWord {
		return ""
	}
	unit := strings.ToUpper(t.val)
	switch singular := strings.TrimSuffix(unit, "S"); singular {
	case "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND":
		return singular
	}
	switch unit {
	case "YEAR_MONTH", "DAY_HOUR", "DAY_MINUTE", "DAY_SECOND", "DAY_MICROSECOND", "HOUR_MINUTE", "HOUR_SECOND",
		"HOUR_MICROSECOND", "MINUTE_SECOND", "MINUTE_MICROSECOND", "SECOND_MICROSECOND":
		return unit
	}
	return ""
}
