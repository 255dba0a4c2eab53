package manifest

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Column holds a leaf of the entries of a block.
type Column interface {
	// Size is the memory that it uses, in bytes.
	Size() int64
}

// Longs are whole numbers, each of which may be missing. They are held as
// what they exceed the least by, in as few bytes as that needs.
type Longs struct {
	n     int
	base  int64
	width int // of a number in data: 0, 1, 2, 4 or 8 bytes
	data  []byte
	// missing has a bit for each number; nil if none is missing.
	missing []uint64
}

// Len is how many numbers there are.
func (l *Longs) Len() int { return l.n }

// At is number i, ok if it is there.
func (l *Longs) At(i int) (v int64, ok bool) {
	if l.missing != nil && l.missing[i/64]>>(i%64)&1 != 0 {
		return 0, false
	}
	return l.at(i), true
}

func (l *Longs) at(i int) int64 {
	switch l.width {
	case 0:
		return l.base
	case 1:
		return l.base + int64(l.data[i])
	case 2:
		return l.base + int64(binary.LittleEndian.Uint16(l.data[2*i:]))
	case 4:
		return l.base + int64(binary.LittleEndian.Uint32(l.data[4*i:]))
	}
	return l.base + int64(binary.LittleEndian.Uint64(l.data[8*i:]))
}

// Complete says whether no number is missing.
func (l *Longs) Complete() bool { return l.missing == nil }

// Constant is the number that all are, ok if there is one.
func (l *Longs) Constant() (v int64, ok bool) { return l.base, l.width == 0 && l.missing == nil }

// Size implements Column.
func (l *Longs) Size() int64 {
	return int64(unsafe.Sizeof(*l)) + int64(cap(l.data)) + 8*int64(cap(l.missing))
}

// longsBuilder collects numbers.
type longsBuilder struct {
	values  []int64
	missing []uint64
}

func (b *longsBuilder) add(v int64) { b.values = append(b.values, v) }

func (b *longsBuilder) addMissing() {
	i := len(b.values)
	b.values = append(b.values, 0)
	for len(b.missing) <= i/64 {
		b.missing = append(b.missing, 0)
	}
	b.missing[i/64] |= 1 << (i % 64)
}

// build takes what was collected and begins anew.
func (b *longsBuilder) build() *Longs {
	l := &Longs{n: len(b.values)}
	if len(b.missing) > 0 {
		l.missing = make([]uint64, (l.n+63)/64)
		copy(l.missing, b.missing)
	}
	least, most, seen := int64(0), int64(0), false
	for i, v := range b.values {
		if l.missing != nil && l.missing[i/64]>>(i%64)&1 != 0 {
			continue
		}
		if !seen {
			least, most, seen = v, v, true
		}
		least, most = min(least, v), max(most, v)
	}
	l.base, l.width = least, widthOf(uint64(most)-uint64(least))
	l.data = make([]byte, l.n*l.width)
	for i, v := range b.values {
		d := uint64(v) - uint64(least)
		switch l.width {
		case 1:
			l.data[i] = byte(d)
		case 2:
			binary.LittleEndian.PutUint16(l.data[2*i:], uint16(d))
		case 4:
			binary.LittleEndian.PutUint32(l.data[4*i:], uint32(d))
		case 8:
			binary.LittleEndian.PutUint64(l.data[8*i:], d)
		}
	}
	b.values, b.missing = b.values[:0], b.missing[:0]
	return l
}

func widthOf(most uint64) int {
	switch n := bits.Len64(most); {
	case n == 0:
		return 0
	case n <= 8:
		return 1
	case n <= 16:
		return 2
	case n <= 32:
		return 4
	}
	return 8
}

// NewLongs holds n numbers.
func NewLongs(n int, get func(i int) (v int64, ok bool)) *Longs {
	var b longsBuilder
	for i := range n {
		if v, ok := get(i); ok {
			b.add(v)
		} else {
			b.addMissing()
		}
	}
	return b.build()
}
