package manifest

import (
	"cmp"
	"slices"
	"unsafe"
)

// Lists are lists of whole numbers, each of which may be missing.
type Lists struct {
	// lengths has the length of each.
	lengths *Longs
	starts  []uint32
	items   *Longs
}

// At is list i, nil if it is missing.
func (l *Lists) At(i int) []int64 {
	n, ok := l.lengths.At(i)
	if !ok {
		return nil
	}
	list := make([]int64, n)
	for j := range list {
		list[j] = l.items.at(int(l.starts[i]) + j)
	}
	return list
}

// Size implements Column.
func (l *Lists) Size() int64 {
	return int64(unsafe.Sizeof(*l)) + l.lengths.Size() + 4*int64(cap(l.starts)) + l.items.Size()
}

type listsBuilder struct {
	lengths longsBuilder
	starts  []uint32
	items   longsBuilder
}

func (b *listsBuilder) addMissing() {
	b.lengths.addMissing()
	b.starts = append(b.starts, uint32(len(b.items.values)))
}

// end closes a list that began when there were from items.
func (b *listsBuilder) end(from int) {
	b.lengths.add(int64(len(b.items.values) - from))
	b.starts = append(b.starts, uint32(from))
}

func (b *listsBuilder) build() *Lists {
	l := &Lists{b.lengths.build(), slices.Clone(b.starts), b.items.build()}
	b.starts = b.starts[:0]
	return l
}

// Maps are maps by column id, each of which may be missing. Few sets of ids
// occur, as most files have the same columns.
type Maps struct {
	set    *Longs
	sets   [][]int32
	starts []uint32
	// One of the two has the values, in the order of the ids.
	longs *Longs
	bytes *Bytes
}

// At is map i: its ids in their order, and where its first value is. ok is
// false if it is missing. The ids must not be changed.
func (m *Maps) At(i int) (ids []int32, start int, ok bool) {
	set, ok := m.set.At(i)
	if !ok {
		return nil, 0, false
	}
	return m.sets[set], int(m.starts[i]), true
}

// OfBytes says whether the values are byte strings.
func (m *Maps) OfBytes() bool { return m.bytes != nil }

// Long is the value at a place, counted from the start of its map.
func (m *Maps) Long(place int) int64 { return m.longs.at(place) }

// Bytes is the value at a place, counted from the start of its map.
func (m *Maps) Bytes(place int) []byte { return m.bytes.At(place) }

// Find is the place of a column's value in map i, ok if there is one.
func (m *Maps) Find(i int, id int32) (place int, ok bool) {
	ids, start, ok := m.At(i)
	if !ok {
		return 0, false
	}
	at, ok := slices.BinarySearch(ids, id)
	return start + at, ok
}

// Size implements Column.
func (m *Maps) Size() int64 {
	size := int64(unsafe.Sizeof(*m)) + m.set.Size() + 4*int64(cap(m.starts))
	for _, ids := range m.sets {
		size += int64(unsafe.Sizeof(ids)) + 4*int64(cap(ids))
	}
	if m.longs != nil {
		size += m.longs.Size()
	}
	if m.bytes != nil {
		size += m.bytes.Size()
	}
	return size
}

// pair is a value of a map while it is read.
type pair struct {
	id    int32
	long  int64
	bytes []byte
}

type mapsBuilder struct {
	ofBytes bool
	set     longsBuilder
	sets    [][]int32
	starts  []uint32
	longs   longsBuilder
	bytes   bytesBuilder
	// pairs are those of the map that is being read.
	pairs []pair
}

func (b *mapsBuilder) start() uint32 {
	if b.ofBytes {
		return uint32(len(b.bytes.ends))
	}
	return uint32(len(b.longs.values))
}

func (b *mapsBuilder) addMissing() {
	b.set.addMissing()
	b.starts = append(b.starts, b.start())
}

// end closes a map; of two values for one column the later is taken.
func (b *mapsBuilder) end() {
	ascending := slices.IsSortedFunc(b.pairs, func(x, y pair) int { return cmp.Or(cmp.Compare(x.id, y.id), -1) })
	if !ascending {
		slices.Reverse(b.pairs)
		slices.SortStableFunc(b.pairs, func(x, y pair) int { return cmp.Compare(x.id, y.id) })
		b.pairs = slices.CompactFunc(b.pairs, func(x, y pair) bool { return x.id == y.id })
	}
	b.starts = append(b.starts, b.start())
	b.set.add(b.setOfPairs())
	for _, p := range b.pairs {
		if b.ofBytes {
			b.bytes.add(p.bytes)
		} else {
			b.longs.add(p.long)
		}
	}
	b.pairs = b.pairs[:0]
}

// setOfPairs finds the set of the pairs' ids, from the latest set backwards.
func (b *mapsBuilder) setOfPairs() int64 {
	for i := len(b.sets) - 1; i >= 0 && i >= len(b.sets)-maxSets; i-- {
		if slices.EqualFunc(b.sets[i], b.pairs, func(id int32, p pair) bool { return id == p.id }) {
			return int64(i)
		}
	}
	ids := make([]int32, len(b.pairs))
	for i, p := range b.pairs {
		ids[i] = p.id
	}
	b.sets = append(b.sets, ids)
	return int64(len(b.sets) - 1)
}

// maxSets is how many sets of ids are compared before one is written again.
const maxSets = 8

func (b *mapsBuilder) build() *Maps {
	m := &Maps{set: b.set.build(), sets: b.sets, starts: slices.Clone(b.starts)}
	if b.ofBytes {
		m.bytes = b.bytes.build()
	} else {
		m.longs = b.longs.build()
	}
	b.sets, b.starts = nil, b.starts[:0]
	return m
}
