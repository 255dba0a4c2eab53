package extsort

import (
	"bytes"
	"math/bits"
	"slices"
)

// item is a row with the part of its key that tells it from most others.
type item struct {
	prefix uint64
	row    uint32
	// ref says where the key of the row is, where a prefix is not all of it.
	ref uint32
}

const (
	// digitBits is how many bits items are distributed by at once.
	digitBits = 11
	// fewItems are sorted by insertion.
	fewItems = 24
)

// radix sorts items by what their prefixes differ in, the first bits first, so
// that what follows is sorted in the processor's cache.
type radix struct {
	// counts are of each depth.
	counts [][]uint32
}

// sortItems sorts by prefix and keeps the order of equals. It needs another slice
// that is as long.
func sortItems(items, other []item) {
	var r radix
	r.sort(items, other[:len(items)], 0, false)
}

// sort sorts a into b, which is as long, or in its place.
func (r *radix) sort(a, b []item, depth int, intoB bool) {
	if len(a) <= fewItems {
		insert(a)
		if intoB {
			copy(b, a)
		}
		return
	}
	var differ uint64
	for _, it := range a {
		differ |= it.prefix ^ a[0].prefix
	}
	if differ == 0 {
		if intoB {
			copy(b, a)
		}
		return
	}
	top := bits.Len64(differ)
	width := min(top, digitBits, bits.Len(uint(len(a)))-2)
	shift := top - width
	ends, most := r.distribute(a, b, depth, shift, width)
	if most <= fewItems {
		insert(b)
		if !intoB {
			copy(a, b)
		}
		return
	}
	from := uint32(0)
	for _, to := range ends {
		if to > from {
			r.sort(b[from:to], a[from:to], depth+1, !intoB)
		}
		from = to
	}
}

// distribute puts the items of a into b in the order of some bits. It returns
// where those of each number end, and how many there are of one at most.
func (r *radix) distribute(a, b []item, depth, shift, width int) (ends []uint32, most uint32) {
	if depth == len(r.counts) {
		r.counts = append(r.counts, make([]uint32, 1<<digitBits))
	}
	counts, mask := r.counts[depth][:1<<width], uint64(1)<<width-1
	clear(counts)
	for _, it := range a {
		counts[it.prefix>>shift&mask]++
	}
	var at uint32
	for v, n := range counts {
		counts[v] = at
		at += n
		most = max(most, n)
	}
	for _, it := range a {
		v := it.prefix >> shift & mask
		b[counts[v]] = it
		counts[v]++
	}
	return counts, most
}

// insert sorts items that are few, or near their places.
func insert(items []item) {
	for i := 1; i < len(items); i++ {
		it, at := items[i], i
		for ; at > 0 && items[at-1].prefix > it.prefix; at-- {
			items[at] = items[at-1]
		}
		items[at] = it
	}
}

// untie sorts items of equal prefix by their whole keys.
func untie(items []item, at locator) {
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].prefix == items[from].prefix {
			to++
		}
		if to-from > 1 {
			slices.SortStableFunc(items[from:to], func(a, b item) int { return bytes.Compare(at.key(a.ref), at.key(b.ref)) })
		}
		from = to
	}
}
