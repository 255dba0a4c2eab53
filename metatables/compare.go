package metatables

import (
	"bytes"
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/datafile"
)

// test is a comparison with constants. It says no only where the engine would,
// too: what is NULL equals nothing, but may be other than something.
type test struct {
	op     iceberg.Operation
	wholes []int64
	texts  [][]byte
}

// newTest takes a bound predicate apart; ok is false if it compares what a test
// does not know.
func newTest(e iceberg.BooleanExpression) (t test, ok bool) {
	t.op = e.Op()
	switch p := e.(type) {
	case iceberg.BoundLiteralPredicate:
		return t, t.add(p.Literal())
	case iceberg.BoundSetPredicate:
		for _, lit := range p.Literals().Members() {
			if !t.add(lit) {
				return t, false
			}
		}
		return t, true
	case iceberg.BoundUnaryPredicate:
		return t, t.op == iceberg.OpIsNull || t.op == iceberg.OpNotNull
	}
	return t, false
}

func (t *test) add(lit iceberg.Literal) bool {
	v := lit.Any()
	if n, ok := datafile.Whole(v); ok {
		t.wholes = append(t.wholes, n)
		return true
	}
	s, ok := v.(string)
	t.texts = append(t.texts, []byte(s))
	return ok
}

// whole tests a whole number; ok is false for NULL.
func (t test) whole(v int64, ok bool) bool {
	if !ok {
		return t.null()
	}
	return t.between(v, v)
}

// null says whether NULL may meet the test.
func (t test) null() bool {
	switch t.op {
	case iceberg.OpIsNull, iceberg.OpNEQ, iceberg.OpNotIn, iceberg.OpNotStartsWith:
		return true
	}
	return false
}

// between says whether a number from low to high may meet the test.
func (t test) between(low, high int64) bool {
	switch t.op {
	case iceberg.OpIsNull:
		return false
	case iceberg.OpLT:
		return low < t.wholes[0]
	case iceberg.OpLTEQ:
		return low <= t.wholes[0]
	case iceberg.OpGT:
		return high > t.wholes[0]
	case iceberg.OpGTEQ:
		return high >= t.wholes[0]
	case iceberg.OpEQ, iceberg.OpIn:
		return slices.ContainsFunc(t.wholes, func(v int64) bool { return low <= v && v <= high })
	case iceberg.OpNEQ, iceberg.OpNotIn:
		return low != high || !slices.Contains(t.wholes, low)
	}
	return true
}

// text tests a text; nil is NULL.
func (t test) text(v []byte) bool {
	if v == nil {
		return t.null()
	}
	switch t.op {
	case iceberg.OpIsNull:
		return false
	case iceberg.OpEQ, iceberg.OpIn:
		return slices.ContainsFunc(t.texts, func(text []byte) bool { return mayEqual(v, text) })
	case iceberg.OpStartsWith:
		return len(t.texts) != 1 || mayBegin(v, t.texts[0])
	case iceberg.OpNEQ, iceberg.OpNotIn:
		return !slices.ContainsFunc(t.texts, func(text []byte) bool { return bytes.Equal(v, text) })
	case iceberg.OpLT, iceberg.OpLTEQ:
		return compareSurely(v, t.texts[0]) <= 0
	case iceberg.OpGT, iceberg.OpGTEQ:
		return compareSurely(v, t.texts[0]) >= 0
	}
	return true
}

// textsBetween says whether a text from low to high, byte by byte, may meet
// the test. Such texts begin with what low and high have in common, and go on
// with a byte between.
func (t test) textsBetween(low, high []byte) bool {
	if bytes.Equal(low, high) {
		return t.text(low)
	}
	var begins bool
	switch t.op {
	case iceberg.OpIsNull:
		return false
	case iceberg.OpEQ, iceberg.OpIn:
	case iceberg.OpStartsWith:
		begins = true
	default:
		return true
	}
	same := 0
	for same < len(low) && same < len(high) && low[same] == high[same] {
		same++
	}
	return slices.ContainsFunc(t.texts, func(text []byte) bool {
		if begins && len(text) <= same {
			return mayBegin(low[:same], text)
		}
		if !mayBegin(text, low[:same]) {
			return false
		}
		if same >= len(text) || same >= len(low) || same >= len(high) || !plain(text) || !plain(low[:same+1]) || !plain(high[:same+1]) {
			return true
		}
		next := text[same : same+1]
		lower, upper := bytes.ToLower(next)[0], bytes.ToUpper(next)[0]
		return low[same] <= lower && lower <= high[same] || low[same] <= upper && upper <= high[same]
	})
}

// plain says whether a text has printable ASCII characters only. Collations may
// take others for equal to these, or for nothing.
func plain(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c < ' ' || c > '~' })
}

// mayEqual says whether a collation may take two texts for equal: it may
// overlook case, and spaces at the end.
func mayEqual(a, b []byte) bool {
	return !plain(a) || !plain(b) || bytes.EqualFold(bytes.TrimRight(a, " "), bytes.TrimRight(b, " "))
}

// mayBegin says whether a collation may take text for one that begins with
// prefix.
func mayBegin(text, prefix []byte) bool {
	if !plain(text) || !plain(prefix) {
		return true
	}
	prefix = bytes.TrimRight(prefix, " ")
	return len(text) >= len(prefix) && bytes.EqualFold(text[:len(prefix)], prefix)
}

// compareSurely is below or above 0 if every collation has a before or after b;
// 0 if that is not certain. It is where the first difference is one of letters
// or of digits, whatever their case.
func compareSurely(a, b []byte) int {
	if !plain(a) || !plain(b) {
		return 0
	}
	x, y := bytes.ToLower(a), bytes.ToLower(b)
	for i := 0; i < len(x) && i < len(y); i++ {
		if x[i] == y[i] {
			if a[i] != b[i] {
				return 0 // by bytes, the case decides
			}
			continue
		}
		if !digit(x[i]) && !letter(a[i], b[i]) || digit(x[i]) != digit(y[i]) {
			return 0
		}
		return int(x[i]) - int(y[i])
	}
	return 0
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// letter says whether two are letters of the same case.
func letter(a, b byte) bool {
	return 'a' <= a && a <= 'z' && 'a' <= b && b <= 'z' || 'A' <= a && a <= 'Z' && 'A' <= b && b <= 'Z'
}
