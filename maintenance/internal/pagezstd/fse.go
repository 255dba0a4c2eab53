package pagezstd

import (
	"encoding/binary"
	"math/bits"
)

// Symbols of lengths of literals (RFC 8878, 3.1.1.3.2.1.1), and how precise
// tables of theirs can be.
const (
	lengthSymbols = 36
	mostTableLog  = 9
)

// lengthExtra is how many bits follow a symbol of lengths from 16 on.
var lengthExtra = [lengthSymbols - 16]uint8{1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

// lengthSymbol is the symbol of a length, less than mostBlock, with the bits that
// follow it.
func lengthSymbol(n int) (symbol uint8, extra uint64, extraBits int) {
	if n < 16 {
		return uint8(n), 0, 0
	}
	base, i := 16, 0
	for n >= base+1<<lengthExtra[i] {
		base += 1 << lengthExtra[i]
		i++
	}
	return uint8(16 + i), uint64(n - base), int(lengthExtra[i])
}

// bitWriter puts bits one behind the other, from the lowest of each byte on.
type bitWriter struct {
	out  []byte
	bits uint64
	n    int
}

// add adds at most 32 bits, of which those above are zero.
func (w *bitWriter) add(bits uint64, n int) {
	w.bits |= bits << w.n
	if w.n += n; w.n >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.bits))
		w.bits >>= 32
		w.n -= 32
	}
}

// end fills up the last byte.
func (w *bitWriter) end() []byte {
	for ; w.n > 0; w.n -= 8 {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
	w.n = 0
	return w.out
}

// lengthTable encodes symbols of lengths as finite state entropy codes
// (RFC 8878, 4.1).
type lengthTable struct {
	log    int
	share  [lengthSymbols]int
	states [1 << mostTableLog]uint16
	// bits and from are, for each symbol, what a state and its number of bits are
	// computed with.
	bits [lengthSymbols]uint32
	from [lengthSymbols]int
}

// make makes the table for symbols that occur so often, at least two of them.
func (t *lengthTable) make(counts *[lengthSymbols]int, total int) {
	t.log = min(max(bits.Len(uint(total))-2, 6), mostTableLog)
	t.divide(counts, total)
	size := 1 << t.log
	// The states are dealt out to the symbols in steps that reach every one.
	var dealt [1 << mostTableLog]uint8
	at := 0
	for s, n := range t.share {
		for range n {
			dealt[at] = uint8(s)
			at = (at + size>>1 + size>>3 + 3) & (size - 1)
		}
	}
	var next [lengthSymbols]int
	sum := 0
	for s, n := range t.share {
		next[s] = sum
		switch {
		case n == 1:
			t.bits[s], t.from[s] = uint32(t.log<<16-size), sum-1
		case n > 1:
			most := t.log - (bits.Len(uint(n-1)) - 1)
			t.bits[s], t.from[s] = uint32(most<<16-n<<most), sum-n
		}
		sum += n
	}
	for state := range size {
		s := dealt[state]
		t.states[next[s]] = uint16(size + state)
		next[s]++
	}
}

// divide gives every symbol its share of the states, none that occurs without
// one.
func (t *lengthTable) divide(counts *[lengthSymbols]int, total int) {
	size := 1 << t.log
	left := size
	for s, n := range counts {
		t.share[s] = 0
		if n > 0 {
			t.share[s] = max(1, n*size/total)
		}
		left -= t.share[s]
	}
	// Rounding leaves some. Symbols that got one though they are rare take from
	// those that have most.
	t.share[t.largest()] += max(0, left)
	for ; left < 0; left++ {
		t.share[t.largest()]--
	}
}

// largest is the symbol with the largest share.
func (t *lengthTable) largest() int {
	at := 0
	for s, n := range t.share {
		if n > t.share[at] {
			at = s
		}
	}
	return at
}

// header appends the shares (RFC 8878, 4.1.1).
func (t *lengthTable) header(dst []byte) []byte {
	w := bitWriter{out: dst}
	w.add(uint64(t.log-5), 4)
	left, threshold, n := 1<<t.log+1, 1<<t.log, t.log+1
	for s := 0; left > 1; {
		share := t.share[s]
		s++
		most := 2*threshold - 1 - left
		left -= share
		v := share + 1
		if v >= threshold {
			v += most
		}
		if v < most {
			w.add(uint64(v), n-1)
		} else {
			w.add(uint64(v), n)
		}
		for left < threshold {
			n--
			threshold >>= 1
		}
		if share == 0 {
			s = t.absent(&w, s)
		}
	}
	return w.end()
}

// absent tells how many symbols from s on have no share either, and returns the
// one that has.
func (t *lengthTable) absent(w *bitWriter, s int) int {
	first := s
	for t.share[s] == 0 {
		s++
	}
	run := s - first
	for ; run >= 3; run -= 3 {
		w.add(3, 2)
	}
	w.add(uint64(run), 2)
	return s
}

// start is the state that the last symbol of all leads to.
func (t *lengthTable) start(symbol uint8) uint32 {
	n := (t.bits[symbol] + 1<<15) >> 16
	state := n<<16 - t.bits[symbol]
	return uint32(t.states[int(state>>n)+t.from[symbol]])
}

// add writes what leads from the state of a symbol to that of the one before it.
func (t *lengthTable) add(w *bitWriter, state uint32, symbol uint8) uint32 {
	n := (state + t.bits[symbol]) >> 16
	w.add(uint64(state)&(1<<n-1), int(n))
	return uint32(t.states[int(state>>n)+t.from[symbol]])
}
