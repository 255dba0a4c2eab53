package predicate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
)

var (
	errOverflow   = errors.New("the result is out of range")
	errZeroDivide = errors.New("division by zero")
)

// arithmetic folds a binary operator of two constants.
func arithmetic(op string, a, b Value, env Env) (Value, error) {
	_, aNull := a.(Null)
	_, bNull := b.(Null)
	if aNull || bNull {
		return Null{}, nil
	}
	if op == "||" {
		return concat([]Value{a, b}, env)
	}
	if v, done, err := shiftTime(op, a, b, env); done {
		return v, err
	}
	if s, ok := a.(String); ok {
		a = numberOf(s, b)
	}
	if s, ok := b.(String); ok {
		b = numberOf(s, a)
	}
	x, ok := Float64(a)
	y, ok2 := Float64(b)
	if !ok || !ok2 {
		return nil, fmt.Errorf("%s is not defined for types %s and %s", op, a.Kind(), b.Kind())
	}
	if !exact(a) || !exact(b) {
		return arithmeticDouble(op, x, y)
	}
	return arithmeticExact(op, a, b)
}

// numberOf is a string as the number it is in arithmetic, or as it was.
func numberOf(s String, other Value) Value {
	if _, ok := Float64(other); !ok {
		return s
	}
	if d, err := parseDouble(strings.TrimSpace(string(s))); err == nil {
		return d
	}
	return s
}

func arithmeticDouble(op string, x, y float64) (Value, error) {
	switch op {
	case "+":
		return Double(x + y), nil
	case "-":
		return Double(x - y), nil
	case "*":
		return Double(x * y), nil
	}
	if y == 0 {
		return nil, errZeroDivide
	}
	switch op {
	case "/":
		return Double(x / y), nil
	case "div":
		q := math.Trunc(x / y)
		if math.Abs(q) >= math.MaxInt64 || math.IsNaN(q) {
			return nil, errOverflow
		}
		return Int(q), nil
	}
	return Double(math.Mod(x, y)), nil
}

// arithmeticExact computes integers and decimals without rounding; of two
// integers only / gives a double, as in Spark.
func arithmeticExact(op string, a, b Value) (Value, error) {
	x, y := Rational(a), Rational(b)
	scale := max(scaleOf(a), scaleOf(b))
	out := new(big.Rat)
	switch op {
	case "+":
		out.Add(x, y)
	case "-":
		out.Sub(x, y)
	case "*":
		out.Mul(x, y)
		scale = scaleOf(a) + scaleOf(b)
	default:
		if y.Sign() == 0 {
			return nil, errZeroDivide
		}
		out.Quo(x, y)
		if op == "/" {
			if scale == 0 && integer(a) && integer(b) {
				f, _ := out.Float64()
				return Double(f), nil
			}
			scale = max(scale, 6)
			break
		}
		quotient := new(big.Rat).SetInt(new(big.Int).Quo(out.Num(), out.Denom()))
		if op == "div" {
			return intOf(quotient)
		}
		out.Sub(x, quotient.Mul(quotient, y))
	}
	if integer(a) && integer(b) {
		return intOf(out)
	}
	// More digits than a decimal column can have only serve to fill memory.
	if scale > maxDigits || out.Num().BitLen() > 512 || out.Denom().BitLen() > 512 {
		return nil, errOverflow
	}
	return Decimal{Rat: out, Scale: scale}, nil
}

func integer(v Value) bool {
	_, ok := v.(Int)
	return ok
}

func scaleOf(v Value) int {
	if d, ok := v.(Decimal); ok {
		return d.Scale
	}
	return 0
}

func intOf(r *big.Rat) (Value, error) {
	if !r.IsInt() || !r.Num().IsInt64() {
		return nil, errOverflow
	}
	return Int(r.Num().Int64()), nil
}

// negate is unary minus.
func negate(v Value) (Value, error) {
	switch v := v.(type) {
	case Null:
		return v, nil
	case Int:
		if v == math.MinInt64 {
			return nil, errOverflow
		}
		return -v, nil
	case Decimal:
		return Decimal{Rat: new(big.Rat).Neg(v.Rat), Scale: v.Scale}, nil
	case Float:
		return -v, nil
	case Double:
		return -v, nil
	case Interval:
		return Interval{Months: -v.Months, Days: -v.Days, Time: -v.Time}, nil
	}
	return nil, fmt.Errorf("- is not defined for type %s", v.Kind())
}

