package splice

import (
	"math/bits"
	"slices"

	"github.com/firndb/firn/maintenance/internal/pagezstd"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/internal/parquet/hybrid"
)

// leafEncoder encodes the values of a leaf into pages of a chunk.
type leafEncoder struct {
	col *column
	w   *Writer
	b   builder
	k   *chunk

	// distinct is the dictionary, nil once values are written plain.
	distinct *distinct
	spare    *distinct
	// used is how much of it the pages written refer to.
	used entries
	// lastIndex is the index stored last.
	lastIndex uint32
	// doubted says that it was looked at whether the dictionary pays.
	doubted bool

	// keep is for the values of a block.
	keep []byte
	// rows and raw are those of the open page; raw is the length of its values
	// plain.
	rows, raw int64
	// written is how long the written pages are. Those of plain values are
	// plainWritten long, their values plainRaw.
	written, plainWritten, plainRaw int64
	// sample is how small plain values became before, or those of the open page
	// when it had so many bytes of them.
	sample  float64
	sampled int
	// small and smallIndices are the same of the dictionary and of indices.
	small, smallIndices float64
	sampledIndices      int
	page, all           extent
	filter              *filter
}

// blockEntries is how many entries are looked at together.
const blockEntries = 1024

func newLeafEncoder(w *Writer, c *column) *leafEncoder {
	l := &leafEncoder{col: c, w: w, sample: 1}
	if c.width() >= 0 && !slices.Contains(w.target.NoDictionary, c.name()) {
		l.spare = newDistinct(c)
	}
	l.begin()
	return l
}

// begin begins a chunk.
func (l *leafEncoder) begin() {
	l.rows, l.raw = 0, 0
	l.page.reset()
	l.k = l.w.newChunk(l.col)
	l.b.reset(l.k, 0)
	l.distinct, l.used, l.doubted = l.spare, entries{}, false
	if l.distinct != nil {
		l.distinct.reset()
	}
	if l.plainRaw > 0 {
		l.sample = l.ratio()
	}
	l.sampled, l.sampledIndices, l.small, l.smallIndices = leastSample/4, leastSample/16, 1, 1
	l.written, l.plainWritten, l.plainRaw = 0, 0, 0
	l.all.reset()
	l.filter = l.w.target.newFilter(l.col)
}

// append appends the entries of some rows, in as many pages as they need. A page
// begins with a row.
func (l *leafEncoder) append(s slots, src source) error {
	t := l.w.target
	for s.n > 0 {
		if l.b.entries > 0 && (l.rows >= t.PageRows || l.raw >= t.PageBytes) {
			if err := l.flush(); err != nil {
				return err
			}
		}
		block := s.cut(l.block(s, src))
		l.take(block, src)
	}
	return nil
}

// block is how many entries fit into the open page and are taken at once.
func (l *leafEncoder) block(s slots, src source) (entries, values int) {
	t, width := l.w.target, max(0, l.col.width())
	n := min(s.n, blockEntries)
	room := t.PageBytes - l.raw
	if s.rep == nil {
		n = int(min(int64(n), t.PageRows-l.rows))
		if width > 0 {
			n = min(n, max(1, int(room)/width))
		}
	}
	if s.rep == nil && (width > 0 || l.col.typ == format.Boolean) {
		return n, s.values(n, l.col.maxDef)
	}
	if s.rep == nil && s.def == nil && s.at == nil && src.texts != nil {
		n = src.texts.fitting(s.from, max(1, n), room)
		return n, n
	}
	return l.walk(s, src, n, room)
}

// walk is block for entries whose length or rows are not known beforehand. The
// entries of a row stay together.
func (l *leafEncoder) walk(s slots, src source, most int, room int64) (entries, values int) {
	t, width := l.w.target, int64(max(0, l.col.width()))
	rows, size := l.rows, int64(0)
	for entries < s.n {
		if starts := s.rep == nil || s.rep[entries] == 0; starts {
			if entries > 0 && (entries >= most || rows >= t.PageRows || size >= room) {
				break
			}
			rows++
		}
		if s.def == nil || s.def[entries] == l.col.maxDef {
			if width > 0 || src.bytes == nil {
				size += width
			} else {
				size += int64(len(src.bytes(s.position(values)))) + 4
			}
			values++
		}
		entries++
	}
	return entries, values
}

// take takes entries into the open page.
func (l *leafEncoder) take(s slots, src source) {
	b := &l.b
	if l.col.maxDef > 0 {
		if s.def == nil {
			b.def = appendRepeat(b.def, l.col.maxDef, s.n)
		} else {
			b.def = append(b.def, s.def...)
		}
	}
	rows := int64(s.n)
	if l.col.maxRep > 0 {
		b.rep = append(b.rep, s.rep...)
		rows = int64(count(s.rep, 0))
	}
	b.entries += s.n
	l.rows += rows
	if s.count > 0 {
		l.raw += l.store(src, s)
		l.doubt()
	}
}

func appendRepeat(dst []uint8, v uint8, n int) []uint8 {
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	for i := range dst[at:] {
		dst[at+i] = v
	}
	return dst
}

