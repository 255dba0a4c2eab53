package reorder

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// texts are pens of values of varying length: each is its length, in four bytes,
// and its bytes.
type texts[O int32 | int64] struct {
	shelf *Shelf
	// size is how many bytes each pen has room for.
	size   int
	values []byte
	pens   []textPen
	long   []byte
}

// textPen is how many bytes of a pen are used, by so many rows.
type textPen struct{ used, rows uint32 }

// nullText is the length of a null.
const nullText = math.MaxUint32

func newTexts[O int32 | int64](s *Shelf) *texts[O] {
	n, size := len(s.chains), s.penBytes()
	return &texts[O]{shelf: s, size: size, values: make([]byte, n*size), pens: make([]textPen, n)}
}

func (p *texts[O]) add(_ context.Context, a arrow.Array, parts []uint32) error {
	data := a.Data()
	from := data.Offset()
	offsets := arrow.GetData[O](data.Buffers()[1].Bytes())[from : from+a.Len()+1]
	var all []byte
	if b := data.Buffers()[2]; b != nil {
		all = b.Bytes()
	}
	nulls := a.NullN() > 0
	for i, part := range parts {
		if part == None {
			continue
		}
		value, length := all[offsets[i]:offsets[i+1]], uint32(offsets[i+1]-offsets[i])
		if nulls && a.IsNull(i) {
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
	return p.shelf.put(part, p.values[int(part)*p.size:][:pen.used], pen.rows)
}

// alone makes a block of a value that is larger than a pen.
func (p *texts[O]) alone(part uint32, value []byte, length uint32) error {
	p.long = append(binary.LittleEndian.AppendUint32(p.long[:0], length), value...)
	err := p.shelf.put(part, p.long, 1)
	if len(p.long) > slabBytes {
		p.long = nil
	}
	return err
}

func (p *texts[O]) flush() error {
	for part := range p.pens {
		if err := p.empty(uint32(part)); err != nil {
			return err
		}
	}
	p.values, p.pens, p.long = nil, nil, nil
	return nil
}

func (p *texts[O]) assemble(c *piece) (arrow.Array, error) {
	x := &lines{piece: c, at: room(&c.spare.at, int(c.rows)), arena: c.spare.arena[:0]}
	for c.more() {
		if err := x.block(&p.shelf.store); err != nil {
			return nil, err
		}
	}
	c.spare.arena = x.arena
	if x.found != int(c.rows) {
		return nil, lost(x.found, c.rows)
	}
	return p.line(c, x.arena, x.at, x.size)
}

// lines are where the texts of a piece begin in an arena, in the new order.
type lines struct {
	*piece
	at    []uint32
	arena []byte
	found int
	size  int64
}

// block takes in a block: all of it, or if there are more values than fit into
// memory, those that are wanted.
func (x *lines) block(s *store) (err error) {
	var raw []byte
	var ranks []uint32
	if x.some {
		raw, ranks, err = x.piece.block(s)
	} else {
		x.arena, raw, ranks, err = x.blockOnto(s, x.arena)
	}
	if err != nil {
		return err
	}
	base := len(x.arena) - len(raw)
	w := walk{raw: raw}
	for _, rank := range ranks {
		from, n, ok := w.next()
		if !ok {
			return errBlock
		}
		place := rank - x.from
		if place >= x.rows {
			continue
		}
		if x.some {
			x.at[place] = uint32(len(x.arena))
			x.arena = append(x.arena, raw[from:from+4+n]...)
		} else {
			x.at[place] = uint32(base + from)
		}
		x.size += int64(n)
		x.found++
	}
	return nil
}

// walk finds one text after another in a block.
type walk struct {
	raw []byte
	at  int
}

// next is where the next text begins and how long it is.
func (w *walk) next() (from, n int, ok bool) {
	from = w.at
	if from+4 > len(w.raw) {
		return 0, 0, false
	}
	if length := binary.LittleEndian.Uint32(w.raw[from:]); length != nullText {
		n = int(length)
	}
	w.at = from + 4 + n
	return from, n, w.at <= len(w.raw)
}

// line puts texts, which begin at some places of an arena, one after another.
func (p *texts[O]) line(c *piece, arena []byte, at []uint32, size int64) (arrow.Array, error) {
	offsets := arrow.GetData[O](room(&c.spare.offsets, (len(at)+1)*len(arrow.GetBytes([]O{0}))))
	out := room(&c.spare.out, int(size))
	var valid []byte
	end, nulls := 0, 0
	offsets[0] = 0
	for i, from := range at {
		n := binary.LittleEndian.Uint32(arena[from:])
		if n == nullText {
			if valid == nil {
				valid = allValid(&c.spare.valid, len(at))
			}
			bitutil.ClearBit(valid, i)
			nulls++
			n = 0
		}
		end += copy(out[end:], arena[from+4:from+4+n])
		offsets[i+1] = O(end)
	}
	return c.array(p.shelf.like.DataType(), nulls, valid, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(out)), nil
}
