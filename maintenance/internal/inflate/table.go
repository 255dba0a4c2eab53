package inflate

import "math/bits"

// entry is what a code means: in its lowest 6 bits how many bits the code takes
// with those that follow on it, from bit 8 on how many the code takes alone, from
// bit 14 on a literal, the least length or distance, or where a table begins.
type entry uint32

const (
	// literal and special are flags. An entry with neither is a length or distance.
	literal entry = 1 << 31
	special entry = 1 << 30
	// A special entry is a code that cannot be, or one of these.
	longer entry = 1 << 12
	end    entry = 1 << 13

	valueShift = 14
	valueMask  = 1<<16 - 1
)

func (e entry) value() int { return int(e >> valueShift & valueMask) }

// extra is what follows on the code in the bits that begin with it.
func (e entry) extra(from uint64) int {
	return int(from & (1<<(e&63) - 1) >> (e >> 8 & 15))
}

// maxBits is the length of the longest code.
const maxBits = 15

// What the tables are looked up by, and how long they are: each table of longer
// codes has two of them at least.
const (
	literalBits  = 11
	distanceBits = 8
	headBits     = 7
	literalSize  = 1<<literalBits + maxLiterals/2<<(maxBits-literalBits)
	distanceSize = 1<<distanceBits + maxDistances/2<<(maxBits-distanceBits)
)

// How many codes there are at most, those that cannot be used included.
const (
	maxLiterals  = 288
	maxDistances = 32
	maxHeads     = 19
)

// fill makes a table of codes of the given lengths, 0 for none, and the meaning of
// each, and says whether they are a code: no bits may be without a meaning unless
// there is one code of one bit, or none.
func fill(table []entry, by int, lengths []uint8, meanings []entry) bool {
	var count, start [maxBits + 1]int
	for _, n := range lengths {
		count[n]++
	}
	room, used := 1<<maxBits, 0
	for n := 1; n <= maxBits; n++ {
		start[n] = used
		used += count[n]
		room -= count[n] << (maxBits - n)
	}
	if room != 0 && used > 0 && (used > 1 || count[1] != 1) {
		return false
	}
	first := table[:1<<by]
	if room != 0 {
		for i := range first {
			first[i] = special
		}
	}
	// Codes are given in order of their lengths, then of what they mean.
	var order [maxLiterals]uint16
	for symbol, n := range lengths {
		if n != 0 {
			order[start[n]] = uint16(symbol)
			start[n]++
		}
	}
	code, free, before := 0, len(first), 0
	for _, symbol := range order[:used] {
		n := int(lengths[symbol])
		code <<= n - before
		before = n
		at := int(bits.Reverse16(uint16(code)) >> (16 - n))
		code++
		e := meanings[symbol] + entry(n) + entry(n)<<8
		if n <= by {
			for ; at < len(first); at += 1 << n {
				first[at] = e
			}
			continue
		}
		head := &first[at&(len(first)-1)]
		if at>>by == 0 {
			// The first of the codes that begin so.
			*head = special | longer | entry(free)<<valueShift
			free += 1 << (maxBits - by)
		}
		rest := table[head.value():][:1<<(maxBits-by)]
		for at >>= by; at < len(rest); at += 1 << (n - by) {
			rest[at] = e
		}
	}
	return true
}

// meanings are those of all codes, without their lengths.
type meanings struct {
	literals  [maxLiterals]entry
	distances [maxDistances]entry
	heads     [maxHeads]entry
	// order is in which the lengths of heads come.
	order [maxHeads]uint8
}

// newMeanings are those of RFC 1951, section 3.2.5.
func newMeanings() *meanings {
	m := &meanings{order: [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}}
	for i := range 256 {
		m.literals[i] = literal | entry(i)<<valueShift
	}
	m.literals[256] = special | end
	least := 3
	for i := 257; i < 285; i++ {
		extra := max(0, (i-257)/4-1)
		m.literals[i] = entry(extra) | entry(least)<<valueShift
		least += 1 << extra
	}
	m.literals[285] = 258 << valueShift
	m.literals[286], m.literals[287] = special, special
	least = 1
	for i := range 30 {
		extra := max(0, i/2-1)
		m.distances[i] = entry(extra) | entry(least)<<valueShift
		least += 1 << extra
	}
	m.distances[30], m.distances[31] = special, special
	for i := range m.heads {
		m.heads[i] = entry(i) << valueShift
	}
	return m
}