// shiftTime folds the operators with an interval, or with a date and days.
// done is false if the operands are neither.
func shiftTime(op string, a, b Value, env Env) (v Value, done bool, err error) {
	if i, ok := a.(Interval); ok {
		switch o := b.(type) {
		case Interval:
			v, err = addIntervals(op, i, o)
			return v, true, err
		case Int:
			if op == "*" {
				v, err = scaleInterval(i, int64(o))
				return v, true, err
			}
		}
		if op == "+" {
			a, b = b, a
		}
	}
	if n, ok := a.(Int); ok {
		if _, isInterval := b.(Interval); isInterval && op == "*" {
			return shiftTime(op, b, n, env)
		}
		if _, isDate := b.(Date); isDate && op == "+" {
			a, b = b, a
		}
	}
	if op != "+" && op != "-" {
		return nil, false, nil
	}
	switch o := b.(type) {
	case Interval:
		v, err = addInterval(a, o, op == "-", env)
		return v, true, err
	case Int:
		if d, ok := a.(Date); ok {
			if op == "-" {
				o = -o
			}
			v, err = addDays(d, int64(o))
			return v, true, err
		}
	case Date:
		if d, ok := a.(Date); ok && op == "-" {
			return Interval{Days: int64(d - o)}, true, nil
		}
	}
	return nil, false, nil
}

// maxShift bounds each part of an interval, so that sums cannot overflow; in
// months it is some 80,000 years.
const maxShift = 1_000_000

func checked(i Interval) (Value, error) {
	if max(i.Months, -i.Months) > maxShift || max(i.Days, -i.Days) > 366*maxShift || max(i.Time, -i.Time) > math.MaxInt64/4 {
		return nil, errOverflow
	}
	return i, nil
}

func addIntervals(op string, a, b Interval) (Value, error) {
	switch op {
	case "-":
		return checked(Interval{a.Months - b.Months, a.Days - b.Days, a.Time - b.Time})
	case "+":
		return checked(Interval{a.Months + b.Months, a.Days + b.Days, a.Time + b.Time})
	}
	return nil, fmt.Errorf("%s is not defined for two intervals", op)
}

func scaleInterval(i Interval, n int64) (Value, error) {
	if max(n, -n) > maxShift || i.Time != 0 && max(n, -n) > int64(math.MaxInt64/4/max(i.Time, -i.Time)) {
		return nil, errOverflow
	}
	return checked(Interval{i.Months * n, i.Days * n, i.Time * time.Duration(n)})
}

// maxDay bounds dates to the years that timestamps of microseconds can have.
const maxDay = 1 << 26

func addDays(d Date, n int64) (Value, error) {
	if n > 2*maxDay || n < -2*maxDay {
		return nil, errOverflow
	}
	out := d + Date(n)
	if out > maxDay || out < -maxDay {
		return nil, errOverflow
	}
	return out, nil
}

func addMonths(wall time.Time, n int64) (time.Time, error) {
	if n > maxShift || n < -maxShift {
		return time.Time{}, errOverflow
	}
	first := time.Date(wall.Year(), wall.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	clock := wall.Sub(DateOf(wall).Midnight())
	return first.AddDate(0, 0, min(wall.Day(), last)-1).Add(clock), nil
}

// addInterval moves a date or timestamp: months and days by the calendar of
// the session's zone, then the exact time. A date moved by less than a day
// becomes a timestamp.
func addInterval(v Value, i Interval, back bool, env Env) (Value, error) {
	if back {
		i = Interval{Months: -i.Months, Days: -i.Days, Time: -i.Time}
	}
	local, ok := AsLocal(v, env.zone())
	if !ok {
		return nil, fmt.Errorf("an interval cannot be added to a value of type %s; write TIMESTAMP '…' or CAST", v.Kind())
	}
	wall, err := addMonths(local.Time, i.Months)
	if err != nil {
		return nil, err
	}
	wall = wall.AddDate(0, 0, int(i.Days))
	if day := DateOf(wall); day > maxDay || day < -maxDay {
		return nil, errOverflow
	}
	switch v := v.(type) {
	case Date:
		if i.Time == 0 {
			return DateOf(wall), nil
		}
	case LocalTimestamp:
		return LocalTimestamp{wall.Add(i.Time)}, nil
	case Timestamp:
		if i.Months == 0 && i.Days == 0 {
			return Timestamp{v.Add(i.Time)}, nil
		}
	}
	return Timestamp{Instant(wall, env.zone()).Add(i.Time)}, nil
}
