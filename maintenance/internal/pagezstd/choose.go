package pagezstd

import "encoding/binary"

// leastPage is from how many bytes on it is worth to find out what pays.
const leastPage = 32 << 10

// Choice is what pays for the pages of a column chunk. The zero Choice is found
// out with the first page, and again with some of those that follow.
type Choice struct {
	// Width is how many bytes each of the plain values takes that the next page
	// ends with, if it is 4 or 8; of others nothing is to be said.
	Width int
	way   way
	// left is how many pages there are until it is found out again, after which it
	// is for spell pages.
	left, spell int
	// of is the width that it was found out with.
	of int
}

// way is a way of compressing.
type way uint8

const (
	// usual is the compressor at its default level.
	usual way = iota
	// fast is the compressor at its lowest level.
	fast
	// coded is Huffman codes without matches.
	coded
	// shared is matches of high bytes with the value before.
	shared
	// stored is bytes as they are.
	stored
)

// next is the way for a page.
func (c *Choice) next(e *Encoder, page []byte) way {
	same := c.of == c.Width
	if same && c.left > 0 {
		c.left--
		return c.way
	}
	way := e.choose(page, c.Width)
	if !same || way != c.way || c.spell == 0 {
		c.spell = 1
	} else {
		c.spell *= 4
	}
	c.way, c.left, c.of = way, c.spell, c.Width
	return way
}

// choose finds out what pays for a page: of the ways from the cheapest on the
// first that comes close to what is usual.
func (e *Encoder) choose(page []byte, width int) way {
	part := sample(page, width)
	e.trial = e.lits.encode(e.trial[:0], part)
	codes := len(e.trial)
	e.trial = e.compressor(usual).EncodeAll(part, e.trial[:0])
	best := len(e.trial)
	if width > 0 {
		if b := e.lits.numbers(e.trial[:0], part, width); b != nil && len(b) <= min(codes, best+best/16) {
			return shared
		}
	}
	if codes <= best+best/12 && !e.lits.repeats(page) {
		if codes >= len(part) {
			return stored
		}
		return coded
	}
	e.trial = e.compressor(fast).EncodeAll(part, e.trial[:0])
	if n := len(e.trial); n <= best+best/16 {
		return fast
	}
	return usual
}

// window is how many bytes make a repetition. Shorter ones, which a sample
// shows, lie close together if they are to pay.
const window = 12

// repeats says whether a page has long repetitions, however far apart. Windows
// are looked at where their own bytes say so, one in sixteen, so that the same
// ones are looked at wherever they are.
func (l *literals) repeats(src []byte) bool {
	clear(l.seen[:])
	looked, found := 1, 0
	for i := 0; i+window <= len(src); i++ {
		h := binary.LittleEndian.Uint64(src[i:]) * 0x9E3779B97F4A7C15
		if h>>60 != 0 {
			continue
		}
		looked++
		at := &l.seen[h>>(60-14)&(1<<14-1)]
		if n := int(*at); n > 0 && string(src[n-1:n-1+window]) == string(src[i:i+window]) {
			found++
		}
		*at = uint32(i) + 1
	}
	return found*64 > looked
}

// sample is a part of a page from its middle, which ends with a value of that
// width as well.
func sample(src []byte, width int) []byte {
	n := min(max(len(src)/8, 16<<10), 128<<10)
	end := (len(src) + n) / 2
	if width > 0 {
		end += (len(src) - end) % width
	}
	return src[end-n : end]
}
