package reorder

import "encoding/binary"

// word is a short value: its bytes, followed by zeros, and how many they are.
type word struct {
	low, high uint64
	length    uint64
}

// wordBytes is how long a word is at most.
const wordBytes = 16

// wordAt is the word of so many bytes that data has at a place.
func wordAt(data []byte, at, length int) word {
	if at+wordBytes > len(data) {
		var last [wordBytes]byte
		copy(last[:], data[at:at+length])
		data, at = last[:], 0
	}
	// All sixteen bytes are read and the others dropped, since that needs no branch.
	low, high := binary.LittleEndian.Uint64(data[at:]), binary.LittleEndian.Uint64(data[at+8:])
	return word{low & firstBytes(length), high & firstBytes(max(0, length-8)), uint64(length)}
}

// firstBytes masks so many bytes, eight at most.
func firstBytes(n int) uint64 { return 1<<(8*uint(min(n, 8))) - 1 }

// put writes sixteen bytes, the word's and zeros.
func (w word) put(dst []byte) {
	binary.LittleEndian.PutUint64(dst, w.low)
	binary.LittleEndian.PutUint64(dst[8:], w.high)
}

// append appends the word's bytes.
func (w word) append(dst []byte) []byte {
	var b [wordBytes]byte
	w.put(b[:])
	return append(dst, b[:w.length]...)
}

// words are the different values of a column, as long as they are short and few,
// numbered in the order in which they came.
type words struct {
	// table has numbers, one more than they are, by the hash of their words.
	table [1 << tableBits]uint16
	all   []word
}

// A column with more different values than mostWords is not kept as words, nor is
// one with so many whose hashes are alike that mostSteps do not tell them apart.
const (
	mostWords = 1 << 10
	tableBits = 12
	mostSteps = 64
)

// number is the number of a word, and false if there would be too many.
func (w *words) number(v word) (uint32, bool) {
	at := (v.low ^ v.high*0xff51afd7ed558ccd ^ v.length) * 0x9e3779b97f4a7c15 >> (64 - tableBits)
	for range mostSteps {
		n := uint32(w.table[at])
		if n == 0 {
			break
		}
		if w.all[n-1] == v {
			return n - 1, true
		}
		at = (at + 1) % (1 << tableBits)
	}
	if w.table[at] != 0 || len(w.all) == mostWords {
		return 0, false
	}
	w.all = append(w.all, v)
	w.table[at] = uint16(len(w.all))
	return uint32(len(w.all)) - 1, true
}
