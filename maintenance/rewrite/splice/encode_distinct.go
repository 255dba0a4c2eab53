package splice

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// distinct is a dictionary that grows: different values in the order in which
// they came, plain.
type distinct struct {
	// width is how long values are, 0 if that differs; words says that they are
	// numbers of four or eight bytes.
	width int
	words bool
	data  []byte
	// offsets are where values begin and the last ends, if their lengths differ.
	offsets []uint32
	n       uint32
	// table has indices, one more than they are, by the hash of their values.
	table []uint32
	seed  maphash.Seed
	// last is the value that came last, which often comes again.
	last uint32
}

// entries is a number of entries and how long they are together.
type entries struct {
	n     uint32
	bytes int
}

const leastTable = 1 << 10

func newDistinct(c *column) *distinct {
	words := c.typ != format.ByteArray && c.typ != format.Fixed
	return &distinct{width: c.width(), words: words, seed: maphash.MakeSeed(), table: make([]uint32, leastTable)}
}

// reset forgets all values.
func (d *distinct) reset() {
	clear(d.table)
	d.data, d.offsets, d.n, d.last = d.data[:0], append(d.offsets[:0], 0), 0, 0
}

func (d *distinct) entries() entries { return entries{d.n, len(d.data)} }

// value is a plain value, with its length before it if lengths differ.
func (d *distinct) value(i uint32) []byte {
	if d.width > 0 {
		return d.data[int(i)*d.width:][:d.width]
	}
	return d.data[d.offsets[i]:d.offsets[i+1]]
}

// bare is a value without its length.
func (d *distinct) bare(i uint32) []byte {
	if d.width > 0 {
		return d.data[int(i)*d.width:][:d.width]
	}
	return d.data[d.offsets[i]+4 : d.offsets[i+1]]
}

// each calls f with every value.
func (d *distinct) each(f func([]byte)) {
	for i := range d.n {
		f(d.bare(i))
	}
}

func mix(v uint64) uint64 {
	v *= 0x9e3779b97f4a7c15
	return v ^ v>>32
}

func (d *distinct) word(i uint32) uint64 {
	if d.width == 4 {
		return uint64(le32(d.data[int(i)*4:]))
	}
	return le64(d.data[int(i)*8:])
}

// addWord is the index of a value of four or eight bytes.
func (d *distinct) addWord(v uint64) uint32 {
	mask := uint64(len(d.table) - 1)
	for at := mix(v) & mask; ; at = (at + 1) & mask {
		i := d.table[at]
		if i == 0 {
			if d.width == 4 {
				d.data = binary.LittleEndian.AppendUint32(d.data, uint32(v))
			} else {
				d.data = binary.LittleEndian.AppendUint64(d.data, v)
			}
			return d.put(at)
		}
		if d.word(i-1) == v {
			return i - 1
		}
	}
}

// addBytes is the index of any other value.
func (d *distinct) addBytes(v []byte) uint32 {
	if d.n > 0 && bytes.Equal(d.bare(d.last), v) {
		return d.last
	}
	mask := uint64(len(d.table) - 1)
	for at := maphash.Bytes(d.seed, v) & mask; ; at = (at + 1) & mask {
		i := d.table[at]
		if i == 0 {
			if d.width == 0 {
				d.data = binary.LittleEndian.AppendUint32(d.data, uint32(len(v)))
			}
			d.data = append(d.data, v...)
			if d.width == 0 {
				d.offsets = append(d.offsets, uint32(len(d.data)))
			}
			d.last = d.put(at)
			return d.last
		}
		if bytes.Equal(d.bare(i-1), v) {
			d.last = i - 1
			return d.last
		}
	}
}

// put notes the entry that was added.
func (d *distinct) put(at uint64) uint32 {
	d.n++
	d.table[at] = d.n
	if int(d.n) > len(d.table)/2 {
		d.grow()
	}
	return d.n - 1
}

func (d *distinct) grow() {
	d.table = make([]uint32, 4*len(d.table))
	mask := uint64(len(d.table) - 1)
	for i := range d.n {
		var at uint64
		if d.words {
			at = mix(d.word(i))
		} else {
			at = maphash.Bytes(d.seed, d.bare(i))
		}
		for at &= mask; d.table[at] != 0; at = (at + 1) & mask {
		}
		d.table[at] = i + 1
	}
}
