package extsort

import (
	"bytes"
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

// digest says which bytes of some keys make their prefixes: the first eight
// places, up to a bound, where not all keys have the same byte. Keys that end
// earlier count as followed by zeros.
type digest struct {
	places []int
	// exact says that different keys have different prefixes.
	exact bool
}

// newDigest looks at all keys.
func newDigest(keys []rowkey.Keys) digest {
	var first []byte
	var differ [scanned]byte
	longest, equal := -1, true
	for _, k := range keys {
		for i := range k.Len() {
			key := k.At(i)
			if longest < 0 {
				first, longest = key, len(key)
			}
			equal = equal && len(key) == len(first)
			longest = max(longest, len(key))
			for at := range min(scanned, max(len(key), len(first))) {
				differ[at] |= byteAt(key, at) ^ byteAt(first, at)
			}
		}
	}
	d := digest{exact: equal && longest <= scanned}
	for at, bits := range differ {
		if bits == 0 {
			continue
		}
		if len(d.places) == 8 {
			d.exact = false
			break
		}
		d.places = append(d.places, at)
	}
	return d
}

func byteAt(key []byte, at int) byte {
	if at < len(key) {
		return key[at]
	}
	return 0
}

func (d digest) prefix(key []byte) uint64 {
	var p uint64
	for _, at := range d.places {
		p = p<<8 | uint64(byteAt(key, at))
	}
	return p
}

// order is the rows of some keys, numbered through, in the order of the keys.
// Rows with equal keys keep theirs.
func order(keys []rowkey.Keys) []item {
	d := newDigest(keys)
	var rows int
	for _, k := range keys {
		rows += k.Len()
	}
	items := make([]item, 0, rows)
	for _, k := range keys {
		for i := range k.Len() {
			items = append(items, item{d.prefix(k.At(i)), uint32(len(items))})
		}
	}
	items = radix(items)
	if !d.exact {
		untie(items, keys)
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
func untie(items []item, keys []rowkey.Keys) {
	at := newLocator(keys)
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

// locator finds the batch of rows that are numbered through.
type locator struct {
	keys   []rowkey.Keys
	starts []uint32
}

func newLocator(keys []rowkey.Keys) locator {
	l := locator{keys: keys, starts: make([]uint32, len(keys))}
	var n uint32
	for i, k := range keys {
		l.starts[i] = n
		n += uint32(k.Len())
	}
	return l
}

// find is the batch of a row and the row's number in it.
func (l locator) find(row uint32) (batch, at uint32) {
	i, found := slices.BinarySearch(l.starts, row)
	if !found {
		i--
	}
	// Batches without rows begin where the next one does.
	for l.keys[i].Len() == 0 {
		i++
	}
	return uint32(i), row - l.starts[i]
}

func (l locator) key(row uint32) []byte {
	batch, at := l.find(row)
	return l.keys[batch].At(int(at))
}
