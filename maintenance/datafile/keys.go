package datafile

import (
	"encoding/binary"
	"hash/maphash"
)

// keyTable is a set of keys. Most of what is asked for is not in it: a Bloom
// filter of a few bits for each key, which stays in the processor's cache,
// answers first.
type keyTable struct {
	seed maphash.Seed
	n    int
	// filter has four bits set for each key, all in the same word.
	filter []uint64
	// slots are an open addressing table, at most half full: where a key is, below
	// slotTag bits of its hash; zero is none.
	slots []uint64
	// arena has the keys, each after its length.
	arena [][]byte
	held  int64
}

const (
	// arenaBlock is how many bytes of keys stand together.
	arenaBlock = 1 << arenaBits
	arenaBits  = 20
	// slotTag is where the bits of a hash begin in a slot. Before are the block, one
	// more than it is, and the place in it.
	slotTag   = 44
	leastSlot = 16
)

func (t *keyTable) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) }

// mask is the bits of a key in a word of the filter.
func mask(hash uint64) uint64 {
	return 1<<(hash&63) | 1<<(hash>>6&63) | 1<<(hash>>12&63) | 1<<(hash>>18&63)
}

// has says whether a key of that hash is in the set.
func (t *keyTable) has(hash uint64, key []byte) bool {
	if t.n == 0 {
		return false
	}
	m := mask(hash)
	return t.filter[hash>>32&uint64(len(t.filter)-1)]&m == m && t.slots[t.find(hash, key)] != 0
}

// find is the slot of a key, or the free one where it belongs.
func (t *keyTable) find(hash uint64, key []byte) uint64 {
	last := uint64(len(t.slots) - 1)
	for i := hash >> 24 & last; ; i = (i + 1) & last {
		slot := t.slots[i]
		if slot == 0 || slot>>slotTag == hash>>slotTag && string(t.at(slot)) == string(key) {
			return i
		}
	}
}

// at is the key of a slot.
func (t *keyTable) at(slot uint64) []byte {
	b := t.arena[slot&(1<<slotTag-1)>>arenaBits-1][slot&(arenaBlock-1):]
	n, size := binary.Uvarint(b)
	return b[size:][:n]
}

// add adds a key.
func (t *keyTable) add(key []byte) {
	if 2*(t.n+1) > len(t.slots) {
		t.grow()
	}
	hash := t.hash(key)
	i := t.find(hash, key)
	if t.slots[i] != 0 {
		return
	}
	t.slots[i] = hash>>slotTag<<slotTag | t.keep(key)
	t.filter[hash>>32&uint64(len(t.filter)-1)] |= mask(hash)
	t.n++
}

// keep puts a key into the arena and says where it is.
func (t *keyTable) keep(key []byte) uint64 {
	size := binary.MaxVarintLen64 + len(key)
	n := len(t.arena)
	if n == 0 || len(t.arena[n-1])+size > arenaBlock {
		t.arena = append(t.arena, nil)
		n++
	}
	block := t.arena[n-1]
	at := len(block)
	t.held -= int64(cap(block))
	block = append(binary.AppendUvarint(block, uint64(len(key))), key...)
	t.held += int64(cap(block))
	t.arena[n-1] = block
	return uint64(n)<<arenaBits | uint64(at)
}

// grow makes room for twice as many keys.
func (t *keyTable) grow() {
	old := t.slots
	t.slots = make([]uint64, max(leastSlot, 2*len(old)))
	t.filter = make([]uint64, len(t.slots)/leastSlot)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		key := t.at(slot)
		hash := t.hash(key)
		t.slots[t.find(hash, key)] = slot
		t.filter[hash>>32&uint64(len(t.filter)-1)] |= mask(hash)
	}
}

// bytes is how much memory the set takes. While it grows it takes the half of
// its slots more.
func (t *keyTable) bytes() int64 {
	return t.held + 8*int64(len(t.slots)+len(t.slots)/2+len(t.filter)) + 24*int64(cap(t.arena))
}
