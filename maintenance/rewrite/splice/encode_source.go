package splice

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// source is the values of an array by their positions in it, in one of these
// forms.
type source struct {
	n32   []int32
	n64   []int64
	f32   []float32
	f64   []float64
	flag  func(i int) bool
	bytes func(i int) []byte
	// texts is also set where values lie one after another.
	texts *textRun
}

// plainArray is what an extension type is stored as.
func plainArray(a arrow.Array) arrow.Array {
	for {
		x, ok := a.(array.ExtensionArray)
		if !ok {
			return a
		}
		a = x.Storage()
	}
}

// source finds the values of an array for the column. The error wraps ErrUnfit
// if its type is not the column's.
func (c *column) source(a arrow.Array) (source, error) {
	a = plainArray(a)
	if !c.takes(a.DataType()) {
		return source{}, fmt.Errorf("%w: values of type %s are not of its type", ErrUnfit, a.DataType())
	}
	data := a.Data()
	if a.DataType().ID() == arrow.DECIMAL128 {
		return c.decimals(numbers[decimal128.Num](data)), nil
	}
	s := source{}
	switch c.typ {
	case format.Boolean:
		bits, from := buffer(data, 1), data.Offset()
		s.flag = func(i int) bool { return bitutil.BitIsSet(bits, from+i) }
	case format.Int32:
		s.n32 = numbers[int32](data)
	case format.Int64:
		s.n64 = numbers[int64](data)
	case format.Float:
		s.f32 = numbers[float32](data)
	case format.Double:
		s.f64 = numbers[float64](data)
	case format.Fixed:
		b, width, from := buffer(data, 1), c.length, data.Offset()
		s.bytes = func(i int) []byte { return b[(from+i)*width:][:width] }
	default:
		s.texts = texts(a.DataType().ID(), data)
		s.bytes = s.texts.value
	}
	return s, nil
}

// decimals are decimals as the column stores them: as numbers, or big-endian.
func (c *column) decimals(values []decimal128.Num) source {
	switch c.typ {
	case format.Int32:
		out := make([]int32, len(values))
		for i, v := range values {
			out[i] = int32(v.LowBits())
		}
		return source{n32: out}
	case format.Int64:
		out := make([]int64, len(values))
		for i, v := range values {
			out[i] = int64(v.LowBits())
		}
		return source{n64: out}
	}
	width := c.length
	out := make([]byte, 0, width*len(values))
	for _, v := range values {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:], uint64(v.HighBits()))
		binary.BigEndian.PutUint64(b[8:], v.LowBits())
		out = append(out, b[16-width:]...)
	}
	return source{bytes: func(i int) []byte { return out[i*width:][:width] }}
}

// buffer is a buffer of an array, nil if it has none.
func buffer(data arrow.ArrayData, i int) []byte {
	if b := data.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

func numbers[T int32 | int64 | float32 | float64 | decimal128.Num](data arrow.ArrayData) []T {
	if data.Len() == 0 {
		return nil
	}
	return arrow.GetData[T](buffer(data, 1))[data.Offset():][:data.Len()]
}

// takes says whether arrays of a type have the column's values.
func (c *column) takes(t arrow.DataType) bool {
	logical := c.kind.logical
	switch logical.Kind {
	case format.LogicalDecimal:
		d, ok := t.(*arrow.Decimal128Type)
		return ok && int64(d.Scale) == logical.Param && int(d.Precision) <= c.digits()
	case format.LogicalDate:
		return t.ID() == arrow.DATE32
	case format.LogicalTime:
		u, ok := t.(*arrow.Time64Type)
		return ok && c.typ == format.Int64 && logical.Param == unitOf(u.Unit)
	case format.LogicalTimestamp:
		u, ok := t.(*arrow.TimestampType)
		return ok && logical.Param == unitOf(u.Unit)
	case format.LogicalString:
		return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING
	case 0, format.LogicalUUID:
	default:
		return false
	}
	switch c.typ {
	case format.Boolean:
		return t.ID() == arrow.BOOL
	case format.Int32:
		return t.ID() == arrow.INT32
	case format.Int64:
		return t.ID() == arrow.INT64
	case format.Float:
		return t.ID() == arrow.FLOAT32
	case format.Double:
		return t.ID() == arrow.FLOAT64
	case format.ByteArray:
		return t.ID() == arrow.BINARY || t.ID() == arrow.LARGE_BINARY
	case format.Fixed:
		f, ok := t.(*arrow.FixedSizeBinaryType)
		return ok && f.ByteWidth == c.length
	}
	return false
}

// unitOf is the number of a unit of time in parquet.thrift's TimeUnit.
func unitOf(u arrow.TimeUnit) int64 {
	switch u {
	case arrow.Millisecond:
		return 1
	case arrow.Microsecond:
		return unitMicros
	case arrow.Nanosecond:
		return 3
	}
	return -1
}

// digits is how many digits any decimal of the column's width may have.
func (c *column) digits() int {
	switch c.typ {
	case format.Int32:
		return 9
	case format.Int64:
		return 18
	case format.Fixed:
		if c.length > 16 {
			return 0
		}
		return fixedDigits[c.length]
	}
	return 0
}

// fixedDigits are those by the width in bytes.
var fixedDigits = [17]int{0, 2, 4, 6, 9, 11, 14, 16, 18, 21, 23, 26, 28, 31, 33, 35, 38}
