package functions

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// whole returns a whole number of the engine's.
func whole(v any) (int64, bool) {
	switch n := v.(type) {
	case bool:
		if n {
			return 1, true
		}
		return 0, true
	case int8:
		return int64(n), true
	case int16:
		return int64(n), true
	case int32:
		return int64(n), true
	case int64:
		return n, true
	case int:
		return int64(n), true
	case uint8:
		return int64(n), true
	case uint16:
		return int64(n), true
	case uint32:
		return int64(n), true
	case uint64:
		return int64(n), n <= math.MaxInt64
	}
	return 0, false
}

// integer is a whole number; fractions are cut off, text must be a number.
func integer(v any) (int64, error) {
	if n, ok := whole(v); ok {
		return n, nil
	}
	switch n := v.(type) {
	case float32:
		return floatInteger(float64(n))
	case float64:
		return floatInteger(n)
	case decimal.Decimal:
		if d := n.Truncate(0).BigInt(); d.IsInt64() {
			return d.Int64(), nil
		}
		return 0, rangeError(n, "bigint")
	case string:
		i, err := strconv.ParseInt(strings.TrimSpace(n), 10, 64)
		if err != nil {
			return 0, valueError(v, "bigint")
		}
		return i, nil
	case time.Time:
		return n.Unix(), nil
	}
	return 0, valueError(v, "bigint")
}

func floatInteger(f float64) (int64, error) {
	if math.IsNaN(f) || f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, rangeError(f, "bigint")
	}
	return int64(f), nil
}

// small is a whole number that fits into an int.
func small(v any) (int, error) {
	n, err := integer(v)
	if err == nil && (n > math.MaxInt32 || n < math.MinInt32) {
		err = rangeError(n, "int")
	}
	return int(n), err
}

// real is a number as a double.
func real(v any) (float64, error) {
	if n, ok := whole(v); ok {
		return float64(n), nil
	}
	switch n := v.(type) {
	case uint64:
		return float64(n), nil
	case float32:
		return float64(n), nil
	case float64:
		return n, nil
	case decimal.Decimal:
		f, _ := n.Float64()
		return f, nil
	case string:
		f, ok := parseFloat(n)
		if !ok {
			return 0, valueError(v, "double")
		}
		return f, nil
	}
	return 0, valueError(v, "double")
}

// parseFloat reads a number as Java does, with Spark's words for what is none.
func parseFloat(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "nan":
		return math.NaN(), !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "+")
	case "inf", "infinity":
		if strings.HasPrefix(s, "-") {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	if s == "" || strings.Trim(s, "0123456789.eE+-dDfF") != "" {
		return 0, false
	}
	if end := s[len(s)-1] | 0x20; end == 'd' || end == 'f' {
		s = s[:len(s)-1]
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// exact is a number as a decimal.
func exact(v any) (decimal.Decimal, error) {
	if n, ok := whole(v); ok {
		return decimal.NewFromInt(n), nil
	}
	switch n := v.(type) {
	case uint64:
		d, err := decimal.NewFromString(strconv.FormatUint(n, 10))
		return d, err
	case float32:
		return floatDecimal(float64(n), 32)
	case float64:
		return floatDecimal(n, 64)
	case decimal.Decimal:
		return n, nil
	case string:
		d, err := decimal.NewFromString(strings.TrimSpace(n))
		if err != nil {
			return d, valueError(v, "decimal")
		}
		return d, nil
	}
	return decimal.Decimal{}, valueError(v, "decimal")
}

func floatDecimal(f float64, bits int) (decimal.Decimal, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return decimal.Decimal{}, valueError(f, "decimal")
	}
	return decimal.NewFromString(strconv.FormatFloat(f, 'e', -1, bits))
}

// truth is a boolean; text is one of the words that Spark knows.
func truth(v any) (bool, error) {
	switch b := v.(type) {
	case bool:
		return b, nil
	case string:
		switch strings.ToLower(strings.TrimSpace(b)) {
		case "t", "true", "y", "yes", "1":
			return true, nil
		case "f", "false", "n", "no", "0":
			return false, nil
		}
		return false, valueError(v, "boolean")
	case time.Time:
		return false, valueError(v, "boolean")
	}
	f, err := real(v)
	return f != 0, err
}

// text is a value of type t as Spark casts it to a string.
func text(v any, t sql.Type) string {
	switch x := v.(type) {
	case string:
		return x
	case []byte:
		return string(x)
	case bool:
		return strconv.FormatBool(x)
	case int8:
		if t == types.Boolean {
			return strconv.FormatBool(x != 0)
		}
		return strconv.Itoa(int(x))
	case float32:
		return floatText(float64(x), 32)
	case float64:
		return floatText(x, 64)
	case decimal.Decimal:
		return x.StringFixed(decimalScale(x, t))
	case time.Time:
		if types.IsDateType(t) {
			return dateText(x)
		}
		return timestampText(x)
	case types.Timespan:
		return x.String()
	}
	if n, ok := whole(v); ok {
		return namedText(n, t)
	}
	if s, ok := nestedText(v); ok {
		return s
	}
	return fmt.Sprint(v)
}

// keyText is the same text for the same values: zeros are, whatever their sign.
func keyText(v any, t sql.Type) string {
	switch f := v.(type) {
	case float32:
		v = f + 0
	case float64:
		v = f + 0
	}
	return text(v, t)
}

// namedText is a whole number, or the name for which it stands in an ENUM or
// SET, such as columns of information_schema are.
func namedText(n int64, t sql.Type) string {
	switch named := t.(type) {
	case sql.EnumType:
		if name, ok := named.At(int(n)); ok {
			return name
		}
	case sql.SetType:
		if names, err := named.BitsToString(uint64(n)); err == nil {
			return names
		}
	}
	return strconv.FormatInt(n, 10)
}

// decimalScale is how many digits of d are shown: those of its type, if it has
// one that says so.
func decimalScale(d decimal.Decimal, t sql.Type) int32 {
	if dt, ok := t.(sql.DecimalType); ok && t != types.InternalDecimalType {
		return int32(dt.Scale())
	}
	return max(0, -d.Exponent())
}

// floatText is a float as Java writes it.
func floatText(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	if size := math.Abs(f); size == 0 || size >= 1e-3 && size < 1e7 {
		s := strconv.FormatFloat(f, 'f', -1, bits)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, bits), "e")
	if !strings.Contains(digits, ".") {
		digits += ".0"
	}
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return digits
	}
	return digits + "E" + strconv.Itoa(n)
}

// dateText is a date as Spark shows it.
func dateText(t time.Time) string { return yearText(t.Year()) + t.Format("-01-02") }

// timestampText is a timestamp as Spark shows it: without zeros at the end of
// the fraction.
func timestampText(t time.Time) string {
	s := dateText(t) + t.Format(" 15:04:05.000000")
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func yearText(year int) string {
	if year > 9999 {
		return "+" + strconv.Itoa(year)
	}
	return fmt.Sprintf("%04d", year)
}