// flush writes the open page.
func (l *leafEncoder) flush() error {
	b, c := &l.b, l.col
	if b.entries == 0 {
		return nil
	}
	if l.distinct != nil && len(b.indices) > 0 && len(l.k.pages) == 0 && !l.pays() {
		l.fallBack()
	}
	b.indexed = len(b.indices) > 0
	if l.distinct != nil {
		b.width = l.distinct.indexWidth()
		l.used = l.distinct.entries()
	}
	nulls := b.nulls()
	b.info = info{rows: format.Some(l.rows), nulls: format.Some(nulls), bounds: l.page.truncated(c)}
	if c.typ == format.ByteArray {
		b.info.unencoded = format.Some(l.raw - 4*(int64(b.entries)-nulls))
		l.k.unencoded.add(b.info.unencoded)
	}
	if c.maxRep > 0 {
		b.info.rep = levelCounts(b.rep, c.maxRep)
		l.k.rep.add(b.info.rep, int(c.maxRep)+1)
	}
	if c.maxDef > 0 {
		b.info.def = levelCounts(b.def, c.maxDef)
		l.k.def.add(b.info.def, int(c.maxDef)+1)
	}
	l.k.nulls.add(b.info.nulls)
	l.all.join(&l.page, c)
	l.page.reset()
	plain, raw := !b.indexed, l.raw
	l.rows, l.raw = 0, 0
	if err := b.flush(); err != nil {
		return err
	}
	size := int64(l.k.pages[len(l.k.pages)-1].Size)
	l.written += size
	if plain {
		l.plainWritten += size
		l.plainRaw += raw
	}
	return nil
}

// levelCounts counts how often each level occurs.
func levelCounts(levels []uint8, highest uint8) []int64 {
	out := make([]int64, int(highest)+1)
	for v := range out {
		out[v] = int64(count(levels, uint8(v)))
	}
	return out
}

// The first values tell whether hardly any repeat: then a dictionary is not
// even tried on a whole page.
const (
	doubtValues  = 1024
	doubtRepeats = 16
)

// doubt gives the dictionary up if it is too large, or if after the first values
// it promises nothing.
func (l *leafEncoder) doubt() {
	d := l.distinct
	if d == nil {
		return
	}
	n := len(l.b.indices)
	if !l.doubted && n >= doubtValues {
		l.doubted = true
		if n-int(d.n) <= n*doubtRepeats/doubtValues {
			l.fallBack()
			return
		}
	}
	if int64(len(d.data)) > l.w.target.DictionaryBytes {
		l.fallBack()
	}
}

// pays says whether the first page and the dictionary are together smaller than
// plain values (parquet-java: FallbackValuesWriter).
func (l *leafEncoder) pays() bool {
	d := l.distinct
	return int64(len(d.data)+len(l.b.indices)*d.indexWidth()/8) < l.raw
}

// fallBack writes values plain from the open page on.
func (l *leafEncoder) fallBack() {
	d := l.distinct
	for _, i := range l.b.indices {
		l.b.plain = append(l.b.plain, d.value(i)...)
	}
	l.b.indices = l.b.indices[:0]
	l.distinct = nil
	// What paid for indices need not for values.
	l.b.choice = pagezstd.Choice{}
	if l.filter != nil {
		d.each(l.filter.add)
	}
}

// size is about how large the chunk would be now.
func (l *leafEncoder) size() int64 {
	open := int64(float64(l.raw) * l.ratio())
	dictionary := int64(float64(l.used.bytes) * l.small)
	if l.distinct != nil {
		l.sampleDistinct()
		indices := len(l.b.indices) * l.distinct.indexWidth() / 8
		open = min(open, int64(float64(indices)*l.smallIndices))
		dictionary = int64(float64(len(l.distinct.data)) * l.small)
	}
	if l.b.entries > 0 {
		open += headerBytes + int64(l.b.entries*(l.col.defWidth()+l.col.repWidth())/64)
	}
	return l.written + open + dictionary
}

// sampleDistinct finds out how small the dictionary and indices become.
func (l *leafEncoder) sampleDistinct() {
	n := len(l.b.indices)
	if n < 4*l.sampledIndices {
		return
	}
	l.sampledIndices = n
	l.small = l.compressed(l.distinct.data)
	width := l.distinct.indexWidth()
	packed := hybrid.Append(nil, l.b.indices[:min(n, sampleBytes)], width)
	l.smallIndices = l.compressed(packed) * float64(len(packed)) / float64(max(1, min(n, sampleBytes)*width/8))
}

// compressed is how small a sample of bytes becomes.
func (l *leafEncoder) compressed(b []byte) float64 {
	t := l.w.target
	b = b[:min(len(b), sampleBytes)]
	small, err := l.w.open.compress(t.codec(), t.Level, b, new(pagezstd.Choice))
	if err != nil || len(b) == 0 {
		return 1
	}
	return min(1, float64(len(small))/float64(len(b)))
}

// ratio is how small plain values become: as those of the written pages, or as
// long as there are none a sample of the open page.
func (l *leafEncoder) ratio() float64 {
	switch {
	case l.plainRaw > 0:
		return min(1, float64(l.plainWritten)/float64(l.plainRaw))
	case l.distinct != nil || l.col.typ == format.Boolean:
		return 1
	case len(l.b.plain) >= 4*l.sampled:
		l.sampled, l.sample = len(l.b.plain), l.compressed(l.b.plain)
	}
	return l.sample
}

// A sample is taken of so many bytes at least, and at most.
const (
	leastSample = 1 << 10
	sampleBytes = 64 << 10
)

// headerBytes is about how long a page header is.
const headerBytes = 24

// indexWidth is how many bits an index takes; readers may not expect none.
func (d *distinct) indexWidth() int { return max(1, bits.Len32(max(d.n, 1)-1)) }
