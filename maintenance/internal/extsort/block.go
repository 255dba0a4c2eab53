package extsort

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/s2"

	"github.com/firndb/firn/maintenance/internal/gather"
	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// block is some rows in order with their keys.
type block struct {
	batch arrow.RecordBatch
	keys  rowkey.Keys
}

// pack writes a block into bytes: the buffers of its columns in a fixed order,
// as they are in memory, then its keys; compressed. The types are not written:
// a process reads its own files only.
func (b block) pack() []byte {
	raw := make([]byte, 0, gather.Size(b.batch)+b.keys.Size()+64*b.batch.NumCols()+1024)
	raw = binary.AppendUvarint(raw, uint64(b.batch.NumRows()))
	for _, c := range b.batch.Columns() {
		raw = appendData(raw, c.Data())
	}
	raw = appendBytes(raw, b.keys.Data)
	raw = appendBytes(raw, arrow.GetBytes(b.keys.Ends))
	return s2.Encode(nil, raw)
}

// appendData writes an array that begins at the start of its buffers.
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

var errBlock = errors.New("a scratch file is damaged")

// unpack reads what pack has written; like is an array of the same types for
// every column.
func unpack(packed []byte, schema *arrow.Schema, like []arrow.ArrayData) (block, error) {
	raw, err := s2.Decode(nil, packed)
	if err != nil {
		return block{}, fmt.Errorf("%w: %w", errBlock, err)
	}
	r := &unpacker{all: raw}
	rows := r.number()
	columns := make([]arrow.Array, len(like))
	for i := range columns {
		data := r.data(like[i])
		if r.failed {
			return block{}, errBlock
		}
		columns[i] = array.MakeFromData(data)
	}
	keys := rowkey.Keys{Data: r.bytes(), Ends: arrow.GetData[uint32](r.bytes())}
	if r.failed || keys.Len() != rows {
		return block{}, errBlock
	}
	return block{array.NewRecordBatch(schema, columns, int64(rows)), keys}, nil
}

// unpacker reads numbers and bytes. What it returns after it failed is empty.
type unpacker struct {
	all    []byte
	at     int
	failed bool
}

func (r *unpacker) number() int {
	n, size := binary.Uvarint(r.all[r.at:])
	if size <= 0 || n > uint64(len(r.all))*8 {
		r.failed = true
		return 0
	}
	r.at += size
	return int(n)
}

func (r *unpacker) bytes() []byte {
	n := r.number()
	from := (r.at + 7) / 8 * 8
	if r.failed || from+n > len(r.all) {
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
