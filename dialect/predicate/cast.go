package predicate

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Type is a SQL type: boolean, tinyint, smallint, int, bigint, float, double,
// decimal, string, binary, date, timestamp, timestamp_ntz or time.
type Type struct {
	Name string
	// Precision and Scale are those of a decimal.
	Precision, Scale int
}

// String is the type as it is written in a CAST.
func (t Type) String() string {
	if t.Name == "decimal" {
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	}
	return t.Name
}

// AsTimestamp is a date or timestamp as an instant, in zone.
func AsTimestamp(v Value, zone *time.Location) (Timestamp, bool) {
	switch v := v.(type) {
	case Timestamp:
		return v, true
	case LocalTimestamp:
		return Timestamp{Instant(v.Time, zone)}, true
	case Date:
		return Timestamp{Instant(v.Midnight(), zone)}, true
	}
	return Timestamp{}, false
}

// AsLocal is a date or timestamp as wall clock time in zone.
func AsLocal(v Value, zone *time.Location) (LocalTimestamp, bool) {
	switch v := v.(type) {
	case Timestamp:
		return LocalTimestamp{Wall(v.Time, zone)}, true
	case LocalTimestamp:
		return v, true
	case Date:
		return LocalTimestamp{v.Midnight()}, true
	}
	return LocalTimestamp{}, false
}

// CastValue converts a constant as CAST(v AS t) does under ANSI rules. NULL
// stays NULL.
func CastValue(v Value, t Type, env Env) (Value, error) {
	if _, ok := v.(Null); ok {
		return v, nil
	}
	var out Value
	var err error
	switch t.Name {
	case "boolean":
		out, err = castBool(v)
	case "tinyint", "smallint", "int", "bigint":
		out, err = castInt(v, t.Name)
	case "float", "double":
		out, err = castDouble(v, t.Name)
	case "decimal":
		out, err = castDecimal(v, t)
	case "string":
		out, err = castString(v, env)
	case "binary":
		out, err = castBinary(v)
	default:
		out, err = castTime(v, t.Name, env)
	}
	if err == nil && out == nil {
		err = fmt.Errorf("a value of type %s cannot be cast to %s", v.Kind(), t)
	}
	return out, err
}

// castLike converts a string to the type of another constant. Numbers are
// compared exactly, whatever integer type the other has.
func castLike(s String, other Value, env Env) (Value, error) {
	switch other.(type) {
	case Decimal:
		return ParseDecimal(strings.TrimSpace(string(s)))
	case Interval:
		return nil, fmt.Errorf("a string cannot be compared with an interval")
	}
	return CastValue(s, Type{Name: other.Kind()}, env)
}

func castBool(v Value) (Value, error) {
	switch v := v.(type) {
	case Bool:
		return v, nil
	case Int:
		return Bool(v != 0), nil
	case Decimal:
		return Bool(v.Rat.Sign() != 0), nil
	case Float, Double:
		f, _ := Float64(v)
		return Bool(f != 0), nil
	case String:
		switch strings.ToLower(strings.TrimSpace(string(v))) {
		case "t", "true", "y", "yes", "1":
			return Bool(true), nil
		case "f", "false", "n", "no", "0":
			return Bool(false), nil
		}
		return nil, fmt.Errorf("%s is not a boolean; write true or false", clip(v.String()))
	}
	return nil, nil
}

