package reorder

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

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

// typesOf is an array without values.
func typesOf(data arrow.ArrayData) arrow.ArrayData {
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, child := range data.Children() {
		children[i] = typesOf(child)
	}
	return array.NewData(data.DataType(), 0, make([]*memory.Buffer, len(data.Buffers())), children, 0, 0)
}

var errBlock = errors.New("a scratch file is damaged")

// arrayOf reads what appendData has written of an array of so many rows of the
// same types as like.
func arrayOf(raw []byte, like arrow.ArrayData, rows int) (arrow.Array, error) {
	r := &unpacker{all: raw}
	data := r.data(like)
	if r.failed || r.at != len(raw) || data.Len() != rows {
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

// take is the next n bytes.
func (r *unpacker) take(n int) []byte {
	if r.failed || n > len(r.all)-r.at {
		r.failed = true
		return nil
	}
	r.at += n
	return r.all[r.at-n : r.at]
}

func (r *unpacker) buffer(typ arrow.DataType, i int) *memory.Buffer {
	switch r.number() {
	case bufferNone:
		return nil
	case bufferBytes:
		return memory.NewBufferBytes(slices.Clone(r.take(r.number())))
	case bufferNumbers:
		n, width := r.number(), numbersIn(typ, i)
		// A number takes no byte if all are alike.
		if width > 0 && n > 0 && n%width == 0 && n <= math.MaxInt32 {
			b := make([]byte, n)
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
