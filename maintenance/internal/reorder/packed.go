package reorder

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
)

// Numbers are written as what they are above the least of them, in as many bytes
// as the greatest needs. Those of sixteen bytes are two columns of eight.

// appendNumbers writes the numbers of a buffer, of which there are some. Those of
// one byte stay as they are.
func appendNumbers(dst, b []byte, width int) []byte {
	switch width {
	case 1:
		return append(dst, b...)
	case 4:
		return appendColumn(dst, arrow.GetData[int32](b), 1)
	case 8:
		return appendColumn(dst, arrow.GetData[int64](b), 1)
	default:
		words := arrow.GetData[int64](b)
		return appendColumn(appendColumn(dst, words, 2), words[1:], 2)
	}
}

// appendColumn writes every stride-th number.
func appendColumn[T int32 | int64](dst []byte, values []T, stride int) []byte {
	least, most := values[0], values[0]
	for i := 0; i < len(values); i += stride {
		least, most = min(least, values[i]), max(most, values[i])
	}
	size := (bits.Len64(uint64(int64(most))-uint64(int64(least))) + 7) / 8
	dst = binary.LittleEndian.AppendUint64(dst, uint64(int64(least)))
	dst = append(dst, byte(size))
	from := len(dst)
	n := (len(values) + stride - 1) / stride
	// Eight bytes are written each time, of which the next ones replace what is too
	// much.
	dst = append(dst, make([]byte, n*size+8)...)
	at := from
	for i := 0; i < len(values); i += stride {
		binary.LittleEndian.PutUint64(dst[at:], uint64(int64(values[i]))-uint64(int64(least)))
		at += size
	}
	return dst[:at]
}

// numbers reads what appendNumbers has written into b.
func (r *unpacker) numbers(b []byte, width int) {
	switch width {
	case 1:
		copy(b, r.take(len(b)))
	case 4:
		readColumn(r, arrow.GetData[int32](b), 1)
	case 8:
		readColumn(r, arrow.GetData[int64](b), 1)
	default:
		words := arrow.GetData[int64](b)
		readColumn(r, words, 2)
		readColumn(r, words[1:], 2)
	}
}

func readColumn[T int32 | int64](r *unpacker, values []T, stride int) {
	head := r.take(9)
	if r.failed || head[8] > 8 {
		r.failed = true
		return
	}
	least, size := binary.LittleEndian.Uint64(head), int(head[8])
	packed := r.take((len(values) + stride - 1) / stride * size)
	if r.failed {
		return
	}
	mask := ^uint64(0) >> (64 - 8*max(1, size))
	if size == 0 {
		mask = 0
	}
	i := 0
	for ; i < len(values) && len(packed) >= 8; i += stride {
		values[i] = T(binary.LittleEndian.Uint64(packed)&mask + least)
		packed = packed[size:]
	}
	for ; i < len(values); i += stride {
		var last [8]byte
		copy(last[:], packed)
		values[i] = T(binary.LittleEndian.Uint64(last[:])&mask + least)
		packed = packed[size:]
	}
}
