package datafile

import (
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/iceberg-go"
	"github.com/google/uuid"
)

// AppendValue writes a partition value or a bound, as manifests hold them, to
// a builder of the column's current type, widening it if the column was
// promoted since. nil is NULL.
func AppendValue(to array.Builder, v any) error {
	if v == nil {
		to.AppendNull()
		return nil
	}
	ok := false
	switch b := to.(type) {
	case *array.NullBuilder:
		b.AppendNull()
		ok = true
	case *array.BooleanBuilder:
		ok = appendAs(b, v)
	case *array.Float32Builder:
		ok = appendAs(b, v)
	case *array.Float64Builder:
		var f float64
		if f, ok = Double(v); ok {
			b.Append(f)
		}
	case *array.StringBuilder:
		ok = appendAs(b, v)
	case *array.BinaryBuilder:
		ok = appendAs(b, v)
	case *array.FixedSizeBinaryBuilder:
		ok = appendAs(b, v)
	case *extensions.UUIDBuilder:
		ok = appendAs[uuid.UUID](b, v)
	case *array.Decimal128Builder:
		var d decimal128.Num
		if d, ok = Decimal(v); ok {
			b.Append(d)
		}
	default:
		ok = appendWhole(to, v)
	}
	if !ok {
		return fmt.Errorf("a %T cannot be written as arrow type %s", v, to.Type())
	}
	return nil
}

// appendWhole writes what Arrow holds as a whole number.
func appendWhole(to array.Builder, v any) bool {
	n, ok := Whole(v)
	if !ok {
		return false
	}
	switch b := to.(type) {
	case *array.Int32Builder:
		b.Append(int32(n))
	case *array.Int64Builder:
		b.Append(n)
	case *array.Date32Builder:
		b.Append(arrow.Date32(n))
	case *array.Time64Builder:
		b.Append(arrow.Time64(n))
	case *array.TimestampBuilder:
		if _, ok := v.(iceberg.Date); ok {
			day := int64(24 * time.Hour / b.Type().(*arrow.TimestampType).Unit.Multiplier())
			if n*day/day != n {
				return false
			}
			n *= day
		}
		b.Append(arrow.Timestamp(n))
	default:
		return false
	}
	return true
}

func appendAs[T any](to scalarBuilder[T], v any) bool {
	t, ok := v.(T)
	if ok {
		to.Append(t)
	}
	return ok
}

// Whole is v, a value of a manifest or of Avro, as a whole number: dates as days,
// times and timestamps as the units of their type. False if it is none.
func Whole(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int32:
		return int64(n), true
	case int64:
		return n, true
	case iceberg.Date:
		return int64(n), true
	case iceberg.Time:
		return int64(n), true
	case iceberg.Timestamp:
		return int64(n), true
	case iceberg.TimestampNano:
		return int64(n), true
	}
	return 0, false
}

// Double is v as a floating-point number. False if it is none.
func Double(v any) (float64, bool) {
	switch f := v.(type) {
	case float32:
		return float64(f), true
	case float64:
		return f, true
	}
	return 0, false
}

// Decimal is the unscaled number of v, a decimal. False if it is none.
func Decimal(v any) (decimal128.Num, bool) {
	switch d := v.(type) {
	case iceberg.Decimal:
		return d.Val, true
	case iceberg.DecimalLiteral:
		return d.Val, true
	}
	return decimal128.Num{}, false
}

// scalarBuilder is an Arrow builder for values of one Go type.
type scalarBuilder[T any] interface{ Append(T) }
