package predicate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// maxDigits is Spark's largest decimal precision.
const maxDigits = 38

var decimalPattern = regexp.MustCompile(`^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$`)

// ParseDecimal reads an exact number of at most maxDigits digits.
func ParseDecimal(s string) (Decimal, error) {
	m := decimalPattern.FindStringSubmatch(s)
	if m == nil || m[2]+m[3] == "" {
		return Decimal{}, fmt.Errorf("%q is not a number", clip(s))
	}
	exponent, _ := strconv.Atoi(m[4])
	scale := max(len(m[3])-exponent, 0)
	digits := len(strings.TrimLeft(m[2], "0")) + len(m[3]) + max(exponent-len(m[3]), 0)
	if digits > maxDigits || scale > maxDigits {
		return Decimal{}, fmt.Errorf("%q has more than %d digits; write a double, such as 1E40D", clip(s), maxDigits)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return Decimal{}, fmt.Errorf("%q is not a number", clip(s))
	}
	return Decimal{Rat: r, Scale: scale}, nil
}

// parseNumber reads a number token with its suffix, as Spark's
// AstBuilder.visitNumericLiteral does: plain digits are an integer, or a
// decimal if too large; a point makes a decimal, an exponent a double.
func parseNumber(s string) (Value, error) {
	digits := strings.TrimRight(s, "BDFLSYbdflsy")
	suffix := strings.ToUpper(s[len(digits):])
	plain := !strings.ContainsAny(digits, ".eE")
	switch {
	case suffix == "" && plain, suffix == "L" && plain, suffix == "S" && plain, suffix == "Y" && plain:
		n, err := strconv.ParseInt(digits, 10, 64)
		if errors.Is(err, strconv.ErrRange) && suffix == "" {
			return ParseDecimal(digits)
		}
		limit := map[string]int64{"S": math.MaxInt16, "Y": math.MaxInt8}[suffix]
		if err != nil || limit > 0 && n > limit {
			return nil, fmt.Errorf("%s is not a number in the range of its type", clip(s))
		}
		return Int(n), nil
	case suffix == "BD", suffix == "" && !strings.ContainsAny(digits, "eE"):
		return ParseDecimal(digits)
	case suffix == "D", suffix == "":
		d, err := parseDouble(digits)
		return d, err
	case suffix == "F":
		f, err := strconv.ParseFloat(digits, 32)
		if err != nil {
			return nil, fmt.Errorf("%s is not a number in the range of float", clip(s))
		}
		return Float(f), nil
	}
	return nil, fmt.Errorf("%s is not a number; the suffixes are L, S, Y, F, D and BD", clip(s))
}

func parseDouble(s string) (Double, error) {
	d, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number in the range of double", clip(s))
	}
	return Double(d), nil
}

// Rational is the exact value of a number; nil if v is no finite number. A
// double counts as the shortest decimal that denotes it, as Spark's cast of
// double to decimal has it.
func Rational(v Value) *big.Rat {
	switch v := v.(type) {
	case Int:
		return new(big.Rat).SetInt64(int64(v))
	case Decimal:
		return v.Rat
	case Double:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil
		}
		r, _ := new(big.Rat).SetString(strconv.FormatFloat(float64(v), 'g', -1, 64))
		return r
	case Float:
		return Rational(Double(v))
	}
	return nil
}

// Float64 is the double nearest to a number.
func Float64(v Value) (float64, bool) {
	switch v := v.(type) {
	case Int:
		return float64(v), true
	case Decimal:
		f, _ := v.Rat.Float64()
		return f, true
	case Double:
		return float64(v), true
	case Float:
		return float64(v), true
	}
	return 0, false
}

// Floor is the largest integer not above r.
func Floor(r *big.Rat) *big.Int {
	// Div rounds to negative infinity for the positive denominators of big.Rat.
	return new(big.Int).Div(r.Num(), r.Denom())
}
