package extsort

import (
	"encoding/binary"
	"slices"

	"github.com/firndb/firn/maintenance/internal/rowkey"
)

// batch is rows that follow each other, with their whole keys.
type batch struct {
	keys rowkey.Keys
	// dead says which rows are not wanted, nil if all are.
	dead []bool
}

// appendItems appends the rows that are not dead, the first of which has a number
// and a place among those in memory.
func (b *batch) appendItems(items []item, d *digest, row, ref uint32) []item {
	for i := range b.keys.Len() {
		if b.dead == nil || !b.dead[i] {
			items = append(items, item{d.prefix(b.keys.At(i)), row + uint32(i), ref + uint32(i)})
		}
	}
	return items
}

// pack appends the rows of keys that are not dead as an exact digest's prefixes of
// them. The first has the number row.
func (d *digest) pack(items []item, keys rowkey.Keys, dead []bool, row uint32) []item {
	from := len(items)
	items = items[:from+keys.Len()]
	added := items[from:]
	for i := range added {
		added[i] = item{row: row + uint32(i)}
	}
	for _, s := range d.segments {
		s.pack(added, keys.Data, d.length)
	}
	if dead == nil {
		return items
	}
	for i, it := range added {
		if !dead[i] {
			items[from] = it
			from++
		}
	}
	return items[:from]
}

// pack appends the bits of a segment to the prefixes of the rows of keys that are
// all as long. One segment for all rows takes less time than one row after the
// other.
func (s segment) pack(items []item, keys []byte, length int) {
	at, width, shift, mask := s.at, s.width&63, s.shift&63, s.mask
	for i := range items {
		var word uint64
		if length >= 8 {
			word = binary.BigEndian.Uint64(keys[at : at+8])
		} else {
			word = lastWord(keys[at-s.at:at-s.at+length], s.at)
		}
		items[i].prefix = items[i].prefix<<width | word>>shift&mask
		at += length
	}
}

// unpack makes keys of packed items, of which some rows are missing that are dead.
func (d *digest) unpack(items []item, first uint32, rows int64) batch {
	b := batch{keys: rowkey.Keys{Data: make([]byte, 0, len(items)*d.length), Ends: make([]uint32, 0, rows)}}
	if int64(len(items)) < rows {
		b.dead = make([]bool, rows)
	}
	for i := range rows {
		if len(items) > 0 && items[0].row == first+uint32(i) {
			b.keys.Data = d.append(b.keys.Data, items[0].prefix)
			items = items[1:]
		} else {
			b.dead[i] = true
		}
		b.keys.Ends = append(b.keys.Ends, uint32(len(b.keys.Data)))
	}
	return b
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
		n += uint32(batches[i].keys.Len())
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
