package procedures

import (
	"fmt"
	"strconv"
	"time"
)

// The conversions follow Spark's ANSI casts of CALL arguments: a number or
// boolean may stand for a string and a numeric string for a number; a wrong
// kind of value is refused.

func toString(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool, int32, int64, float64:
		return fmt.Sprint(v), nil
	}
	return "", mismatch(value)
}

func toBool(value any) (bool, error) {
	switch v := value.(type) {
	case bool:
		return v, nil
	case string:
		if b, err := strconv.ParseBool(v); err == nil {
			return b, nil
		}
	}
	return false, mismatch(value)
}

func toLong(value any) (int64, error) {
	switch v := value.(type) {
	case int64:
		return v, nil
	case int32:
		return int64(v), nil
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
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
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f, nil
		}
	}
	return 0, mismatch(value)
}

func toTime(value any) (time.Time, error) {
	if t, ok := value.(time.Time); ok {
		return t, nil
	}
	return time.Time{}, mismatch(value)
}

func toStringMap(value any) (map[string]string, error) {
	if m, ok := value.(map[string]string); ok {
		return m, nil
	}
	return nil, mismatch(value)
}

func toLongs(value any) ([]int64, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, mismatch(value)
	}
	longs := make([]int64, len(list))
	for i, v := range list {
		n, err := toLong(v)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		longs[i] = n
	}
	return longs, nil
}

func mismatch(value any) error {
	return fmt.Errorf("got %v", value)
}
