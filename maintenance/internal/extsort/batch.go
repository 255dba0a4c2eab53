package extsort

import (
	"slices"

	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// batch is rows that follow each other, with their keys, or the prefixes that an
// exact digest makes of these.
type batch struct {
	keys     rowkey.Keys
	digest   *digest
	prefixes []uint64
	// dead says which rows are not wanted, nil if all are.
	dead []bool
}

func (b *batch) len() int {
	if b.digest != nil {
		return len(b.prefixes)
	}
	return b.keys.Len()
}

// pack makes prefixes of keys.
func (b *batch) pack(d *digest) {
	b.digest, b.prefixes = d, make([]uint64, b.keys.Len())
	for i := range b.prefixes {
		b.prefixes[i] = d.prefix(b.keys.At(i))
	}
	b.keys = rowkey.Keys{}
}

// unpack makes keys of prefixes.
func (b *batch) unpack() {
	if b.digest == nil {
		return
	}
	b.keys = rowkey.Keys{Data: make([]byte, 0, len(b.prefixes)*b.digest.length), Ends: make([]uint32, len(b.prefixes))}
	for i, p := range b.prefixes {
		b.keys.Data = b.digest.append(b.keys.Data, p)
		b.keys.Ends[i] = uint32(len(b.keys.Data))
	}
	b.digest, b.prefixes = nil, nil
}

// appendItems appends the rows that are not dead, the first of which has a number
// and a place among those in memory.
func (b *batch) appendItems(items []item, d *digest, row, ref uint32) []item {
	var m remap
	if b.digest != nil {
		m = d.remap(b.digest)
	}
	for i := range b.len() {
		if b.dead != nil && b.dead[i] {
			continue
		}
		it := item{row: row + uint32(i), ref: ref + uint32(i)}
		if b.digest != nil {
			it.prefix = m.of(b.prefixes[i])
		} else {
			it.prefix = d.prefix(b.keys.At(i))
		}
		items = append(items, it)
	}
	return items
}

// locator finds the keys of rows that are numbered through.
type locator struct {
	batches []batch
	starts  []uint32
}

func newLocator(batches []batch) locator {
	l := locator{batches: batches, starts: make([]uint32, len(batches))}
	var n uint32
	for i := range batches {
		l.starts[i] = n
		n += uint32(batches[i].len())
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
