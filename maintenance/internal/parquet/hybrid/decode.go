package hybrid

import (
	"encoding/binary"
	"errors"
	"slices"
)

// ErrMalformed is the class of errors of input that is not of this encoding.
var ErrMalformed = errors.New("malformed run lengths")

// Decode appends n numbers of width bits to dst. More in the input is ignored:
// the last group of eight is filled up. The error is ErrMalformed if there are
// fewer; nothing is allocated beyond n numbers.
func Decode[T uint8 | uint32](dst []T, b []byte, width, n int) ([]T, error) {
	if width < 0 || width > 32 || n < 0 {
		return dst, ErrMalformed
	}
	for n > 0 {
		head, size := binary.Uvarint(b)
		if size <= 0 {
			return dst, ErrMalformed
		}
		b = b[size:]
		if head&1 == 0 {
			var err error
			if dst, b, n, err = decodeRun(dst, b, width, n, head>>1); err != nil {
				return dst, err
			}
			continue
		}
		groups := head >> 1
		if groups == 0 || groups > 1<<28 {
			return dst, ErrMalformed
		}
		count := min(n, int(groups)*8)
		if dst = unpack(dst, b, width, count); dst == nil {
			return nil, ErrMalformed
		}
		n -= count
		b = b[min(len(b), int(groups)*width):]
	}
	return dst, nil
}

func decodeRun[T uint8 | uint32](dst []T, b []byte, width, n int, length uint64) ([]T, []byte, int, error) {
	size := (width + 7) / 8
	if length == 0 || len(b) < size {
		return dst, b, n, ErrMalformed
	}
	var v uint32
	for i := range size {
		v |= uint32(b[i]) << (8 * i)
	}
	count := n
	if length < uint64(n) {
		count = int(length)
	}
	at := len(dst)
	dst = slices.Grow(dst, count)[:at+count]
	for i := at; i < len(dst); i++ {
		dst[i] = T(v)
	}
	return dst, b[size:], n - count, nil
}

// unpack appends count numbers of width bits, or returns nil if b is too short
// for them. The last group may be cut short after its last number, as some
// writers do.
func unpack[T uint8 | uint32](dst []T, b []byte, width, count int) []T {
	if len(b) < (count*width+7)/8 {
		return nil
	}
	mask := uint64(1)<<width - 1
	from := len(dst)
	dst = slices.Grow(dst, count)[:from+count]
	out := dst[from:]
	at := 0
	for len(out) > 0 && at/8+8 <= len(b) {
		out[0] = T(binary.LittleEndian.Uint64(b[at/8:]) >> (at % 8) & mask)
		out, at = out[1:], at+width
	}
	if len(out) > 0 {
		var last [16]byte
		skipped := at / 8
		copy(last[:], b[skipped:])
		for i := range out {
			out[i] = T(binary.LittleEndian.Uint64(last[at/8-skipped:]) >> (at % 8) & mask)
			at += width
		}
	}
	if dst == nil {
		dst = []T{}
	}
	return dst
}
