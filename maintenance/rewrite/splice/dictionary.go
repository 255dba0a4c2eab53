package splice

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// dictionary is the values of a dictionary page, plain.
type dictionary struct {
	data    []byte
	offsets []uint32 // if the values' lengths differ
	width   int
	n       int
}

// value is an encoded value, with its length before it if lengths differ.
func (d *dictionary) value(i uint32) []byte {
	if d.width > 0 {
		return d.data[int(i)*d.width:][:d.width]
	}
	return d.data[d.offsets[i]:d.offsets[i+1]]
}

// readDictionary opens a dictionary page. The result is valid until the next
// page is opened.
func (o *opener) readDictionary(c *column, codec format.Codec, p *page) (dictionary, error) {
	if err := p.verify(); err != nil {
		return dictionary{}, err
	}
	if c.width() < 0 {
		return dictionary{}, fmt.Errorf("%w: a dictionary of booleans", ErrUnfit)
	}
	b, err := o.decompress(codec, p.body, int(p.Uncompressed))
	if err != nil {
		return dictionary{}, err
	}
	d := dictionary{width: c.width(), n: int(p.Values)}
	d.data, d.offsets, err = c.plainValues(b, d.n, nil)
	return d, err
}

// merged is the common dictionary of several chunks.
type merged struct {
	limit   int64
	data    []byte
	fixed   map[uint64]uint32
	strings map[string]uint32
	n       uint32
}

func newMerged(limit int64) *merged {
	return &merged{limit: limit, fixed: map[uint64]uint32{}, strings: map[string]uint32{}}
}

// add takes in a dictionary and returns the new index of every entry, or false
// and nothing is taken in if the dictionary would grow beyond its limit.
func (m *merged) add(d *dictionary) ([]uint32, bool) {
	remap := make([]uint32, d.n)
	n, size := m.n, len(m.data)
	for i := range remap {
		v := d.value(uint32(i))
		at, known := m.find(v)
		if !known {
			if int64(len(m.data)+len(v)) > m.limit || m.n == math.MaxUint32 {
				m.drop(d, uint32(i), n, size)
				return nil, false
			}
			at = m.put(v)
		}
		remap[i] = at
	}
	return remap, true
}

func (m *merged) find(v []byte) (uint32, bool) {
	if len(v) == 8 {
		at, ok := m.fixed[le64(v)]
		return at, ok
	}
	at, ok := m.strings[string(v)]
	return at, ok
}

func (m *merged) put(v []byte) uint32 {
	if len(v) == 8 {
		m.fixed[le64(v)] = m.n
	} else {
		m.strings[string(v)] = m.n
	}
	m.data = append(m.data, v...)
	m.n++
	return m.n - 1
}

// drop takes back the entries from n on, which came from the first entries of d.
func (m *merged) drop(d *dictionary, entries, n uint32, size int) {
	for i := range entries {
		v := d.value(i)
		if at, known := m.find(v); known && at >= n {
			if len(v) == 8 {
				delete(m.fixed, le64(v))
			} else {
				delete(m.strings, string(v))
			}
		}
	}
	m.n, m.data = n, m.data[:size]
}

// width is how many bits an index takes; readers may not expect none.
func (m *merged) width() int { return indexWidth(m.n) }

// indexWidth is how many bits an index into n entries takes.
func indexWidth(n uint32) int { return max(1, bits.Len32(max(n, 1)-1)) }

// mapping says what becomes of a part's indices: they stay as they are, are
// mapped, or if neither, their values are written plain.
type mapping struct {
	same  bool
	remap []uint32
	has   bool // there is a dictionary
	n     int  // how many entries it has
}

// origin is what is needed to open a data page.
type origin struct {
	codec   format.Codec
	leaf    leaf
	mapping mapping
}

// mergeDictionaries makes the common dictionary of a column's chunks. If only
// one chunk has a dictionary, that is moved as it is and no common one is made.
//
// After plain values all are plain: no writer begins a chunk with plain pages and
// goes on with indices, and Spark's vectorized reader takes the plain values for
// indices then.
func (g *group) mergeDictionaries(ctx context.Context, c *column) ([]mapping, *merged, error) {
	out := make([]mapping, len(g.parts))
	with, movable, plain := 0, 0, false
	for i, part := range g.parts {
		after := plain
		plain = plain || part.mayBePlain(c)
		chunk := part.chunk(c)
		if after || chunk == nil || !mayHaveDictionary(&chunk.Meta) {
			continue
		}
		p, ok, err := part.Source.dictionaryPage(ctx, c, chunk)
		if err != nil {
			return nil, nil, part.wrap(c, err)
		}
		if ok {
			out[i].has, out[i].n = true, int(p.Values)
			with++
			if chunk.Meta.Codec == g.target().codec() {
				movable++
			}
		}
	}
	if with == 0 || with == 1 && movable == 1 {
		for i := range out {
			out[i].same = out[i].has
		}
		return out, nil, nil
	}
	m := newMerged(g.target().DictionaryBytes)
	for i, part := range g.parts {
		if !out[i].has {
			continue
		}
		if err := g.addDictionary(ctx, c, m, part, &out[i]); err != nil {
			return nil, nil, part.wrap(c, err)
		}
		if out[i].remap == nil && out[i].n > 0 {
			clear(out[i+1:])
			break
		}
	}
	return out, m, nil
}

func (g *group) addDictionary(ctx context.Context, c *column, m *merged, part *Part, out *mapping) error {
	chunk := part.chunk(c)
	p, ok, err := part.Source.dictionaryPage(ctx, c, chunk)
	if err != nil || !ok {
		return err
	}
	d, err := g.w.open.readDictionary(c, chunk.Meta.Codec, &p)
	if err != nil || d.n == 0 {
		return err
	}
	if out.remap, ok = m.add(&d); !ok {
		out.remap = nil
		return nil
	}
	out.same = true
	for i, at := range out.remap {
		out.same = out.same && uint32(i) == at
	}
	return nil
}

// mayBePlain says whether some of the part's values may be in no dictionary.
func (p *Part) mayBePlain(c *column) bool {
	chunk := p.chunk(c)
	if chunk == nil {
		return c.lineage == rowIDField && p.FirstRowID != nil || c.lineage == sequenceField && p.Sequence != nil
	}
	m := &chunk.Meta
	if nulls, _ := p.Source.leaves[c.index].nulls(m); nulls == m.NumValues {
		return false
	}
	for _, s := range m.EncodingStats {
		if s.Page != format.DictionaryPage && !s.Encoding.Dictionary() {
			return true
		}
	}
	if len(m.EncodingStats) > 0 {
		return false
	}
	for _, e := range m.Encodings {
		if !e.Dictionary() && e != format.RLE && e != format.BitPacked {
			return true
		}
	}
	return !mayHaveDictionary(m)
}

// mayHaveDictionary says whether the encodings of a chunk admit one.
func mayHaveDictionary(m *format.ColumnMeta) bool {
	for _, e := range m.Encodings {
		if e.Dictionary() {
			return true
		}
	}
	return m.DictionaryPageOffset.Set
}
