package zcurve

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// PrimitiveBytes is how many bytes a value of a type of fixed size contributes
// (ZOrderByteUtils.PRIMITIVE_BUFFER_SIZE).
const PrimitiveBytes = 8

// PutInt writes a whole number: big-endian, the sign bit inverted.
func PutInt(dst []byte, v int64) {
	binary.BigEndian.PutUint64(dst, uint64(v)^1<<63)
}

// PutFloat writes a number: its bits, all inverted if it is negative, else the
// sign only. All NaNs are one, as in Double.doubleToLongBits.
func PutFloat(dst []byte, v float64) {
	bits := math.Float64bits(v)
	if v != v {
		bits = 0x7ff8 << 48
	}
	if bits>>63 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	binary.BigEndian.PutUint64(dst, bits)
}

// PutBool writes a boolean.
func PutBool(dst []byte, v bool) {
	if v {
		dst[0] = 0x81
	}
}

// PutString writes as many whole characters as fit.
func PutString(dst []byte, v string) {
	if len(v) <= len(dst) && utf8.ValidString(v) {
		copy(dst, v)
		return
	}
	at := 0
	for _, r := range v {
		if at+utf8.RuneLen(r) > len(dst) {
			return
		}
		at += utf8.EncodeRune(dst[at:], r)
	}
}
