package predicate

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
)

// Order compares two constants that are not NULL, as Spark's ANSI coercion
// does: a string becomes the other's type, a date becomes the midnight of its
// day in the session's zone. The result is negative, 0 or positive.
func Order(a, b Value, env Env) (int, error) {
	if s, ok := a.(String); ok && b.Kind() != "string" {
		v, err := castLike(s, b, env)
		if err != nil {
			return 0, err
		}
		a = v
	}
	if s, ok := b.(String); ok && a.Kind() != "string" {
		v, err := castLike(s, a, env)
		if err != nil {
			return 0, err
		}
		b = v
	}
	if c, ok := orderNumbers(a, b); ok {
		return c, nil
	}
	if c, ok := orderTimes(a, b, env); ok {
		return c, nil
	}
	if a.Kind() == b.Kind() {
		switch a := a.(type) {
		case Bool:
			return cmp.Compare(rank(bool(a)), rank(bool(b.(Bool)))), nil
		case String:
			return cmp.Compare(a, b.(String)), nil
		case Binary:
			return bytes.Compare(a, b.(Binary)), nil
		case TimeOfDay:
			return cmp.Compare(a, b.(TimeOfDay)), nil
		}
	}
	return 0, fmt.Errorf("a value of type %s cannot be compared with one of type %s; use CAST", a.Kind(), b.Kind())
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// orderNumbers compares exactly unless one side is a float or double. NaN is
// equal to itself and greater than all else.
func orderNumbers(a, b Value) (int, bool) {
	x, ok := Float64(a)
	y, ok2 := Float64(b)
	if !ok || !ok2 {
		return 0, false
	}
	if exact(a) && exact(b) {
		return Rational(a).Cmp(Rational(b)), true
	}
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return cmp.Compare(rank(math.IsNaN(x)), rank(math.IsNaN(y))), true
	default:
		return cmp.Compare(x, y), true
	}
}

func exact(v Value) bool {
	switch v.(type) {
	case Int, Decimal:
		return true
	}
	return false
}

func orderTimes(a, b Value, env Env) (int, bool) {
	if x, ok := a.(Date); ok {
		if y, ok := b.(Date); ok {
			return cmp.Compare(x, y), true
		}
	}
	if x, ok := a.(Timestamp); ok {
		if y, ok := AsTimestamp(b, env.zone()); ok {
			return x.Compare(y.Time), true
		}
	}
	if y, ok := b.(Timestamp); ok {
		if x, ok := AsTimestamp(a, env.zone()); ok {
			return x.Compare(y.Time), true
		}
	}
	x, ok := AsLocal(a, env.zone())
	y, ok2 := AsLocal(b, env.zone())
	if !ok || !ok2 {
		return 0, false
	}
	return x.Compare(y.Time), true
}
