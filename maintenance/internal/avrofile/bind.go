package avrofile

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
)

// appender appends the value of a row, which is not null, in Avro's binary
// encoding.
type appender func(to []byte, row int) ([]byte, error)

// binder finds the values of an array. It refuses arrays of other types, which
// are never converted.
type binder func(a arrow.Array) (appender, error)

// stored is what an extension type is stored as.
func stored(a arrow.Array) arrow.Array {
	for {
		x, ok := a.(array.ExtensionArray)
		if !ok {
			return a
		}
		a = x.Storage()
	}
}

func mismatch(a arrow.Array) error {
	return fmt.Errorf("%w: values of Arrow type %s are not of the column's type", maintenance.ErrUnsupported, a.DataType())
}

// simple binds arrays whose values are had by a method Value.
func simple[T any](a arrow.Array, encode func(to []byte, v T) []byte) (appender, error) {
	values, ok := stored(a).(interface{ Value(row int) T })
	if !ok {
		return nil, mismatch(a)
	}
	return func(to []byte, row int) ([]byte, error) { return encode(to, values.Value(row)), nil }, nil
}

func bindBoolean(a arrow.Array) (appender, error) {
	return simple(a, func(to []byte, v bool) []byte {
		if v {
			return append(to, 1)
		}
		return append(to, 0)
	})
}

// bindWhole binds whole numbers and what Arrow holds as such.
func bindWhole[T ~int32 | ~int64](a arrow.Array) (appender, error) {
	return simple(a, func(to []byte, v T) []byte { return binary.AppendVarint(to, int64(v)) })
}

func bindTime(a arrow.Array) (appender, error) {
	if t, ok := a.DataType().(*arrow.Time64Type); !ok || t.Unit != arrow.Microsecond {
		return nil, mismatch(a)
	}
	return bindWhole[arrow.Time64](a)
}

func bindTimestamp(unit arrow.TimeUnit) binder {
	return func(a arrow.Array) (appender, error) {
		if t, ok := a.DataType().(*arrow.TimestampType); !ok || t.Unit != unit {
			return nil, mismatch(a)
		}
		return bindWhole[arrow.Timestamp](a)
	}
}

func bindFloat(a arrow.Array) (appender, error) {
	return simple(a, func(to []byte, v float32) []byte { return binary.LittleEndian.AppendUint32(to, math.Float32bits(v)) })
}

func bindDouble(a arrow.Array) (appender, error) {
	return simple(a, func(to []byte, v float64) []byte { return binary.LittleEndian.AppendUint64(to, math.Float64bits(v)) })
}

func bindText(a arrow.Array) (appender, error) {
	return simple(a, func(to []byte, v string) []byte { return append(binary.AppendVarint(to, int64(len(v))), v...) })
}

func bindBytes(a arrow.Array) (appender, error) {
	if _, fixed := stored(a).(*array.FixedSizeBinary); fixed {
		return nil, mismatch(a)
	}
	return simple(a, appendBytes)
}

func appendBytes(to, v []byte) []byte { return append(binary.AppendVarint(to, int64(len(v))), v...) }

func bindFixed(size int) binder {
	return func(a arrow.Array) (appender, error) {
		if t, ok := stored(a).DataType().(*arrow.FixedSizeBinaryType); !ok || t.ByteWidth != size {
			return nil, mismatch(a)
		}
		return simple(a, func(to, v []byte) []byte { return append(to, v...) })
	}
}

// bindDecimal binds decimals, which are stored in so many bytes, the highest
// first.
func bindDecimal(width int, typ iceberg.DecimalType) binder {
	return func(a arrow.Array) (appender, error) {
		values, ok := a.(*array.Decimal128)
		if t, decimal := a.DataType().(*arrow.Decimal128Type); !ok || !decimal || int(t.Scale) != typ.Scale() {
			return nil, mismatch(a)
		}
		return func(to []byte, row int) ([]byte, error) {
			v := values.Value(row)
			if !v.FitsInPrecision(int32(typ.Precision())) {
				return nil, fmt.Errorf("%w: %s has more digits than a %s", maintenance.ErrCorrupt, v.ToString(int32(typ.Scale())), typ)
			}
			return appendDecimal(to, v, width), nil
		}, nil
	}
}

func appendDecimal(to []byte, v decimal128.Num, width int) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(v.HighBits()))
	binary.BigEndian.PutUint64(b[8:], v.LowBits())
	return append(to, b[len(b)-width:]...)
}
