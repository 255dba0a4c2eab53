package manifest

import (
	"bytes"
	"slices"
	"unsafe"
)

// Bytes are byte strings, each of which may be missing, one after the other in
// one piece of memory.
type Bytes struct {
	data []byte
	// ends has where each ends.
	ends    []uint32
	missing []uint64
}

// Len is how many there are.
func (b *Bytes) Len() int { return len(b.ends) }

// At is number i, nil if it is missing. It must not be changed.
func (b *Bytes) At(i int) []byte {
	if b.missing != nil && b.missing[i/64]>>(i%64)&1 != 0 {
		return nil
	}
	from := uint32(0)
	if i > 0 {
		from = b.ends[i-1]
	}
	return b.data[from:b.ends[i]:b.ends[i]]
}

// Size implements Column.
func (b *Bytes) Size() int64 {
	return int64(unsafe.Sizeof(*b)) + int64(cap(b.data)) + 4*int64(cap(b.ends)) + 8*int64(cap(b.missing))
}

// bytesBuilder collects byte strings. A block that would hold more than
// maxBytes of them ends early, so that positions fit.
type bytesBuilder struct {
	data    []byte
	ends    []uint32
	missing []uint64
}

func (b *bytesBuilder) add(v []byte) {
	b.data = append(b.data, v...)
	b.ends = append(b.ends, uint32(len(b.data)))
}

func (b *bytesBuilder) addMissing() {
	i := len(b.ends)
	b.ends = append(b.ends, uint32(len(b.data)))
	for len(b.missing) <= i/64 {
		b.missing = append(b.missing, 0)
	}
	b.missing[i/64] |= 1 << (i % 64)
}

func (b *bytesBuilder) build() *Bytes {
	built := &Bytes{data: append([]byte{}, b.data...), ends: slices.Clone(b.ends)}
	if len(b.missing) > 0 {
		built.missing = make([]uint64, (len(b.ends)+63)/64)
		copy(built.missing, b.missing)
	}
	b.data, b.ends, b.missing = b.data[:0], b.ends[:0], b.missing[:0]
	return built
}

// Dict are byte strings of which many are the same.
type Dict struct {
	// Index has for each its place in Values, if it is not missing.
	Index *Longs
	// Values are the different ones.
	Values *Bytes
}

// At is number i, nil if it is missing. It must not be changed.
func (d *Dict) At(i int) []byte {
	at, ok := d.Index.At(i)
	if !ok {
		return nil
	}
	return d.Values.At(int(at))
}

// Size implements Column.
func (d *Dict) Size() int64 { return int64(unsafe.Sizeof(*d)) + d.Index.Size() + d.Values.Size() }

type dictBuilder struct {
	index  longsBuilder
	values bytesBuilder
	places map[string]int64
	// last is the place of the latest value: the next is often the same.
	last     []byte
	lastSeen int64
}

func (b *dictBuilder) add(v []byte) {
	if b.places == nil {
		b.places = map[string]int64{}
	}
	if b.last == nil || !bytes.Equal(b.last, v) {
		place, ok := b.places[string(v)]
		if !ok {
			place = int64(len(b.values.ends))
			b.places[string(v)] = place
			b.values.add(v)
		}
		b.last, b.lastSeen = append(append(b.last[:0], v...), 0)[:len(v)], place
	}
	b.index.add(b.lastSeen)
}

func (b *dictBuilder) addMissing() { b.index.addMissing() }

func (b *dictBuilder) build() *Dict {
	clear(b.places)
	b.last = nil
	return &Dict{b.index.build(), b.values.build()}
}

// Paths are paths of files, of which many lie in the same folder.
type Paths struct {
	folders *Dict
	names   *Bytes
}

// At is the folder, with the slash at its end, and the name of path i, nil if
// it is missing. They must not be changed.
func (p *Paths) At(i int) (folder, name []byte) { return p.folders.At(i), p.names.At(i) }

// Size implements Column.
func (p *Paths) Size() int64 { return int64(unsafe.Sizeof(*p)) + p.folders.Size() + p.names.Size() }

type pathsBuilder struct {
	folders dictBuilder
	names   bytesBuilder
}

func (b *pathsBuilder) add(path []byte) {
	slash := bytes.LastIndexByte(path, '/') + 1
	b.folders.add(path[:slash])
	b.names.add(path[slash:])
}

func (b *pathsBuilder) addMissing() {
	b.folders.addMissing()
	b.names.addMissing()
}

func (b *pathsBuilder) build() *Paths { return &Paths{b.folders.build(), b.names.build()} }
