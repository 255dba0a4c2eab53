package reorder

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance"
)

// number is a value of a fixed width.
type number interface {
	uint8 | uint32 | uint64 | decimal128.Num
}

// numbers are pens of values of a fixed width.
type numbers[T number] struct {
	shelf *Shelf
	width int
	// rows is how many values a pen has room for, and used how many are in each.
	rows   uint32
	values []T
	used   []uint32
	// null says which values of each pen, in so many bytes, are null; it is nil until
	// there is one. nulls is how many are.
	null      []byte
	nulls     []uint32
	nullBytes int
	packed    []byte
}

func newNumbers[T number](s *Shelf, width int) *numbers[T] {
	rows := s.penRows(width)
	return &numbers[T]{
		shelf: s, width: width, rows: uint32(rows), nullBytes: (rows + 7) / 8,
		values: make([]T, rows*len(s.chains)), used: make([]uint32, len(s.chains)),
	}
}

func (p *numbers[T]) add(_ context.Context, a arrow.Array, parts []uint32) error {
	data := a.Data()
	from := data.Offset()
	values := arrow.GetData[T](data.Buffers()[1].Bytes())[from : from+a.Len()]
	if a.NullN() == 0 {
		return p.deal(values, nil, parts)
	}
	return p.deal(values, a, parts)
}

// deal puts values into the pens of parts; a says which are null, if it is not
// nil.
func (p *numbers[T]) deal(values []T, a arrow.Array, parts []uint32) error {
	used, rows := p.used, p.rows
	for i, v := range values[:len(parts)] {
		part := parts[i]
		if part == None {
			continue
		}
		n := used[part]
		if n == rows {
			if err := p.empty(part); err != nil {
				return err
			}
			n = 0
		}
		p.values[int(part)*int(rows)+int(n)] = v
		if a != nil && a.IsNull(i) {
			p.setNull(part, n)
		}
		used[part] = n + 1
	}
	return nil
}

func (p *numbers[T]) setNull(part, n uint32) {
	if p.null == nil {
		p.null, p.nulls = make([]byte, len(p.used)*p.nullBytes), make([]uint32, len(p.used))
	}
	bitutil.SetBit(p.null[int(part)*p.nullBytes:], int(n))
	p.nulls[part]++
}

// empty makes a block of a pen's values.
func (p *numbers[T]) empty(part uint32) error {
	n := p.used[part]
	at := int(part) * int(p.rows)
	values := p.values[at : at+int(n)]
	if p.nulls != nil && p.nulls[part] > 0 {
		null := p.null[int(part)*p.nullBytes:][:p.nullBytes]
		p.packed = append(append(p.packed[:0], 1), null[:(n+7)/8]...)
		clear(null)
		p.nulls[part] = 0
	} else {
		p.packed = append(p.packed[:0], 0)
	}
	p.packed = appendNumbers(p.packed, arrow.GetBytes(values), p.width)
	p.used[part] = 0
	return p.shelf.put(part, p.packed, n)
}

func (p *numbers[T]) flush() error {
	for part, n := range p.used {
		if n == 0 {
			continue
		}
		if err := p.empty(uint32(part)); err != nil {
			return err
		}
	}
	p.values, p.used, p.null, p.nulls, p.packed = nil, nil, nil, nil, nil
	return nil
}

// decodeNumbers reads the values of a block, and says which are null.
func decodeNumbers[T number](values []T, raw []byte) (null []byte, err error) {
	r := &unpacker{all: raw}
	if head := r.take(1); !r.failed && head[0] == 1 {
		null = r.take((len(values) + 7) / 8)
	}
	b := arrow.GetBytes(values)
	r.numbers(b, len(b)/max(1, len(values)))
	if r.failed || r.at != len(raw) {
		return nil, errBlock
	}
	return null, nil
}

