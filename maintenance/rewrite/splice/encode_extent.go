package splice

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// extent is the least and the greatest of values that come one after another.
type extent struct {
	// some says that there are values with an order, of which those below are.
	some       bool
	minN, maxN int64
	minF, maxF float64
	minB, maxB []byte
	// minP and maxP are how those two begin.
	minP, maxP uint64
	nans       int64
}

func (x *extent) reset() {
	*x = extent{minB: x.minB[:0], maxB: x.maxB[:0]}
}

// rangeOf takes in numbers.
func rangeOf[T int32 | int64](x *extent, values []T) {
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	x.numbers(int64(low), int64(high))
}

func (x *extent) numbers(low, high int64) {
	if !x.some {
		x.some, x.minN, x.maxN = true, low, high
		return
	}
	x.minN, x.maxN = min(x.minN, low), max(x.maxN, high)
}

// floatsOf takes in floating-point numbers. Of -0 and 0 the former is less.
func floatsOf[T float32 | float64](x *extent, values []T) {
	low, high := T(math.Inf(1)), T(math.Inf(-1))
	n := 0
	for _, v := range values {
		if v != v {
			continue
		}
		n++
		low, high = min(low, v), max(high, v)
	}
	x.nans += int64(len(values) - n)
	if n > 0 {
		x.floats(float64(low), float64(high))
	}
}

func (x *extent) floats(low, high float64) {
	if !x.some {
		x.some, x.minF, x.maxF = true, low, high
		return
	}
	x.minF, x.maxF = min(x.minF, low), max(x.maxF, high)
}

func (x *extent) flags(values []byte) {
	for _, v := range values {
		x.numbers(int64(v), int64(v))
	}
}

// bytes takes in a value of the column, which is not kept.
func (x *extent) bytes(v []byte, c *column) {
	if c.order == nil {
		return
	}
	p := beginning(v, c.kind.logical.Kind == format.LogicalDecimal)
	if !x.some {
		x.some, x.minB, x.maxB = true, append(x.minB[:0], v...), append(x.maxB[:0], v...)
		x.minP, x.maxP = p, p
		return
	}
	if p > x.minP && p < x.maxP {
		return
	}
	if c.order(v, x.minB) < 0 {
		x.minB, x.minP = append(x.minB[:0], v...), p
	}
	if c.order(v, x.maxB) > 0 {
		x.maxB, x.maxP = append(x.maxB[:0], v...), p
	}
}

// beginning is the first eight bytes of a value as a number, which is less only
// for values that are less. Signed values are of one length.
func beginning(v []byte, signed bool) uint64 {
	var p uint64
	if len(v) >= 8 {
		p = binary.BigEndian.Uint64(v)
	} else {
		for i, b := range v {
			p |= uint64(b) << (56 - 8*i)
		}
	}
	if signed {
		p ^= 1 << 63
	}
	return p
}

// join takes in those of a page.
func (x *extent) join(page *extent, c *column) {
	x.nans += page.nans
	if !page.some {
		return
	}
	switch c.typ {
	case format.Float, format.Double:
		x.floats(page.minF, page.maxF)
	case format.ByteArray, format.Fixed:
		x.bytes(page.minB, c)
		x.bytes(page.maxB, c)
	default:
		x.numbers(page.minN, page.maxN)
	}
}

// maxBound is how long a bound of a chunk may be; parquet-java too leaves out
// longer ones rather than to cut them, as they may be taken for values.
const maxBound = 4096

// bounds are those of a chunk as statistics hold them. There are none if there
// is a NaN, which some readers take to be greater than all other values.
func (x *extent) bounds(c *column) bounds {
	b := x.full(c)
	if len(b.min) > maxBound || len(b.max) > maxBound {
		return bounds{}
	}
	return b
}

func (x *extent) full(c *column) bounds {
	if !x.some || x.nans > 0 || c.order == nil {
		return bounds{}
	}
	b := bounds{minExact: format.Some(true), maxExact: format.Some(true)}
	switch c.typ {
	case format.Float, format.Double:
		// What a zero is written as may not be among the values (column.bound).
		b.minExact.Set, b.maxExact.Set = x.minF != 0, x.maxF != 0
		b.min = c.bound(c.float(x.minF), false)
		b.max = c.bound(c.float(x.maxF), true)
	case format.ByteArray, format.Fixed:
		b.min, b.max = bytes.Clone(x.minB), bytes.Clone(x.maxB)
		if b.min == nil {
			b.min = []byte{}
		}
		if b.max == nil {
			b.max = []byte{}
		}
	default:
		b.min, b.max = c.number(x.minN), c.number(x.maxN)
	}
	return b
}

// float is a number as the column's plain values are.
func (c *column) float(f float64) []byte {
	if c.typ == format.Float {
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f)))
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))
}

func (c *column) number(n int64) []byte {
	switch c.typ {
	case format.Boolean:
		return []byte{byte(n)}
	case format.Int32:
		return binary.LittleEndian.AppendUint32(nil, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(n))
}

// Floats is what a footer does not tell about a floating-point column that is
// not inside a list or map.
type Floats struct {
	FieldID int
	NaNs    int64
	// Low and High are the bounds of the other values, exact and plain, nil if
	// there are none.
	Low, High []byte
}

// facts are those of a chunk, nil if the column has none.
func (x *extent) facts(c *column) *Floats {
	if c.typ != format.Float && c.typ != format.Double || c.maxRep > 0 {
		return nil
	}
	f := &Floats{FieldID: c.fieldID, NaNs: x.nans}
	if x.some {
		f.Low, f.High = c.float(x.minF), c.float(x.maxF)
	}
	return f
}
