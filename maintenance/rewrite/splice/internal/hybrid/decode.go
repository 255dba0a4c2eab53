package hybrid

import (
	"encoding/binary"
	"errors"
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
	for range count {
		dst = append(dst, T(v))
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
	var bits uint64
	have, at := 0, 0
	for range count {
		for have < width {
			if len(b)-at >= 4 && have <= 32 {
				bits |= uint64(binary.LittleEndian.Uint32(b[at:])) << have
				at += 4
				have += 32
				continue
			}
			bits |= uint64(b[at]) << have
			at++
			have += 8
		}
		dst = append(dst, T(bits&mask))
		bits >>= width
		have -= width
	}
	if dst == nil {
		dst = []T{}
	}
	return dst
}
