package reorder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/s2"
)

// appendData writes an array that begins at the start of its buffers into bytes:
// its buffers in a fixed order, as they are in memory. The type is not written: a
// process reads its own files only.
func appendData(dst []byte, data arrow.ArrayData) []byte {
	dst = binary.AppendUvarint(dst, uint64(data.Len()))
	dst = binary.AppendUvarint(dst, uint64(data.NullN()))
	for _, b := range data.Buffers() {
		if b == nil {
			dst = binary.AppendUvarint(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, 1)
		dst = appendBytes(dst, b.Bytes())
	}
	for _, child := range data.Children() {
		dst = appendData(dst, child)
	}
	return dst
}

// appendBytes writes bytes so that they lie at a multiple of 8, as numbers
// must.
func appendBytes(dst, b []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	for len(dst)%8 != 0 {
		dst = append(dst, 0)
	}
	return append(dst, b...)
}

// typesOf is an array without values.
func typesOf(data arrow.ArrayData) arrow.ArrayData {
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, child := range data.Children() {
		children[i] = typesOf(child)
	}
	return array.NewData(data.DataType(), 0, make([]*memory.Buffer, len(data.Buffers())), children, 0, 0)
}

var errBlock = errors.New("a scratch file is damaged")

// unpack reads what appendData has written of an array of the same types as like
// and s2 has compressed, into the memory of dst if it is enough.
func unpack(dst, packed []byte, like arrow.ArrayData) (arrow.Array, error) {
	raw, err := s2.Decode(dst[:cap(dst)], packed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBlock, err)
	}
	return arrayOf(raw, like)
}

// arrayOf is the array that appendData has written. It keeps raw.
func arrayOf(raw []byte, like arrow.ArrayData) (arrow.Array, error) {
	r := &unpacker{all: raw}
	data := r.data(like)
	if r.failed || r.at != len(raw) {
		return nil, errBlock
	}
	return array.MakeFromData(data), nil
}

// unpacker reads numbers and bytes. What it returns after it failed is empty.
type unpacker struct {
	all    []byte
	at     int
	failed bool
}

func (r *unpacker) number() int {
	n, size := binary.Uvarint(r.all[r.at:])
	if size <= 0 || n > math.MaxInt64 {
		r.failed = true
		return 0
	}
	r.at += size
	return int(n)
}

func (r *unpacker) bytes() []byte {
	n := r.number()
	from := (r.at + 7) / 8 * 8
	if r.failed || from > len(r.all) || n > len(r.all)-from {
		r.failed = true
		return nil
	}
	r.at = from + n
	return r.all[from:r.at:r.at]
}

func (r *unpacker) data(like arrow.ArrayData) arrow.ArrayData {
	rows, nulls := r.number(), r.number()
	buffers := make([]*memory.Buffer, len(like.Buffers()))
	for i := range buffers {
		if r.number() == 1 {
			buffers[i] = memory.NewBufferBytes(r.bytes())
		}
	}
	children := make([]arrow.ArrayData, len(like.Children()))
	for i, child := range like.Children() {
		children[i] = r.data(child)
	}
	return array.NewData(like.DataType(), rows, buffers, children, nulls, 0)
}
