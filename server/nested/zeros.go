package nested

import (
	"math"
	"slices"
)

// WithoutSign is a value with 0 for each negative zero in it. A value without
// any is returned as it is.
func WithoutSign(value any) any {
	switch v := value.(type) {
	case float64:
		if isNegativeZero(v) {
			return 0.0
		}
	case float32:
		if isNegativeZero(float64(v)) {
			return float32(0)
		}
	case *Value:
		if slices.ContainsFunc(v.Cells, hasNegativeZero) {
			cells := make([]any, len(v.Cells))
			for i, cell := range v.Cells {
				cells[i] = WithoutSign(cell)
			}
			return &Value{v.Type, cells}
		}
	}
	return value
}

func hasNegativeZero(value any) bool {
	switch v := value.(type) {
	case float64:
		return isNegativeZero(v)
	case float32:
		return isNegativeZero(float64(v))
	case *Value:
		return slices.ContainsFunc(v.Cells, hasNegativeZero)
	}
	return false
}

func isNegativeZero(f float64) bool { return f == 0 && math.Signbit(f) }