func (p *numbers[T]) assemble(c *piece) (arrow.Array, error) {
	out, valid, nulls, err := p.fill(c)
	if err != nil {
		return nil, err
	}
	return c.array(p.shelf.like.DataType(), nulls, valid, memory.NewBufferBytes(arrow.GetBytes(out))), nil
}

// fill puts values in their places, and says which are not null if some are.
func (p *numbers[T]) fill(c *piece) (out []T, valid []byte, nulls int, err error) {
	out = arrow.GetData[T](room(&c.spare.out, int(c.rows)*p.width))
	found := 0
	for c.more() {
		raw, ranks, err := c.block(&p.shelf.store)
		if err != nil {
			return nil, nil, 0, err
		}
		values := arrow.GetData[T](room(&c.spare.decoded, len(ranks)*p.width))
		null, err := decodeNumbers(values, raw)
		if err != nil {
			return nil, nil, 0, err
		}
		found += place(out, values, ranks, c.from)
		if null != nil {
			if valid == nil {
				valid = allValid(&c.spare.valid, int(c.rows))
			}
			nulls += clearNulls(valid, null, ranks, c)
		}
	}
	if found != int(c.rows) {
		return nil, nil, 0, lost(found, c.rows)
	}
	return out, valid, nulls, nil
}

// place puts values in their places, and says how many have one.
func place[T number](out, values []T, ranks []uint32, from uint32) int {
	n := 0
	ranks = ranks[:len(values)]
	for i, v := range values {
		if at := int(ranks[i] - from); at < len(out) {
			out[at] = v
			n++
		}
	}
	return n
}

// allValid is a bitmap of values that are not null.
func allValid(buffer *[]byte, rows int) []byte {
	valid := room(buffer, (rows+7)/8)
	for i := range valid {
		valid[i] = 0xff
	}
	return valid
}

// clearNulls notes the nulls of a block, and says how many there are.
func clearNulls(valid, null []byte, ranks []uint32, c *piece) int {
	n := 0
	for i, rank := range ranks {
		if at := rank - c.from; at < c.rows && bitutil.BitIsSet(null, i) {
			bitutil.ClearBit(valid, int(at))
			n++
		}
	}
	return n
}

// array is an array of a piece's values.
func (c *piece) array(typ arrow.DataType, nulls int, valid []byte, buffers ...*memory.Buffer) arrow.Array {
	var first *memory.Buffer
	if nulls > 0 {
		first = memory.NewBufferBytes(valid)
	}
	return array.MakeFromData(array.NewData(typ, int(c.rows), append([]*memory.Buffer{first}, buffers...), nil, nulls, 0))
}

func lost(found int, rows uint32) error {
	return fmt.Errorf("%w: %d rows of a column are there, not %d", maintenance.ErrCorrupt, found, rows)
}

// booleans are pens of booleans, a byte each.
type booleans struct {
	*numbers[uint8]
	bytes []uint8
}

func (p *booleans) add(_ context.Context, a arrow.Array, parts []uint32) error {
	data := a.Data()
	set := data.Buffers()[1].Bytes()
	p.bytes = room(&p.bytes, a.Len())
	for i := range p.bytes {
		p.bytes[i] = 0
		if bitutil.BitIsSet(set, data.Offset()+i) {
			p.bytes[i] = 1
		}
	}
	if a.NullN() == 0 {
		a = nil
	}
	return p.deal(p.bytes, a, parts)
}

func (p *booleans) assemble(c *piece) (arrow.Array, error) {
	a, err := p.numbers.assemble(c)
	if err != nil {
		return nil, err
	}
	buffers := a.Data().Buffers()
	set := room(&c.spare.offsets, (int(c.rows)+7)/8)
	clear(set)
	for i, v := range buffers[1].Bytes() {
		if v != 0 {
			bitutil.SetBit(set, i)
		}
	}
	return array.MakeFromData(array.NewData(p.shelf.like.DataType(), int(c.rows), []*memory.Buffer{buffers[0], memory.NewBufferBytes(set)}, nil, a.NullN(), 0)), nil
}