func castInt(v Value, name string) (Value, error) {
	bits := map[string]int{"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}[name]
	var n *big.Int
	switch v := v.(type) {
	case Bool:
		n = big.NewInt(int64(rank(bool(v))))
	case Int, Decimal, Float, Double:
		r := Rational(v)
		if r == nil {
			return nil, fmt.Errorf("%s is out of the range of %s", clip(v.String()), name)
		}
		n = new(big.Int).Quo(r.Num(), r.Denom())
	case String:
		i, err := strconv.ParseInt(strings.TrimSpace(string(v)), 10, bits)
		if err != nil {
			return nil, fmt.Errorf("%s is not a number in the range of %s", clip(v.String()), name)
		}
		return Int(i), nil
	case Timestamp:
		return Int(v.Unix()), nil
	default:
		return nil, nil
	}
	if !n.IsInt64() || n.Int64()<<(64-bits)>>(64-bits) != n.Int64() {
		return nil, fmt.Errorf("%s is out of the range of %s", clip(v.String()), name)
	}
	return Int(n.Int64()), nil
}

func castDouble(v Value, name string) (Value, error) {
	f, ok := Float64(v)
	switch v := v.(type) {
	case Bool:
		f = float64(rank(bool(v)))
	case String:
		text := strings.TrimSpace(string(v))
		if strings.ContainsAny(text, "xX_pP") {
			return nil, fmt.Errorf("%s is not a number", clip(v.String()))
		}
		var err error
		if f, err = strconv.ParseFloat(text, 64); err != nil && !math.IsInf(f, 0) {
			return nil, fmt.Errorf("%s is not a number", clip(v.String()))
		}
	default:
		if !ok {
			return nil, nil
		}
	}
	if name == "float" {
		return Float(f), nil
	}
	return Double(f), nil
}

func castDecimal(v Value, t Type) (Value, error) {
	r := Rational(v)
	switch v := v.(type) {
	case Bool:
		r = new(big.Rat).SetInt64(int64(rank(bool(v))))
	case String:
		d, err := ParseDecimal(strings.TrimSpace(string(v)))
		if err != nil {
			return nil, err
		}
		r = d.Rat
	case Int, Decimal, Float, Double:
		if r == nil {
			return nil, fmt.Errorf("%s is out of the range of %s", clip(v.String()), t)
		}
	default:
		return nil, nil
	}
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil))
	scaled := new(big.Rat).Mul(r, unit)
	half := big.NewRat(1, 2)
	n := Floor(new(big.Rat).Add(new(big.Rat).Abs(scaled), half))
	if len(n.String()) > t.Precision && n.Sign() != 0 {
		return nil, fmt.Errorf("%s is out of the range of %s", clip(v.String()), t)
	}
	if scaled.Sign() < 0 {
		n.Neg(n)
	}
	return Decimal{Rat: new(big.Rat).Quo(new(big.Rat).SetInt(n), unit), Scale: t.Scale}, nil
}

func castString(v Value, env Env) (Value, error) {
	switch v := v.(type) {
	case String:
		return v, nil
	case Bool:
		return String(strings.ToLower(v.String())), nil
	case Int, Decimal, Date, TimeOfDay, LocalTimestamp:
		return String(v.String()), nil
	case Timestamp:
		return String(LocalTimestamp{Wall(v.Time, env.zone())}.String()), nil
	case Binary:
		return String(strings.ToValidUTF8(string(v), "\uFFFD")), nil
	}
	return nil, nil
}

func castBinary(v Value) (Value, error) {
	switch v := v.(type) {
	case Binary:
		return v, nil
	case String:
		return Binary(v), nil
	}
	return nil, nil
}

func castTime(v Value, name string, env Env) (Value, error) {
	switch v := v.(type) {
	case String:
		return parseTyped(name, string(v), env)
	case Int:
		if name == "timestamp" && secondsInRange(int64(v)) {
			return Timestamp{time.Unix(int64(v), 0).UTC()}, nil
		}
	case TimeOfDay:
		if name == "time" {
			return v, nil
		}
	case Date, Timestamp, LocalTimestamp:
		switch name {
		case "date":
			if local, ok := AsLocal(v, env.zone()); ok {
				return DateOf(local.Time), nil
			}
		case "timestamp":
			t, _ := AsTimestamp(v, env.zone())
			return t, nil
		case "timestamp_ntz":
			t, _ := AsLocal(v, env.zone())
			return t, nil
		}
	}
	return nil, nil
}

// parseTyped reads the text of a typed literal, which is also that of a cast.
func parseTyped(name, text string, env Env) (Value, error) {
	switch name {
	case "date":
		return parseDate(text, env)
	case "time":
		return parseClock(text)
	case "timestamp", "timestamp_ntz":
		wall, zone, err := parseTimestamp(text, env)
		if err != nil {
			return nil, err
		}
		if name == "timestamp_ntz" {
			return LocalTimestamp{wall}, nil
		}
		if zone == nil {
			zone = env.zone()
		}
		return Timestamp{Instant(wall, zone)}, nil
	}
	return nil, nil
}

// secondsInRange tells whether a Unix time is within the years that
// timestamps of microseconds can have.
func secondsInRange(s int64) bool { return -1<<43 < s && s < 1<<43 }
