package splice

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// order compares two values as statistics hold them. Both are valid.
type order func(a, b []byte) int

// orderOf is the order of a kind of values by parquet.thrift's ColumnOrder, nil
// if they have none.
func orderOf(k kind) order {
	switch k.logical.Kind {
	case 0, format.LogicalString, format.LogicalDate, format.LogicalTime, format.LogicalTimestamp, format.LogicalUUID:
	case format.LogicalDecimal:
		if k.typ == format.Fixed || k.typ == format.ByteArray {
			return compareSigned
		}
	default:
		return nil
	}
	switch k.typ {
	case format.Boolean:
		return bytes.Compare
	case format.Int32:
		return func(a, b []byte) int { return cmp.Compare(int32(le32(a)), int32(le32(b))) }
	case format.Int64:
		return func(a, b []byte) int { return cmp.Compare(int64(le64(a)), int64(le64(b))) }
	case format.Float:
		return func(a, b []byte) int { return compareFloats(float64(float32of(a)), float64(float32of(b))) }
	case format.Double:
		return func(a, b []byte) int { return compareFloats(float64of(a), float64of(b)) }
	case format.ByteArray, format.Fixed:
		return bytes.Compare
	}
	return nil
}

func le32(b []byte) uint32       { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64       { return binary.LittleEndian.Uint64(b) }
func float32of(b []byte) float32 { return math.Float32frombits(le32(b)) }
func float64of(b []byte) float64 { return math.Float64frombits(le64(b)) }

// compareFloats puts -0 before 0.
func compareFloats(a, b float64) int {
	if a == 0 && b == 0 {
		return cmp.Compare(math.Copysign(1, a), math.Copysign(1, b))
	}
	return cmp.Compare(a, b)
}

// compareSigned compares big-endian two's complement numbers of any length.
func compareSigned(a, b []byte) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(a), len(b))
	}
	if na, nb := a[0] >= 0x80, b[0] >= 0x80; na != nb {
		if na {
			return -1
		}
		return 1
	}
	fill := byte(0)
	if a[0] >= 0x80 {
		fill = 0xff
	}
	n := max(len(a), len(b))
	return bytes.Compare(extend(a, n, fill), extend(b, n, fill))
}

func extend(v []byte, n int, fill byte) []byte {
	if len(v) == n {
		return v
	}
	out := bytes.Repeat([]byte{fill}, n)
	copy(out[n-len(v):], v)
	return out
}

// bound checks a minimum or maximum and returns nil if it cannot be used. A zero
// of a floating-point bound may stand for both zeros (parquet.thrift,
// ColumnOrder), so that a minimum becomes -0 and a maximum 0.
func (c *column) bound(v []byte, isMax bool) []byte {
	if v == nil || c.order == nil {
		return nil
	}
	switch c.typ {
	case format.Boolean:
		if len(v) != 1 || v[0] > 1 {
			return nil
		}
	case format.Int32:
		if len(v) != 4 {
			return nil
		}
	case format.Int64:
		if len(v) != 8 {
			return nil
		}
	case format.Float:
		if len(v) != 4 || math.IsNaN(float64(float32of(v))) {
			return nil
		}
		if float32of(v) == 0 {
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(zero(isMax))))
		}
	case format.Double:
		if len(v) != 8 || math.IsNaN(float64of(v)) {
			return nil
		}
		if float64of(v) == 0 {
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(zero(isMax)))
		}
	case format.Fixed:
		// Bounds may be truncated, except those of numbers.
		if len(v) > c.length || c.kind.logical.Kind == format.LogicalDecimal && len(v) != c.length {
			return nil
		}
	}
	return v
}

func zero(isMax bool) float64 {
	if isMax {
		return 0
	}
	return math.Copysign(0, -1)
}
