package procedures

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The conversions follow what Spark casts by itself in the arguments of a CALL:
// numbers and booleans to text, text to anything, numbers to each other, dates
// to timestamps. Other kinds of value are refused. Blanks around text that
// stands for a number, boolean or time do not count.

func toString(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool, int32, int64, float64:
		return fmt.Sprint(v), nil
	}
	return "", mismatch(value)
}

// toBool knows the words that Spark's cast from text to boolean knows.
func toBool(value any) (bool, error) {
	switch v := value.(type) {
	case bool:
		return v, nil
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "t", "true", "y", "yes", "1":
			return true, nil
		case "f", "false", "n", "no", "0":
			return false, nil
		}
	}
	return false, mismatch(value)
}

// toLong cuts off the fraction of a number that is not text, as a cast does.
func toLong(value any) (int64, error) {
	switch v := value.(type) {
	case int64:
		return v, nil
	case int32:
		return int64(v), nil
	case float64:
		if t := math.Trunc(v); t >= math.MinInt64 && t < math.MaxInt64 {
			return int64(t), nil
		}
		return 0, fmt.Errorf("%v is outside the range of bigint", v)
	case string:
		if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, mismatch(value)
}

func toInt(value any) (int32, error) {
	n, err := toLong(value)
	if err != nil {
		return 0, err
	}
	if int64(int32(n)) != n {
		return 0, fmt.Errorf("%d is outside the range of int", n)
	}
	return int32(n), nil
}

func toDouble(value any) (float64, error) {
	switch v := value.(type) {
	case float64:
		return v, nil
	case int64:
		return float64(v), nil
	case int32:
		return float64(v), nil
	case string:
		if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return f, nil
		}
	}
	return 0, mismatch(value)
}

func toTime(value any, zone *time.Location) (time.Time, error) {
	switch v := value.(type) {
	case time.Time:
		return v, nil
	case string:
		return parseTime(v, zone)
	}
	return time.Time{}, mismatch(value)
}

func toStringMap(value any) (map[string]string, error) {
	if m, ok := value.(map[string]string); ok {
		return m, nil
	}
	return nil, mismatch(value)
}

func toLongs(value any) ([]int64, error) { return toList(value, toLong) }

func toStrings(value any) ([]string, error) { return toList(value, toString) }

func toList[T any](value any, convert func(any) (T, error)) ([]T, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, mismatch(value)
	}
	elements := make([]T, len(list))
	for i, v := range list {
		element, err := convert(v)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		elements[i] = element
	}
	return elements, nil
}

func mismatch(value any) error {
	switch v := value.(type) {
	case nil:
		return fmt.Errorf("got NULL")
	case string:
		return fmt.Errorf("got %q", v)
	case time.Time:
		return fmt.Errorf("got the timestamp %s", v.UTC().Format(time.RFC3339Nano))
	case map[string]string:
		return fmt.Errorf("got a map")
	case []any:
		return fmt.Errorf("got an array")
	}
	return fmt.Errorf("got %v", value)
}
