package columnar

import (
	"math"
	"strings"
	"time"
)

// kind says how the values of a vector are held.
type kind int

const (
	// nothing: every value is NULL.
	nothing kind = iota
	// whole: 64-bit signed numbers; true is 1.
	whole
	// real: double precision numbers.
	real
	// text: strings, compared byte by byte.
	text
	// moment: microseconds since the epoch of a wall clock.
	moment
	// opaque: values that can only be told from NULL and taken as they are.
	opaque
)

// vector is the values of one expression for the rows of a batch. The slice of
// its kind has one element per row; those of NULL mean nothing.
type vector struct {
	// null is nil if no value is NULL.
	null   []bool
	wholes []int64
	reals  []float64
	texts  []string
}

// isNull says whether the value of a row is NULL.
func (v *vector) isNull(row int) bool { return v.null != nil && v.null[row] }

// prepare makes room for values of a kind.
func (v *vector) prepare(k kind, rows int) {
	switch k {
	case whole, moment:
		v.wholes = resized(v.wholes, rows)
	case real:
		v.reals = resized(v.reals, rows)
	case text:
		v.texts = resized(v.texts, rows)
	}
}

// true says whether the whole number of a row is neither NULL nor 0.
func (v *vector) true(row int) bool { return v.wholes[row] != 0 && !v.isNull(row) }

// form is the Go type of the engine's values of a vector.
type form int

const (
	// mixed: it differs from row to row, or is not known.
	mixed form = iota
	asBool
	asInt8
	asInt16
	asInt32
	asInt64
	asUint8
	asUint16
	asUint32
	asFloat32
	asFloat64
	asString
	asTime
)

// value makes the engine's value of a row. It does not refer to the batch.
func (f form) value(v *vector, row int) any {
	if v.isNull(row) {
		return nil
	}
	switch f {
	case asFloat32:
		return float32(v.reals[row])
	case asFloat64:
		return v.reals[row]
	case asString:
		return strings.Clone(v.texts[row])
	case asTime:
		return time.UnixMicro(v.wholes[row]).UTC()
	}
	return f.number(v.wholes[row])
}

func (f form) number(n int64) any {
	switch f {
	case asBool:
		return n != 0
	case asInt8:
		return int8(n)
	case asInt16:
		return int16(n)
	case asInt32:
		return int32(n)
	case asUint8:
		return uint8(n)
	case asUint16:
		return uint16(n)
	case asUint32:
		return uint32(n)
	}
	return n
}

// resized is s with n elements, whose values mean nothing.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// order compares as the engine does.
func order[T int64 | string](a, b T) int {
	switch {
	case a == b:
		return 0
	case a < b:
		return -1
	}
	return 1
}

// sameBits is a number that two doubles share if they have the same text.
func sameBits(f float64) uint64 {
	if math.IsNaN(f) {
		return math.MaxUint64
	}
	return math.Float64bits(f)
}
