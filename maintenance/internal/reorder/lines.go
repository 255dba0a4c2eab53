package reorder

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func (p *texts[O]) assemble(c *piece) (arrow.Array, error) {
	if p.numbers != nil {
		return p.assembleWords(c)
	}
	x := &lines{piece: c, words: p.words.all, at: room(&c.spare.at, int(c.rows)), arena: c.spare.arena[:0], numbered: int(p.numbered[c.part]), packed: p.shelf.packs}
	for c.more() {
		if err := x.block(&p.shelf.store); err != nil {
			return nil, err
		}
	}
	c.spare.arena = x.arena
	if x.found != int(c.rows) {
		return nil, lost(x.found, c.rows)
	}
	return p.line(c, x.arena, x.at, x.size), nil
}

// assembleWords makes an array of texts that all have numbers.
func (p *texts[O]) assembleWords(c *piece) (arrow.Array, error) {
	ids, valid, nulls, err := p.numbers.fill(c)
	if err != nil {
		return nil, err
	}
	words := p.words.all
	offsets := arrow.GetData[O](room(&c.spare.offsets, (len(ids)+1)*len(arrow.GetBytes([]O{0}))))
	out := room(&c.spare.arena, wordBytes*(len(ids)+1))
	end := 0
	for i, id := range ids {
		offsets[i] = O(end)
		switch {
		case nulls > 0 && bitutil.BitIsNotSet(valid, i):
		case int(id) < len(words):
			words[id].put(out[end:])
			end += int(words[id].length)
		default:
			return nil, errBlock
		}
	}
	offsets[len(ids)] = O(end)
	return c.array(p.shelf.like.DataType(), nulls, valid, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(out[:end])), nil
}

// lines are where the texts of a piece begin in an arena, in the new order.
type lines struct {
	*piece
	// words are what the first numbered rows of the part have numbers of.
	words    []word
	numbered int
	packed   bool
	at       []uint32
	arena    []byte
	found    int
	size     int64
}

// block takes in a block: all of it, or if there are more values than fit into
// memory, those that are wanted.
func (x *lines) block(s *store) error {
	if len(x.ranks) <= x.numbered {
		return x.numbers(s)
	}
	raw, ranks, err := x.texts(s)
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

// texts reads a block of texts, at the end of the arena if all are kept.
func (x *lines) texts(s *store) (raw []byte, ranks []uint32, err error) {
	if !x.packed && !x.some {
		x.arena, raw, ranks, err = x.blockOnto(s, x.arena)
		return raw, ranks, err
	}
	if raw, ranks, err = x.piece.block(s); err == nil && x.packed {
		raw, err = unpack(raw, &x.spare.plain)
	}
	if err == nil && !x.some {
		x.arena = append(x.arena, raw...)
	}
	return raw, ranks, err
}

// numbers takes in a block of numbers.
func (x *lines) numbers(s *store) error {
	raw, ranks, err := x.piece.block(s)
	if err != nil {
		return err
	}
	ids := arrow.GetData[uint32](room(&x.spare.decoded, 4*len(ranks)))
	null, err := decodeNumbers(ids, raw)
	if err != nil {
		return err
	}
	for i, rank := range ranks {
		place := rank - x.from
		if place >= x.rows {
			continue
		}
		x.at[place] = uint32(len(x.arena))
		x.found++
		switch {
		case null != nil && bitutil.BitIsSet(null, i):
			x.arena = binary.LittleEndian.AppendUint32(x.arena, nullText)
		case int(ids[i]) < len(x.words):
			v := x.words[ids[i]]
			x.arena = v.append(binary.LittleEndian.AppendUint32(x.arena, uint32(v.length)))
			x.size += int64(v.length)
		default:
			return errBlock
		}
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
func (p *texts[O]) line(c *piece, arena []byte, at []uint32, size int64) arrow.Array {
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
	return c.array(p.shelf.like.DataType(), nulls, valid, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(out))
}
