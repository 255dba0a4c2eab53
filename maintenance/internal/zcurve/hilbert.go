package zcurve

import "encoding/binary"

// Hilbert finds the rows' places on the Hilbert curve of as many dimensions as
// there are columns, of which the first eight bytes count
// (HilbertByteUtils.hilbertIndex with 64 bits: Skilling's transform, then the bits
// interleaved).
func Hilbert(columns []Column, rows int) (width int, places []byte) {
	out := make([]Column, len(columns))
	for i := range out {
		out[i] = Column{Width: PrimitiveBytes, Data: make([]byte, rows*PrimitiveBytes)}
	}
	axes := make([]uint64, len(columns))
	for row := range rows {
		for i, c := range columns {
			axes[i] = binary.BigEndian.Uint64(c.Data[row*c.Width:])
		}
		transpose(axes)
		for i, v := range axes {
			binary.BigEndian.PutUint64(out[i].Data[row*PrimitiveBytes:], v)
		}
	}
	return ZOrder(out, rows, len(columns)*PrimitiveBytes)
}

// transpose turns coordinates into the transposed index of the place on the
// curve: bit b of every number together are one digit.
func transpose(x []uint64) {
	last := len(x) - 1
	for bit := uint64(1) << 63; bit > 1; bit >>= 1 {
		low := bit - 1
		for i := range x {
			if x[i]&bit != 0 {
				x[0] ^= low
				continue
			}
			t := (x[0] ^ x[i]) & low
			x[0] ^= t
			x[i] ^= t
		}
	}
	for i := 1; i <= last; i++ {
		x[i] ^= x[i-1]
	}
	var flip uint64
	for bit := uint64(1) << 63; bit > 1; bit >>= 1 {
		if x[last]&bit != 0 {
			flip ^= bit - 1
		}
	}
	for i := range x {
		x[i] ^= flip
	}
}
