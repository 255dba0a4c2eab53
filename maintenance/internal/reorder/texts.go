package reorder

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// texts are pens of values of varying length. As long as a column has few
// different ones, and short ones, their numbers are dealt out; later values as they
// are, each its length, in four bytes, and its bytes.
type texts[O int32 | int64] struct {
	shelf *Shelf
	words words
	// numbers are those of words, nil once there are too many of these. Then the
	// first numbered rows of each part are numbers, and others texts.
	numbers  *numbers[uint32]
	numbered []uint32
	ids      []uint32

	// size is how many bytes each pen has room for.
	size   int
	values []byte
	pens   []textPen
	long   []byte
	packer packer
}

// textPen is how many bytes of a pen are used, by so many rows.
type textPen struct{ used, rows uint32 }

// nullText is the length of a null.
const nullText = math.MaxUint32

func newTexts[O int32 | int64](s *Shelf) *texts[O] {
	return &texts[O]{shelf: s, numbers: newNumbers[uint32](s, 4)}
}

func (p *texts[O]) add(_ context.Context, a arrow.Array, parts []uint32) error {
	data := a.Data()
	from := data.Offset()
	t := text[O]{array: a, offsets: arrow.GetData[O](data.Buffers()[1].Bytes())[from : from+a.Len()+1], nulls: a.NullN() > 0}
	if b := data.Buffers()[2]; b != nil {
		t.data = b.Bytes()
	}
	n := 0
	if p.numbers != nil {
		var err error
		if n, err = p.number(t, parts); err != nil {
			return err
		}
	}
	return p.deal(t, n, parts)
}

// text is an array of texts.
type text[O int32 | int64] struct {
	array   arrow.Array
	offsets []O
	data    []byte
	nulls   bool
}

func (t *text[O]) null(i int) bool { return t.nulls && t.array.IsNull(i) }

// number deals out the numbers of texts, and says of how many. If these are not
// all, there are too many different ones.
func (p *texts[O]) number(t text[O], parts []uint32) (int, error) {
	ids, n, few := room(&p.ids, len(parts)), 0, true
	for ; n < len(parts); n++ {
		ids[n] = 0
		if parts[n] == None || t.null(n) {
			continue
		}
		at, length := int(t.offsets[n]), int(t.offsets[n+1]-t.offsets[n])
		if length > wordBytes {
			few = false
			break
		}
		if ids[n], few = p.words.number(wordAt(t.data, at, length)); !few {
			break
		}
	}
	var nulls arrow.Array
	if t.nulls {
		nulls = t.array
	}
	if err := p.numbers.deal(ids[:n], nulls, parts[:n]); err != nil || few {
		return n, err
	}
	if err := p.numbers.flush(); err != nil {
		return n, err
	}
	p.numbers, p.numbered = nil, make([]uint32, len(p.shelf.chains))
	for i, c := range p.shelf.chains {
		p.numbered[i] = uint32(c.rows)
	}
	p.size = p.shelf.penBytes()
	p.values, p.pens = make([]byte, p.size*len(p.shelf.chains)), make([]textPen, len(p.shelf.chains))
	return n, nil
}

// deal deals out texts from the n-th on.
func (p *texts[O]) deal(t text[O], n int, parts []uint32) error {
	for i := n; i < len(parts); i++ {
		part := parts[i]
		if part == None {
			continue
		}
		value, length := t.data[t.offsets[i]:t.offsets[i+1]], uint32(t.offsets[i+1]-t.offsets[i])
		if t.null(i) {
			value, length = nil, nullText
		}
		pen := &p.pens[part]
		used, end := int(pen.used), int(pen.used)+4+len(value)
		if end > p.size {
			if err := p.empty(part); err != nil {
				return err
			}
			if used, end = 0, 4+len(value); end > p.size {
				if err := p.alone(part, value, length); err != nil {
					return err
				}
				continue
			}
		}
		dst := p.values[int(part)*p.size+used:][:end-used]
		binary.LittleEndian.PutUint32(dst, length)
		copy(dst[4:], value)
		pen.used = uint32(end)
		pen.rows++
	}
	return nil
}

// empty makes a block of a pen's values.
func (p *texts[O]) empty(part uint32) error {
	pen := p.pens[part]
	if pen.rows == 0 {
		return nil
	}
	p.pens[part] = textPen{}
	return p.put(part, p.values[int(part)*p.size:][:pen.used], pen.rows)
}

func (p *texts[O]) put(part uint32, b []byte, rows uint32) error {
	if p.shelf.packs {
		b = p.packer.pack(b)
	}
	return p.shelf.put(part, b, rows)
}

// alone makes a block of a value that is larger than a pen.
func (p *texts[O]) alone(part uint32, value []byte, length uint32) error {
	p.long = append(binary.LittleEndian.AppendUint32(p.long[:0], length), value...)
	err := p.put(part, p.long, 1)
	if len(p.long) > slabBytes {
		p.long = nil
	}
	return err
}

func (p *texts[O]) flush() error {
	p.ids = nil
	if p.numbers != nil {
		return p.numbers.flush()
	}
	for part := range p.pens {
		if err := p.empty(uint32(part)); err != nil {
			return err
		}
	}
	p.values, p.pens, p.long, p.packer = nil, nil, nil, packer{}
	return nil
}
