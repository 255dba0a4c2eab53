package flat

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/internal/parquet/hybrid"
)

// dictionary is the n values of a dictionary page as an array has them, and
// behind them one for null: zeros, or an empty text.
type dictionary struct {
	n    int
	data []byte
	// offsets are where texts begin and end in data, longest is how long one is at
	// most.
	offsets []int32
	longest int
}

// dictionary opens a dictionary page.
func (r *Reader) dictionary(h *format.PageHeader, b []byte) (*dictionary, error) {
	c := &r.col
	if h.Encoding != format.Plain && h.Encoding != format.PlainDictionary || c.kind == booleans || h.Values > mostValues {
		return nil, fmt.Errorf("%w: a dictionary of %d values of encoding %d", ErrUnfit, h.Values, h.Encoding)
	}
	b, err := r.decompress(b, int(h.Uncompressed))
	if err != nil {
		return nil, err
	}
	d := &dictionary{n: int(h.Values)}
	if c.kind != texts {
		if d.n > len(b)/c.stored {
			return nil, fmt.Errorf("%w: a dictionary of %d values in %d bytes", ErrUnfit, d.n, len(b))
		}
		d.data = append(c.dense(b[:d.n*c.stored]), make([]byte, c.width)...)
		return d, nil
	}
	if d.offsets, d.data, err = plainTexts(b, d.n, d.n, nil); err != nil {
		return nil, err
	}
	for i := range d.n {
		d.longest = max(d.longest, int(d.offsets[i+1]-d.offsets[i]))
	}
	d.offsets = append(d.offsets, d.offsets[d.n])
	return d, nil
}

// openIndices decodes the indices of a page.
func (r *Reader) openIndices(p *page, b []byte, set int) error {
	s := r.scratch
	d := r.dict
	if d == nil {
		if set > 0 {
			return fmt.Errorf("%w: indices without a dictionary", ErrUnfit)
		}
		d = &dictionary{data: make([]byte, r.col.width), offsets: make([]int32, 2)}
	}
	s.indices = s.indices[:0]
	if set > 0 {
		if len(b) == 0 {
			return fmt.Errorf("%w: indices are missing", ErrUnfit)
		}
		indices, err := hybrid.Decode(s.indices, b[1:], int(b[0]), set)
		if err != nil {
			return fmt.Errorf("%w: indices: %w", ErrUnfit, err)
		}
		s.indices = indices
	}
	var most uint32
	for _, i := range s.indices {
		most = max(most, i)
	}
	if set > 0 && int64(most) >= int64(d.n) {
		return fmt.Errorf("%w: index %d is beyond the dictionary's %d entries", ErrUnfit, most, d.n)
	}
	p.dict, p.indices = d, s.indices
	if p.valid != nil {
		s.positions = positions(s.positions, s.indices, uint32(d.n), p.rows, p.valid)
		p.indices = s.positions
	}
	return nil
}

// positions puts indices where bits are set, and null elsewhere.
func positions(dst, indices []uint32, null uint32, n int, valid []byte) []uint32 {
	if cap(dst) < n {
		dst = make([]uint32, n)
	}
	dst = dst[:n]
	at := 0
	for i := range dst {
		dst[i] = null
		if valid[i/8]>>(i%8)&1 == 1 {
			dst[i] = indices[at]
			at++
		}
	}
	return dst
}

// mostText bounds the texts that one array gets from a dictionary.
const mostText = 8 << 20

// most is how many of the next n rows an array should have.
func (p *page) most(n int) int {
	if p.whole != nil || p.dict.longest == 0 || n <= mostText/p.dict.longest {
		return n
	}
	size := 0
	for i, x := range p.indices[p.at:][:n] {
		if size += int(p.dict.offsets[x+1] - p.dict.offsets[x]); size > mostText {
			return max(i, 1)
		}
	}
	return n
}

// gather makes the buffers of the values that indices stand for.
func (d *dictionary) gather(c *Column, indices []uint32) []*memory.Buffer {
	if c.kind != texts {
		return []*memory.Buffer{memory.NewBufferBytes(gather(d.data, c.width, indices))}
	}
	offsets := make([]int32, len(indices)+1)
	size := int32(0)
	for i, x := range indices {
		size += d.offsets[x+1] - d.offsets[x]
		offsets[i+1] = size
	}
	data := make([]byte, size)
	for i, x := range indices {
		move(data, int(offsets[i]), d.data, int(d.offsets[x]), int(d.offsets[x+1]-d.offsets[x]))
	}
	return []*memory.Buffer{memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(data)}
}

// gather makes values of width bytes of indices.
func gather(from []byte, width int, indices []uint32) []byte {
	switch width {
	case 4:
		return gatherOf(arrow.GetData[uint32](from), indices)
	case 8:
		return gatherOf(arrow.GetData[uint64](from), indices)
	}
	to := make([]byte, len(indices)*width)
	for i, x := range indices {
		copy(to[i*width:][:width], from[int(x)*width:])
	}
	return to
}

func gatherOf[T uint32 | uint64](from []T, indices []uint32) []byte {
	to := make([]T, len(indices))
	for i, x := range indices {
		to[i] = from[x]
	}
	return arrow.GetBytes(to)
}
