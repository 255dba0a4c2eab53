package reorder

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// How a buffer is written.
const (
	bufferNone = iota
	bufferBytes
	bufferNumbers
)

// appendData writes an array that begins at the start of its buffers into bytes:
// its buffers in a fixed order, numbers in as few bytes as they need. The type is
// not written: a process reads its own files only.
func appendData(dst []byte, data arrow.ArrayData) []byte {
	dst = binary.AppendUvarint(dst, uint64(data.Len()))
	dst = binary.AppendUvarint(dst, uint64(data.NullN()))
	for i, b := range data.Buffers() {
		switch width := numbersIn(data.DataType(), i); {
		case b == nil:
			dst = binary.AppendUvarint(dst, bufferNone)
		case width > 0 && b.Len() > 0 && b.Len()%width == 0:
			dst = binary.AppendUvarint(dst, bufferNumbers)
			dst = binary.AppendUvarint(dst, uint64(b.Len()))
			dst = appendNumbers(dst, b.Bytes(), width)
		default:
			dst = binary.AppendUvarint(dst, bufferBytes)
			dst = binary.AppendUvarint(dst, uint64(b.Len()))
			dst = append(dst, b.Bytes()...)
		}
	}
	for _, child := range data.Children() {
		dst = appendData(dst, child)
	}
	return dst
}

// numbersIn is the width of the numbers of a type's buffer, 0 if it has none.
func numbersIn(typ arrow.DataType, buffer int) int {
	if buffer != 1 {
		return 0
	}
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return numbersIn(t.StorageType(), buffer)
	case *arrow.StringType, *arrow.BinaryType, *arrow.ListType, *arrow.MapType:
		return 4
	case *arrow.LargeStringType, *arrow.LargeBinaryType, *arrow.LargeListType:
		return 8
	case *arrow.FixedSizeBinaryType, *arrow.BooleanType:
		return 0
	case arrow.FixedWidthDataType:
		if width := t.Bytes(); width == 4 || width == 8 || width == 16 {
			return width
		}
	}
	return 0
}

// unpackedSize is how many bytes an array takes that is read again.
func unpackedSize(data arrow.ArrayData) int64 {
	var n int64
	for _, b := range data.Buffers() {
		if b != nil {
			n += aligned(int64(b.Len()))
		}
	}
	for _, child := range data.Children() {
		n += unpackedSize(child)
	}
	return n
}

// aligned is n rounded up so that numbers can begin there.
func aligned(n int64) int64 { return (n + 63) &^ 63 }

// typesOf is an array without values.
func typesOf(data arrow.ArrayData) arrow.ArrayData {
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, child := range data.Children() {
		children[i] = typesOf(child)
	}
	return array.NewData(data.DataType(), 0, make([]*memory.Buffer, len(data.Buffers())), children, 0, 0)
}

var errBlock = errors.New("a scratch file is damaged")

// arrayOf reads what appendData has written of an array of the same types as
// like, into dst, which has room for it.
func arrayOf(dst, raw []byte, like arrow.ArrayData) (arrow.Array, error) {
	r := &unpacker{all: raw, dst: dst}
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
	dst    []byte
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

// take is the next n bytes.
func (r *unpacker) take(n int) []byte {
	if r.failed || n > len(r.all)-r.at {
		r.failed = true
		return nil
	}
	r.at += n
	return r.all[r.at-n : r.at]
}

// room is n bytes of what is to be filled.
func (r *unpacker) room(n int) []byte {
	whole := aligned(int64(n))
	if r.failed || n < 0 || whole > int64(len(r.dst)) {
		r.failed = true
		return nil
	}
	b := r.dst[:n:n]
	r.dst = r.dst[whole:]
	return b
}

func (r *unpacker) buffer(typ arrow.DataType, i int) *memory.Buffer {
	switch r.number() {
	case bufferNone:
		return nil
	case bufferBytes:
		b := r.room(r.number())
		copy(b, r.take(len(b)))
		return memory.NewBufferBytes(b)
	case bufferNumbers:
		b := r.room(r.number())
		if width := numbersIn(typ, i); width > 0 && len(b) > 0 && len(b)%width == 0 {
			r.numbers(b, width)
			return memory.NewBufferBytes(b)
		}
	}
	r.failed = true
	return nil
}

func (r *unpacker) data(like arrow.ArrayData) arrow.ArrayData {
	rows, nulls := r.number(), r.number()
	buffers := make([]*memory.Buffer, len(like.Buffers()))
	for i := range buffers {
		buffers[i] = r.buffer(like.DataType(), i)
	}
	children := make([]arrow.ArrayData, len(like.Children()))
	for i, child := range like.Children() {
		children[i] = r.data(child)
	}
	if r.failed {
		return like
	}
	return array.NewData(like.DataType(), rows, buffers, children, nulls, 0)
}
