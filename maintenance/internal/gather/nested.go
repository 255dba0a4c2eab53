package gather

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance"
)

// offset is the type of the offsets of values of varying length.
type offset interface{ int32 | int64 }

// offsetsOf are the offsets of a source, its own place in the buffer taken into
// account.
func offsetsOf[O offset](s arrow.ArrayData) []O {
	if s.Len() == 0 {
		return nil
	}
	return arrow.GetData[O](s.Buffers()[1].Bytes())[s.Offset():]
}

// takeBytes gathers strings or binary values.
func takeBytes[O offset](m *Memory, sources []arrow.ArrayData, refs []Ref, valid *memory.Buffer, most int64) ([]*memory.Buffer, error) {
	offsets := make([][]O, len(sources))
	values := make([][]byte, len(sources))
	for i, s := range sources {
		offsets[i] = offsetsOf[O](s)
		if b := s.Buffers()[2]; b != nil {
			values[i] = b.Bytes()
		}
	}
	ends, starts := offsetsIn[O](m, len(refs)+1), offsetsIn[O](m, len(refs)+1)
	var size int64
	for i, r := range refs {
		if !isNull(valid, i) {
			o := offsets[r.Source][r.Row:]
			starts[i] = o[0]
			size += int64(o[1] - o[0])
		}
		if size > most {
			return nil, tooLong(len(refs))
		}
		ends[i+1] = O(size)
	}
	out := m.take(int(size))
	for i, r := range refs {
		if n := ends[i+1] - ends[i]; n > 0 {
			copy(out[ends[i]:], values[r.Source][starts[i]:starts[i]+n])
		}
	}
	return []*memory.Buffer{valid, memory.NewBufferBytes(arrow.GetBytes(ends)), memory.NewBufferBytes(out)}, nil
}

func tooLong(rows int) error {
	return fmt.Errorf("%w: the values of a column in %d rows together are over 2 GiB", maintenance.ErrUnsupported, rows)
}

// takeFields gathers the fields of structs, whose rows a struct's own offset
// does not move.
func (m *Memory) takeFields(t *arrow.StructType, sources []arrow.ArrayData, refs []Ref) ([]arrow.ArrayData, error) {
	refs = moved(sources, refs)
	children := make([]arrow.ArrayData, t.NumFields())
	for i := range children {
		child, err := m.array(t.Field(i).Type, childrenOf(sources, i), refs)
		if err != nil {
			return nil, err
		}
		children[i] = child
	}
	return children, nil
}

// moved adds the offset of every source to its rows.
func moved(sources []arrow.ArrayData, refs []Ref) []Ref {
	same := true
	for _, s := range sources {
		same = same && s.Offset() == 0
	}
	if same {
		return refs
	}
	out := make([]Ref, len(refs))
	for i, r := range refs {
		out[i] = Ref{r.Source, r.Row + uint32(sources[r.Source].Offset())}
	}
	return out
}

func childrenOf(sources []arrow.ArrayData, i int) []arrow.ArrayData {
	out := make([]arrow.ArrayData, len(sources))
	for j, s := range sources {
		out[j] = s.Children()[i]
	}
	return out
}

// takeList gathers lists or maps: their elements are gathered in turn.
func takeList[O offset](m *Memory, elem arrow.DataType, sources []arrow.ArrayData, refs []Ref, valid *memory.Buffer) ([]*memory.Buffer, []arrow.ArrayData, error) {
	offsets := make([][]O, len(sources))
	for i, s := range sources {
		offsets[i] = offsetsOf[O](s)
	}
	ends := offsetsIn[O](m, len(refs)+1)
	var elements []Ref
	for i, r := range refs {
		if !isNull(valid, i) {
			for row := offsets[r.Source][r.Row]; row < offsets[r.Source][r.Row+1]; row++ {
				elements = append(elements, Ref{r.Source, uint32(row)})
			}
		}
		if len(elements) > math.MaxInt32 {
			return nil, nil, tooLong(len(refs))
		}
		ends[i+1] = O(len(elements))
	}
	child, err := m.array(elem, childrenOf(sources, 0), elements)
	if err != nil {
		return nil, nil, err
	}
	return []*memory.Buffer{valid, memory.NewBufferBytes(arrow.GetBytes(ends))}, []arrow.ArrayData{child}, nil
}

// Size is how many bytes the buffers of an array take. What slices share counts
// for each.
func Size(a arrow.Array) int64 { return sizeOf(a.Data()) }

func sizeOf(data arrow.ArrayData) int64 {
	var n int64
	for _, b := range data.Buffers() {
		if b != nil {
			n += int64(b.Cap())
		}
	}
	for _, child := range data.Children() {
		n += sizeOf(child)
	}
	return n
}
