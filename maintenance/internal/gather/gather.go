package gather

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance"
)

// Ref is a row of one of several sources.
type Ref struct{ Source, Row uint32 }

// Column makes an array of the cells that refs name in columns, which are the
// same column of every source. The error wraps maintenance.ErrUnsupported for
// types that no reader of Iceberg tables makes.
func Column(columns []arrow.Array, refs []Ref) (arrow.Array, error) {
	return (*Memory)(nil).Column(columns, refs)
}

// Memory is where gathered arrays lie, each in the place of the one before. The
// zero value is ready; a nil Memory makes room for every array. It is used by one
// goroutine.
type Memory struct {
	buffers [][]byte
	used    int
}

// take is n bytes, with anything in them.
func (m *Memory) take(n int) []byte {
	if m == nil {
		return make([]byte, n)
	}
	if m.used == len(m.buffers) {
		m.buffers = append(m.buffers, nil)
	}
	b := &m.buffers[m.used]
	if m.used++; cap(*b) < n {
		*b = make([]byte, n+n/8)
	}
	return (*b)[:n:n]
}

// bits is room for n bits, which are not set.
func (m *Memory) bits(n int) []byte {
	b := m.take(int(bitutil.BytesForBits(int64(n))))
	clear(b)
	return b
}

// offsetsIn is room for n offsets, of which the first is 0.
func offsetsIn[O offset](m *Memory, n int) []O {
	out := arrow.GetData[O](m.take(n * len(arrow.GetBytes([]O{0}))))
	out[0] = 0
	return out
}

// Column is the function Column with an array that is valid until m is used again.
func (m *Memory) Column(columns []arrow.Array, refs []Ref) (arrow.Array, error) {
	if m != nil {
		m.used = 0
	}
	sources := make([]arrow.ArrayData, len(columns))
	for i, c := range columns {
		sources[i] = c.Data()
	}
	data, err := m.array(columns[0].DataType(), sources, refs)
	if err != nil {
		return nil, err
	}
	return array.MakeFromData(data), nil
}

// array gathers arrays of one type, recursively.
func (m *Memory) array(typ arrow.DataType, sources []arrow.ArrayData, refs []Ref) (arrow.ArrayData, error) {
	if ext, ok := typ.(arrow.ExtensionType); ok {
		typ = ext.StorageType()
		data, err := m.array(typ, sources, refs)
		if err != nil {
			return nil, err
		}
		return array.NewData(ext, data.Len(), data.Buffers(), data.Children(), data.NullN(), 0), nil
	}
	nulls, valid := m.validity(sources, refs)
	buffers := []*memory.Buffer{valid}
	var children []arrow.ArrayData
	var err error
	switch t := typ.(type) {
	case *arrow.NullType:
		return array.NewData(t, len(refs), []*memory.Buffer{nil}, nil, len(refs), 0), nil
	case *arrow.BooleanType:
		buffers = append(buffers, m.takeBits(sources, refs))
	case *arrow.StringType, *arrow.BinaryType:
		buffers, err = takeBytes[int32](m, sources, refs, valid, math.MaxInt32)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		buffers, err = takeBytes[int64](m, sources, refs, valid, math.MaxInt64)
	case *arrow.StructType:
		children, err = m.takeFields(t, sources, refs)
	case *arrow.ListType:
		buffers, children, err = takeList[int32](m, t.Elem(), sources, refs, valid)
	case *arrow.LargeListType:
		buffers, children, err = takeList[int64](m, t.Elem(), sources, refs, valid)
	case *arrow.MapType:
		buffers, children, err = takeList[int32](m, t.Elem(), sources, refs, valid)
	case arrow.FixedWidthDataType:
		buffers = append(buffers, m.takeFixed(t.Bytes(), sources, refs))
	default:
		err = fmt.Errorf("%w: rows with a column of type %s cannot be put in order", maintenance.ErrUnsupported, typ)
	}
	if err != nil {
		return nil, err
	}
	return array.NewData(typ, len(refs), buffers, children, nulls, 0), nil
}

// validity gathers validity bitmaps; there is none without a null.
func (m *Memory) validity(sources []arrow.ArrayData, refs []Ref) (nulls int, valid *memory.Buffer) {
	bitmaps := make([][]byte, len(sources))
	some := false
	for i, s := range sources {
		if b := s.Buffers(); s.NullN() != 0 && len(b) > 0 && b[0] != nil && b[0].Len() > 0 {
			bitmaps[i] = b[0].Bytes()
			some = true
		}
	}
	if !some {
		return 0, nil
	}
	out := m.bits(len(refs))
	for i, r := range refs {
		if b := bitmaps[r.Source]; b == nil || bitutil.BitIsSet(b, int(r.Row)+sources[r.Source].Offset()) {
			bitutil.SetBit(out, i)
		} else {
			nulls++
		}
	}
	if nulls == 0 {
		return 0, nil
	}
	return nulls, memory.NewBufferBytes(out)
}

func isNull(valid *memory.Buffer, i int) bool {
	return valid != nil && bitutil.BitIsNotSet(valid.Bytes(), i)
}

func (m *Memory) takeBits(sources []arrow.ArrayData, refs []Ref) *memory.Buffer {
	out := m.bits(len(refs))
	for i, r := range refs {
		s := sources[r.Source]
		if bitutil.BitIsSet(s.Buffers()[1].Bytes(), int(r.Row)+s.Offset()) {
			bitutil.SetBit(out, i)
		}
	}
	return memory.NewBufferBytes(out)
}

// takeFixed gathers values of a fixed width in bytes.
func (m *Memory) takeFixed(width int, sources []arrow.ArrayData, refs []Ref) *memory.Buffer {
	values := make([][]byte, len(sources))
	for i, s := range sources {
		if s.Len() > 0 {
			values[i] = s.Buffers()[1].Bytes()[s.Offset()*width:]
		}
	}
	out := m.take(len(refs) * width)
	switch width {
	case 4:
		for i, r := range refs {
			binary.NativeEndian.PutUint32(out[i*4:], binary.NativeEndian.Uint32(values[r.Source][int(r.Row)*4:]))
		}
	case 8:
		for i, r := range refs {
			binary.NativeEndian.PutUint64(out[i*8:], binary.NativeEndian.Uint64(values[r.Source][int(r.Row)*8:]))
		}
	case 16:
		for i, r := range refs {
			*(*[16]byte)(out[i*16:]) = [16]byte(values[r.Source][int(r.Row)*16:])
		}
	default:
		for i, r := range refs {
			at := int(r.Row) * width
			copy(out[i*width:], values[r.Source][at:at+width])
		}
	}
	return memory.NewBufferBytes(out)
}
