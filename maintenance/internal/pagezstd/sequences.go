package pagezstd

import (
	"encoding/binary"
	"math/bits"
)

// sequences are matches of one length at one distance, with literals before
// each.
type sequences struct {
	// before is how many literals come before each match.
	before []int
	// match is how long matches are.
	match int
	// distance is how far back they are, or 0 for the distance of the last one.
	distance int
}

// How symbols are encoded (RFC 8878, 3.1.1.3.2.1).
const (
	oneSymbol = 1
	withTable = 2
)

// appendSequences appends the section of sequences (RFC 8878, 3.1.1.3.2).
func (l *literals) appendSequences(dst []byte, s *sequences) []byte {
	n := len(s.before)
	if n == 0 {
		return append(dst, 0)
	}
	switch {
	case n < 1<<7:
		dst = append(dst, byte(n))
	case n < 0x7F00:
		dst = append(dst, byte(n>>8)+1<<7, byte(n))
	default:
		dst = binary.LittleEndian.AppendUint16(append(dst, 255), uint16(n-0x7F00))
	}
	var counts [lengthSymbols]int
	for _, b := range s.before {
		symbol, _, _ := lengthSymbol(b)
		counts[symbol]++
	}
	first, _, _ := lengthSymbol(s.before[0])
	varies := counts[first] < n
	// Values from 4 on are distances, 1 says that it is the last one.
	far := uint(1)
	if s.distance > 0 {
		far = uint(s.distance) + 3
	}
	farBits := bits.Len(far) - 1
	if varies {
		l.table.make(&counts, n)
		dst = l.table.header(append(dst, withTable<<6|oneSymbol<<4|oneSymbol<<2))
	} else {
		dst = append(dst, oneSymbol<<6|oneSymbol<<4|oneSymbol<<2, first)
	}
	dst = append(dst, byte(farBits), byte(s.match-leastMatch))
	return l.stream(dst, s.before, varies, uint64(far)-1<<farBits, farBits)
}

// stream appends the bits of sequences, which are read from the end.
func (l *literals) stream(dst []byte, before []int, varies bool, far uint64, farBits int) []byte {
	w := bitWriter{out: dst}
	var state uint32
	if !varies && before[0] < 16 && farBits == 0 {
		// There is nothing to be said.
		before = nil
	}
	for i := len(before) - 1; i >= 0; i-- {
		symbol, extra, n := lengthSymbol(before[i])
		switch {
		case varies && i == len(before)-1:
			state = l.table.start(symbol)
		case varies:
			state = l.table.add(&w, state, symbol)
		}
		w.add(extra, n)
		w.add(far, farBits)
	}
	if varies {
		w.add(uint64(state)&(1<<l.table.log-1), l.table.log)
	}
	w.add(1, 1)
	return w.end()
}
