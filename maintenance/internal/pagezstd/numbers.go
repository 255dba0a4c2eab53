package pagezstd

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// leastMatch is how many bytes a match has at least.
const leastMatch = 3

// numbers appends a frame of a page that ends with values of 4 or 8 bytes, in
// which most values share their high bytes with the value before them. As many as
// most share are a match, all of one length at one distance, so that nothing is
// searched for and nearly nothing is to be said about them. It returns nil if the
// values share too little.
func (l *literals) numbers(dst, page []byte, width int) []byte {
	// What is before the values is taken for values as well.
	offset := len(page) % width
	written := lowBytes(page[offset:], width)
	if written == 0 {
		return nil
	}
	seq := sequences{match: width - written, distance: width}
	// The first match tells the distance, in a block of its own.
	end := offset + 2*width
	for end <= len(page) && !shares(page[end-2*width:], width, written) {
		end += width
	}
	if end > min(len(page), mostBlock/2) {
		return nil
	}
	at := end - seq.match
	seq.before = append(l.before[:0], at)
	l.before = seq.before
	dst = l.block(frameHeader(dst, len(page)), page[:end], page[:at], &seq, end == len(page))
	seq.distance = 0
	for end < len(page) {
		part := page[end-width : min(len(page), end+mostBlock/width*width)]
		low := l.split(part, width, written)
		seq.before = l.before
		end += len(part) - width
		dst = l.block(dst, part[width:], low, &seq, end == len(page))
	}
	return dst
}

// split returns what of values is no match, and notes how much of it comes before
// each match. The first value is only for comparison.
func (l *literals) split(values []byte, width, written int) []byte {
	// Every value is put whole, to be overwritten from where it is a match.
	low := slices.Grow(l.low[:0], len(values)+8)[:len(values)+8]
	before, n, run := l.before[:0], 0, 0
	last := value(values, width)
	for at := width; at < len(values); at += width {
		v := value(values[at:], width)
		binary.LittleEndian.PutUint64(low[n:], v>>(64-8*width))
		if (v^last)>>(8*(8-width+written)) == 0 {
			n += written
			before = append(before, run+written)
			run = 0
		} else {
			n += width
			run += width
		}
		last = v
	}
	l.low, l.before = low, before
	return low[:n]
}

// shares says whether the second of two values has the high bytes of the first.
func shares(b []byte, width, written int) bool {
	return (value(b, width)^value(b[width:], width))>>(8*(8-width+written)) == 0
}

// lowBytes is how many low bytes of values are best written, 0 if there is
// nothing to be gained.
func lowBytes(values []byte, width int) int {
	if len(values) < 2*width {
		return 0
	}
	// shared counts the values that have so many high bytes of the one before.
	var shared [9]int
	before := value(values, width)
	for at := width; at < len(values); at += width {
		v := value(values[at:], width)
		shared[bits.LeadingZeros64(v^before)/8]++
		before = v
	}
	n := len(values) / width
	best, least, fit := 0, n*width, 0
	for high := 8; high >= leastMatch; high-- {
		fit += shared[high]
		if high >= width {
			continue
		}
		// A value that does not fit takes all its bytes, and makes lengths vary.
		if size := fit*(width-high) + (n-fit)*(width+1); size < least {
			best, least = width-high, size
		}
	}
	return best
}

// value is the value that begins there, in the highest bytes.
func value(b []byte, width int) uint64 {
	if width == 4 {
		return uint64(binary.LittleEndian.Uint32(b)) << 32
	}
	return binary.LittleEndian.Uint64(b)
}
