package predicate

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
)

// function is one that can be folded, with the number of its arguments.
type function struct {
	min, max int
	// keepNull is set if the function itself deals with NULL arguments; all
	// others are NULL if one of theirs is.
	keepNull bool
	fold     func(args []Value, env Env) (Value, error)
}

// lookup finds a function by its name in lower case. Names are Spark's.
func lookup(name string) (function, bool) {
	if t, ok := castFunctions[name]; ok {
		return function{1, 1, false, func(args []Value, env Env) (Value, error) {
			return CastValue(args[0], Type{Name: t, Precision: 10}, env)
		}}, true
	}
	if f, ok := timeFunctions[name]; ok {
		return f, true
	}
	if f, ok := textFunctions[name]; ok {
		return f, true
	}
	if _, ok := partUnits[name]; ok {
		return function{1, 1, false, func(args []Value, env Env) (Value, error) {
			return part(name, args[0], env)
		}}, true
	}
	return function{}, false
}

// castFunctions are the functions that are a CAST of their one argument.
var castFunctions = map[string]string{
	"boolean": "boolean", "tinyint": "tinyint", "smallint": "smallint", "int": "int", "bigint": "bigint",
	"float": "float", "double": "double", "decimal": "decimal", "string": "string", "binary": "binary",
	"date": "date", "to_date": "date", "timestamp": "timestamp", "to_timestamp": "timestamp",
	"to_timestamp_ltz": "timestamp", "to_timestamp_ntz": "timestamp_ntz",
}

// partUnits are the functions that give one field of a date or timestamp.
var partUnits = map[string]func(wall time.Time) int{
	"year": time.Time.Year, "month": func(t time.Time) int { return int(t.Month()) },
	"day": time.Time.Day, "dayofmonth": time.Time.Day, "hour": time.Time.Hour,
	"minute": time.Time.Minute, "second": time.Time.Second, "dayofyear": time.Time.YearDay,
	"quarter":   func(t time.Time) int { return (int(t.Month()) + 2) / 3 },
	"dayofweek": func(t time.Time) int { return int(t.Weekday()) + 1 },
}

func part(name string, v Value, env Env) (Value, error) {
	wall, err := toLocal(v, env)
	if err != nil {
		return nil, err
	}
	return Int(partUnits[name](wall)), nil
}

// toLocal reads a date, timestamp or string as wall clock time.
func toLocal(v Value, env Env) (time.Time, error) {
	if s, ok := v.(String); ok {
		t, err := parseTyped("timestamp", string(s), env)
		if err != nil {
			return time.Time{}, err
		}
		v = t
	}
	local, ok := AsLocal(v, env.zone())
	if !ok {
		return time.Time{}, fmt.Errorf("a value of type %s is not a date or timestamp", v.Kind())
	}
	return local.Time, nil
}

func toDate(v Value, env Env) (Date, error) {
	d, err := CastValue(v, Type{Name: "date"}, env)
	if err != nil {
		return 0, err
	}
	return d.(Date), nil
}

func toInt(v Value) (int64, error) {
	n, err := castInt(v, "bigint")
	if err == nil && n == nil {
		err = fmt.Errorf("a value of type %s is not a number", v.Kind())
	}
	if err != nil {
		return 0, err
	}
	return int64(n.(Int)), nil
}

var textFunctions = map[string]function{
	"concat": {0, math.MaxInt, false, concat},
	"lower":  {1, 1, false, onText(strings.ToLower)},
	"lcase":  {1, 1, false, onText(strings.ToLower)},
	"upper":  {1, 1, false, onText(strings.ToUpper)},
	"ucase":  {1, 1, false, onText(strings.ToUpper)},
	"trim":   {1, 1, false, onText(func(s string) string { return strings.Trim(s, " ") })},
	"coalesce": {1, math.MaxInt, true, func(args []Value, _ Env) (Value, error) {
		for _, v := range args {
			if _, ok := v.(Null); !ok {
				return v, nil
			}
		}
		return Null{}, nil
	}},
	"isnull": {1, 1, true, func(args []Value, _ Env) (Value, error) {
		_, ok := args[0].(Null)
		return Bool(ok), nil
	}},
	"isnotnull": {1, 1, true, func(args []Value, _ Env) (Value, error) {
		_, ok := args[0].(Null)
		return Bool(!ok), nil
	}},
	"isnan": {1, 1, true, func(args []Value, _ Env) (Value, error) {
		f, ok := Float64(args[0])
		return Bool(ok && math.IsNaN(f)), nil
	}},
	"startswith": {2, 2, false, func(args []Value, env Env) (Value, error) {
		s, prefix, err := twoTexts(args, env)
		return Bool(strings.HasPrefix(s, prefix)), err
	}},
	"abs": {1, 1, false, func(args []Value, _ Env) (Value, error) {
		if c, ok := orderNumbers(args[0], Int(0)); ok && c >= 0 {
			return args[0], nil
		}
		return negate(args[0])
	}},
	"floor": {1, 1, false, func(args []Value, _ Env) (Value, error) { return round(args[0], false) }},
	"ceil":  {1, 1, false, func(args []Value, _ Env) (Value, error) { return round(args[0], true) }},
}

func round(v Value, up bool) (Value, error) {
	r := Rational(v)
	if r == nil {
		return nil, fmt.Errorf("%s cannot be rounded", v)
	}
	if up {
		n := Floor(new(big.Rat).Neg(r))
		return intOf(new(big.Rat).SetInt(n.Neg(n)))
	}
	return intOf(new(big.Rat).SetInt(Floor(r)))
}

func concat(args []Value, env Env) (Value, error) {
	var out strings.Builder
	for _, v := range args {
		s, err := castString(v, env)
		if err != nil || s == nil {
			return nil, fmt.Errorf("a value of type %s cannot be concatenated", v.Kind())
		}
		out.WriteString(string(s.(String)))
	}
	return String(out.String()), nil
}

func onText(f func(string) string) func([]Value, Env) (Value, error) {
	return func(args []Value, env Env) (Value, error) {
		s, err := concat(args, env)
		if err != nil {
			return nil, err
		}
		return String(f(string(s.(String)))), nil
	}
}

func twoTexts(args []Value, env Env) (a, b string, err error) {
	x, err := concat(args[:1], env)
	if err != nil {
		return "", "", err
	}
	y, err := concat(args[1:], env)
	if err != nil {
		return "", "", err
	}
	return string(x.(String)), string(y.(String)), nil
}
