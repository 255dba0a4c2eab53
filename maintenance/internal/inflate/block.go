package inflate

import "encoding/binary"

// room is how much one step may write: three literals, a copy, and as much again as
// is written at once.
const room = 3 + 258 + 16

// block decompresses a block whose tables have been made. What changes often is
// held in variables of its own: that is a third of the time.
func (d *Decoder) block() error {
	src, at, held, n := d.src, d.at, d.held, d.n
	dst, out := d.dst, d.out
	for {
		if at+8 <= len(src) {
			at, held, n = more(src, at, held, n)
		} else if at, held, n = d.last(at, held, n); d.ended() {
			return ErrCorrupt
		}
		if len(dst)-out < room {
			if dst = d.grown(out); dst == nil {
				return ErrTooLong
			}
		}
		// Three literals and a length take 3*11 + 15 + 5 bits at most.
		e := d.literals[held&(1<<literalBits-1)]
		for left := 3; e&literal != 0 && left > 0; left-- {
			dst[out] = byte(e >> valueShift)
			out++
			held >>= e & 63
			n -= uint(e & 63)
			e = d.literals[held&(1<<literalBits-1)]
		}
		if e&longer != 0 {
			e = d.literals[e.value()+int(held>>literalBits&(1<<(maxBits-literalBits)-1))]
		}
		from := held
		held >>= e & 63
		n -= uint(e & 63)
		if e&literal != 0 {
			dst[out] = byte(e >> valueShift)
			out++
			continue
		}
		if e&special != 0 {
			return d.finish(e, at, held, n, out)
		}
		length := e.value() + e.extra(from)
		if n < maxBits+13 {
			if at+8 <= len(src) {
				at, held, n = more(src, at, held, n)
			} else if at, held, n = d.last(at, held, n); d.ended() {
				return ErrCorrupt
			}
		}
		e = d.distances[held&(1<<distanceBits-1)]
		if e&longer != 0 {
			e = d.distances[e.value()+int(held>>distanceBits&(1<<(maxBits-distanceBits)-1))]
		}
		distance := e.value() + e.extra(held)
		held >>= e & 63
		n -= uint(e & 63)
		if e&special != 0 || distance > out {
			return ErrCorrupt
		}
		repeat(dst[out-distance:out+length+16], distance, length)
		out += length
	}
}

// more holds 56 bits at least, where eight bytes are left.
func more(src []byte, at int, held uint64, n uint) (int, uint64, uint) {
	return at + int(63-n)>>3, held | binary.LittleEndian.Uint64(src[at:])<<(n&63), n | 56
}

// last is more near the end of the input.
func (d *Decoder) last(at int, held uint64, n uint) (int, uint64, uint) {
	d.at, d.held, d.n = at, held, n
	d.refill()
	return d.at, d.held, d.n
}

// finish ends a block with a code that is no length.
func (d *Decoder) finish(e entry, at int, held uint64, n uint, out int) error {
	d.at, d.held, d.n, d.out = at, held, n, out
	if e&end == 0 || d.ended() {
		return ErrCorrupt
	}
	return nil
}

// grown is the output with room for a step, nil if it is too long.
func (d *Decoder) grown(out int) []byte {
	d.out = out
	if d.grow(0) != nil {
		return nil
	}
	return d.dst
}

// repeat writes length bytes behind the first distance ones, as often as need be,
// and maybe some more.
func repeat(b []byte, distance, length int) {
	if distance >= 8 {
		for at := 0; at < length; at += 8 {
			binary.LittleEndian.PutUint64(b[distance+at:], binary.LittleEndian.Uint64(b[at:]))
		}
		return
	}
	for at := range length {
		b[distance+at] = b[at]
	}
}
