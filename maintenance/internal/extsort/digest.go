package extsort

import (
	"encoding/binary"
	"math/bits"
)

// digest says which bits of some keys make their prefixes: the first 64, up to a
// bound, in which not all keys are alike.
type digest struct {
	segments []segment
	// exact says that different keys have different prefixes. All keys are as long
	// as length then, and are first with the bits of their prefixes in it.
	exact  bool
	first  [scanned + 8]byte
	length int
}

// segment is some bits of a key that follow each other: those that mask has of
// the eight bytes at a place, read as a number and shifted.
type segment struct {
	at           int
	shift, width uint8
	mask         uint64
}

func (s survey) digest() digest {
	d := digest{exact: s.length >= 0 && s.length <= scanned, length: s.length}
	copy(d.first[:], s.first[:])
	window := scanned - 8
	if d.exact {
		window = max(0, s.length-8)
	}
	free := 64
	for from := s.differing(0, true); from < 8*scanned; {
		to := s.differing(from, false)
		at := min(from/8, window)
		to = min(to, from+free, 8*at+64)
		if free == 0 {
			d.exact = false
			break
		}
		width := to - from
		d.segments = append(d.segments, segment{at: at, shift: uint8(8*at + 64 - to), width: uint8(width), mask: ^uint64(0) >> (64 - width)})
		free -= width
		from = s.differing(to, true)
	}
	return d
}

// differing is the first bit, from one on, in which keys differ, or in which they
// do not.
func (s *survey) differing(from int, differ bool) int {
	for at := from; at < 8*scanned; {
		b := s.differ[at/8]
		if !differ {
			b = ^b
		}
		b &= 0xff >> (at % 8)
		if b != 0 {
			return at/8*8 + bits.LeadingZeros8(b)
		}
		at = at/8*8 + 8
	}
	return 8 * scanned
}

// prefix is the digest of a key. Bytes that a key does not have count as zero.
func (d *digest) prefix(key []byte) uint64 {
	var p uint64
	for i := range d.segments {
		s := &d.segments[i]
		var word uint64
		if s.at+8 <= len(key) {
			word = binary.BigEndian.Uint64(key[s.at:])
		} else {
			word = lastWord(key, s.at)
		}
		// Only the first segment may be 64 bits wide.
		p = p<<(s.width&63) | word>>(s.shift&63)&s.mask
	}
	return p
}

// lastWord is eight bytes of a key that ends before.
func lastWord(key []byte, at int) uint64 {
	var b [8]byte
	if at < len(key) {
		copy(b[:], key[at:])
	}
	return binary.BigEndian.Uint64(b[:])
}

// append appends the key that an exact digest has made a prefix of.
func (d *digest) append(dst []byte, prefix uint64) []byte {
	key := d.first
	for i := len(d.segments) - 1; i >= 0; i-- {
		s := d.segments[i]
		at := key[s.at:]
		word := binary.BigEndian.Uint64(at)&^(s.mask<<s.shift) | prefix&s.mask<<s.shift
		binary.BigEndian.PutUint64(at, word)
		prefix >>= s.width
	}
	return append(dst, key[:d.length]...)
}

// remap makes prefixes of another digest's prefixes.
type remap struct {
	// rest is the bits that all keys of the other digest have alike.
	rest  uint64
	moves []move
}

// move is some bits of a prefix and how much higher they are in the other.
type move struct {
	mask  uint64
	shift uint8
}

// remap is for the prefixes of an exact digest whose keys are among those of d,
// which is exact too. Bits keep their order, so that each moves up at most.
func (d *digest) remap(from *digest) *remap {
	if d == from {
		return &remap{moves: []move{{mask: ^uint64(0)}}}
	}
	m := &remap{rest: d.prefix(from.append(nil, 0))}
	for bit := range 64 {
		to := d.prefix(from.append(nil, 1<<bit)) ^ m.rest
		if to == 0 {
			break
		}
		shift := uint8(bits.TrailingZeros64(to) - bit)
		if n := len(m.moves); n == 0 || m.moves[n-1].shift != shift {
			m.moves = append(m.moves, move{shift: shift})
		}
		m.moves[len(m.moves)-1].mask |= 1 << bit
	}
	return m
}

// all changes the prefixes of items.
func (m *remap) all(items []item) {
	for i := range items {
		items[i].prefix = m.of(items[i].prefix)
	}
}

func (m *remap) of(prefix uint64) uint64 {
	out := m.rest
	for _, v := range m.moves {
		out |= prefix & v.mask << v.shift
	}
	return out
}
