package extsort

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// item is a row with the part of its key that tells it from most others.
type item struct {
	prefix uint64
	row    uint32
}

// scanned is how many bytes of keys are looked at for differences.
const scanned = 64

// survey is what keys have in common.
type survey struct {
	// first is one of them; differ has the bits in which some key is not like it.
	// Keys that end earlier count as followed by zeros.
	first  [scanned]byte
	differ [scanned]byte
	// length is that of all keys, -1 if they differ in length; seen says that there
	// are any.
	length int
	seen   bool
}

// add takes in keys.
func (s *survey) add(keys rowkey.Keys) {
	if keys.Len() == 0 {
		return
	}
	if !s.seen {
		copy(s.first[:], keys.At(0))
		s.length, s.seen = len(keys.At(0)), true
	}
	for i := range keys.Len() {
		s.key(keys.At(i))
	}
}

func (s *survey) key(key []byte) {
	if len(key) != s.length {
		s.length = -1
	}
	at := 0
	for ; at+8 <= min(len(key), scanned); at += 8 {
		d := binary.LittleEndian.Uint64(key[at:]) ^ binary.LittleEndian.Uint64(s.first[at:])
		binary.LittleEndian.PutUint64(s.differ[at:], binary.LittleEndian.Uint64(s.differ[at:])|d)
	}
	if s.length < 0 {
		for ; at < scanned; at++ {
			s.differ[at] |= byteAt(key, at) ^ s.first[at]
		}
		return
	}
	for ; at < min(len(key), scanned); at++ {
		s.differ[at] |= key[at] ^ s.first[at]
	}
}

// join takes in another survey.
func (s *survey) join(other survey) {
	switch {
	case !other.seen:
		return
	case !s.seen:
		*s = other
		return
	case s.length != other.length:
		s.length = -1
	}
	for i := range s.differ {
		s.differ[i] |= other.differ[i] | (s.first[i] ^ other.first[i])
	}
}

// order is the rows of some keys that are not dead, numbered through, in the
// order of the keys. Rows with equal keys keep theirs.
func (d *digest) order(batches []batch) []item {
	var rows int
	for _, b := range batches {
		rows += b.keys.Len()
	}
	items := make([]item, 0, rows)
	row := uint32(0)
	for _, b := range batches {
		for i := range b.keys.Len() {
			if b.dead == nil || !b.dead[i] {
				items = append(items, item{d.prefix(b.keys.At(i)), row})
			}
			row++
		}
	}
	items = radix(items)
	if !d.exact {
		untie(items, newLocator(batches))
	}
	return items
}

// radix sorts by prefix, byte by byte from the last, each time keeping the
// order of equals. Bytes that are all the same are passed over.
func radix(items []item) []item {
	var counts [8][256]uint32
	for _, it := range items {
		for b := range 8 {
			counts[b][byte(it.prefix>>(8*b))]++
		}
	}
	var other []item
	for b := range 8 {
		if slices.Contains(counts[b][:], uint32(len(items))) {
			continue
		}
		if other == nil {
			other = make([]item, len(items))
		}
		var at uint32
		for v, n := range counts[b] {
			counts[b][v] = at
			at += n
		}
		for _, it := range items {
			v := byte(it.prefix >> (8 * b))
			other[counts[b][v]] = it
			counts[b][v]++
		}
		items, other = other, items
	}
	return items
}

// untie sorts rows of equal prefix by their whole keys.
func untie(items []item, at locator) {
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].prefix == items[from].prefix {
			to++
		}
		if to-from > 1 {
			slices.SortStableFunc(items[from:to], func(a, b item) int { return bytes.Compare(at.key(a.row), at.key(b.row)) })
		}
		from = to
	}
}

// locator finds the keys of rows that are numbered through.
type locator struct {
	batches []batch
	starts  []uint32
}

func newLocator(batches []batch) locator {
	l := locator{batches: batches, starts: make([]uint32, len(batches))}
	var n uint32
	for i, b := range batches {
		l.starts[i] = n
		n += uint32(b.keys.Len())
	}
	return l
}

func (l locator) key(row uint32) []byte {
	i, found := slices.BinarySearch(l.starts, row)
	if !found {
		i--
	}
	return l.batches[i].keys.At(int(row - l.starts[i]))
}

func byteAt(key []byte, at int) byte {
	if at < len(key) {
		return key[at]
	}
	return 0
}
