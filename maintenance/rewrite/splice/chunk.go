package splice

import (
	"fmt"
	"slices"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// chunk is a column chunk being written.
type chunk struct {
	w     *Writer
	col   *column
	start int64
	dict  format.Opt[int64]
	data  format.Opt[int64]

	uncompressed, values int64
	encodings            []format.EncodingStat
	pages                []pageInfo
	// plain says that values have been written that are in no dictionary.
	plain bool

	// bounds, none while empty holds.
	bounds           bounds
	empty            bool
	nulls, unencoded tally
	rep, def         histogram
	sizes            bool
}

// pageInfo is a data page that is written.
type pageInfo struct {
	format.PageLocation
	info
}

func (w *Writer) newChunk(c *column) *chunk {
	return &chunk{w: w, col: c, start: w.at, empty: true, sizes: true}
}

// put writes a page.
func (k *chunk) put(h *format.PageHeader, head []byte, x *info, body ...[]byte) error {
	at := k.w.at
	size := int64(len(head))
	for _, b := range body {
		size += int64(len(b))
	}
	if size > 1<<31-1 {
		return fmt.Errorf("%w: a page of %d bytes", ErrUnfit, size)
	}
	if h.Type == format.DictionaryPage {
		k.dict = format.Some(at)
	} else {
		if !k.data.Set {
			k.data = format.Some(at)
		}
		if h.Encoding.Dictionary() && k.plain {
			return fmt.Errorf("%w: indices follow plain values, which not all readers understand", ErrUnfit)
		}
		k.plain = k.plain || !h.Encoding.Dictionary() && !x.allNull
		k.values += int64(h.Values)
		k.pages = append(k.pages, pageInfo{format.PageLocation{Offset: at, Size: int32(size)}, *x})
	}
	k.uncompressed += int64(len(head)) + int64(h.Uncompressed)
	k.count(h.Type, h.Encoding)
	return k.w.write(append([][]byte{head}, body...)...)
}

// count counts a page's encoding.
func (k *chunk) count(t format.PageType, e format.Encoding) {
	for i := range k.encodings {
		if s := &k.encodings[i]; s.Page == t && s.Encoding == e {
			s.Count++
			return
		}
	}
	k.encodings = append(k.encodings, format.EncodingStat{Page: t, Encoding: e, Count: 1})
}

// addStatistics takes in those of a part's chunk.
func (k *chunk) addStatistics(l leaf, m *format.ColumnMeta) {
	nulls, _ := l.nulls(m)
	k.nulls.add(format.Some(nulls))
	if nulls < m.NumValues {
		k.widen(k.col.statistics(m))
	}
	if !m.Size.Set {
		k.sizes = false
		return
	}
	k.unencoded.add(m.Size.V.Unencoded)
	k.rep.add(m.Size.V.Repetition, int(k.col.maxRep)+1)
	if l.raised != nil {
		k.def.unknown = true
		return
	}
	k.def.add(m.Size.V.Definition, int(k.col.maxDef)+1)
}

// addMade takes in values that are made: all null, or within bounds.
func (k *chunk) addMade(rows int64, b bounds) {
	k.sizes = false
	if !b.known() {
		k.nulls.add(format.Some(rows))
		return
	}
	k.nulls.add(format.Some(int64(0)))
	k.widen(b)
}

func (k *chunk) widen(b bounds) {
	if k.empty {
		k.bounds, k.empty = b, false
		return
	}
	k.bounds = k.col.join(k.bounds, b)
}

// finish is the chunk's metadata.
func (k *chunk) finish() format.ColumnChunk {
	if k.col.unbounded {
		k.bounds = bounds{}
	}
	m := format.ColumnMeta{
		Type: k.col.typ, Path: k.col.path, Codec: k.w.target.codec(), NumValues: k.values,
		Uncompressed: k.uncompressed, Compressed: k.w.at - k.start,
		DataPageOffset: k.data.V, DictionaryPageOffset: k.dict,
		EncodingStats: k.encodings,
		Statistics: format.Statistics{
			NullCount: k.nulls.opt(), Min: k.bounds.min, Max: k.bounds.max,
			MinExact: k.bounds.minExact, MaxExact: k.bounds.maxExact,
		},
	}
	if k.col.maxDef > 0 || k.col.maxRep > 0 {
		m.Encodings = append(m.Encodings, format.RLE)
	}
	for _, s := range k.encodings {
		if !slices.Contains(m.Encodings, s.Encoding) {
			m.Encodings = append(m.Encodings, s.Encoding)
		}
	}
	size := format.SizeStatistics{Unencoded: k.unencoded.opt(), Repetition: k.rep.counts(), Definition: k.def.counts()}
	if k.col.typ != format.ByteArray {
		size.Unencoded = format.Opt[int64]{}
	}
	if k.sizes && (size.Unencoded.Set || size.Repetition != nil || size.Definition != nil) {
		m.Size = format.Some(size)
	}
	return format.ColumnChunk{Meta: m}
}

// index encodes the chunk's part of the page index: an offset index if the rows
// of all pages are known, and a column index if moreover their bounds are.
func (k *chunk) index(rows int64) (offsets, bounds []byte) {
	var x format.OffsetIndex
	var at int64
	unencoded := k.col.typ == format.ByteArray
	for _, p := range k.pages {
		if !p.rows.Set {
			return nil, nil
		}
		p.FirstRow = at
		at += p.rows.V
		x.Pages = append(x.Pages, p.PageLocation)
		unencoded = unencoded && p.unencoded.Set
	}
	if at != rows || len(k.pages) == 0 {
		return nil, nil
	}
	if unencoded {
		for _, p := range k.pages {
			x.Unencoded = append(x.Unencoded, p.unencoded.V)
		}
	}
	return x.Append(nil), k.columnIndex()
}

func (k *chunk) columnIndex() []byte {
	if k.col.unbounded {
		return nil
	}
	x := format.ColumnIndex{Nulls: []int64{}, Repetition: []int64{}, Definition: []int64{}}
	for _, p := range k.pages {
		if !p.allNull && !p.bounds.known() {
			return nil
		}
		min, max := p.bounds.min, p.bounds.max
		if p.allNull {
			min, max = nil, nil
		}
		x.NullPages = append(x.NullPages, p.allNull)
		x.Min, x.Max = append(x.Min, min), append(x.Max, max)
		x.Nulls = appendKnown(x.Nulls, p.nulls.Set, p.nulls.V)
		x.Repetition = appendKnown(x.Repetition, len(p.rep) == int(k.col.maxRep)+1, p.rep...)
		x.Definition = appendKnown(x.Definition, len(p.def) == int(k.col.maxDef)+1, p.def...)
	}
	x.Order = k.boundaryOrder()
	return x.Append(nil)
}

// appendKnown appends values, or forgets all if they or earlier ones are not
// known.
func appendKnown(dst []int64, known bool, values ...int64) []int64 {
	if dst == nil || !known {
		return nil
	}
	return append(dst, values...)
}

// boundaryOrder is how the bounds of the pages that have some follow each other.
func (k *chunk) boundaryOrder() format.BoundaryOrder {
	up, down := true, true
	var last *bounds
	for i := range k.pages {
		if k.pages[i].allNull {
			continue
		}
		b := &k.pages[i].bounds
		if last != nil {
			low, high := k.col.order(last.min, b.min), k.col.order(last.max, b.max)
			up = up && low <= 0 && high <= 0
			down = down && low >= 0 && high >= 0
		}
		last = b
	}
	switch {
	case up:
		return format.Ascending
	case down:
		return format.Descending
	}
	return format.Unordered
}
