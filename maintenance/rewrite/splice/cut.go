package splice

import (
	"context"
	"fmt"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// longBound is from how many bytes on bounds are rather kept than made exact: of
// pages, which are read all together, and of chunks.
const (
	longPageBound  = 64
	longChunkBound = 4096
)

// cut is about a part's chunk of which rows are gone.
type cut struct {
	cursor
	// source is the bounds of the chunk as it was; min and max say that a value is
	// gone that they may be taken from. kept is the bounds of the pages.
	source   bounds
	min, max bool
	kept     foldBounds
	// entries and nulls are what stays. Nulls of a nested column are counted, as
	// sources may have counted otherwise.
	entries, nulls int64
	// sizes is what stays of the size statistics, if there are any.
	sizes format.Opt[format.SizeStatistics]
}

func newCut(c *column, l leaf, part *Part, m *format.ColumnMeta) *cut {
	out := &cut{cursor: cursor{gone: part.Gone}, source: c.statistics(m), entries: m.NumValues, sizes: m.Size}
	if c.maxRep == 0 {
		out.nulls, _ = l.nulls(m)
	}
	if len(m.Size.V.Repetition) != int(c.maxRep)+1 {
		out.sizes.V.Repetition = nil
	}
	if len(m.Size.V.Definition) != int(c.maxDef)+1 || l.raised != nil {
		out.sizes.V.Definition = nil
	}
	return out
}

// addCut takes a data page less the rows that are gone.
func (f *feed) addCut(p *page, x info) error {
	w, c, k := f.g.w, f.k.col, f.cut
	if c.maxRep == 0 && k.skip(int64(p.Values)) {
		f.stays(x)
		return f.add(p, x)
	}
	if err := f.decodeHeld(); err != nil {
		return err
	}
	body, err := w.open.open(c, f.origin, p)
	if err != nil {
		return err
	}
	n := int(p.Values)
	if c.maxRep == 0 && x.nulls.Set && x.nulls.V != int64(n-body.notNull) || x.rows.Set && x.rows.V != body.rows {
		return fmt.Errorf("%w: the page at %d has other rows or nulls than its indexes say", ErrUnfit, p.at)
	}
	if c.maxRep == 0 {
		w.spans[0] = k.flat(w.spans[0][:0], n)
	} else {
		w.spans[0] = k.nested(w.spans[0][:0], body.rep)
	}
	keep := w.spans[0]
	if total(keep) == n {
		k.nulls += int64(n - body.notNull)
		f.stays(x)
		return f.add(p, x)
	}
	return f.addKept(p, body, keep, x)
}

// stays notes a page of which all stays.
func (f *feed) stays(x info) {
	c, k := f.k.col, f.cut
	if x.allNull {
		return
	}
	b := x.bounds
	if !c.exactPages() {
		b = bounds{}
	}
	k.kept.add(c, b)
}

// addKept takes the entries of an opened page that stay.
func (f *feed) addKept(p *page, body body, keep []span, x info) error {
	w, c, k := f.g.w, f.k.col, f.cut
	n := int(p.Values)
	v, err := w.readValues(c, p.Encoding, body, f.dict)
	if err != nil {
		return err
	}
	stay := keep
	if c.maxDef > 0 {
		w.spans[1] = valueSpans(w.spans[1][:0], keep, body.def, c.maxDef)
		stay = w.spans[1]
	}
	w.spans[2] = others(w.spans[2][:0], stay, body.notNull)
	gone := w.spans[2]
	w.spans[3] = others(w.spans[3][:0], keep, n)
	f.without(body, w.spans[3], &v, gone)
	entries, notNull := total(keep), total(stay)
	if c.maxRep == 0 {
		k.nulls -= int64(n-body.notNull) - int64(entries-notNull)
	} else {
		k.nulls += int64(entries - notNull)
	}
	k.entries -= int64(n - entries)
	x.rep, x.def = subtractLevels(x.rep, body.rep, w.spans[3]), subtractLevels(x.def, body.def, w.spans[3])
	if x.unencoded.Set && c.typ == format.ByteArray {
		x.unencoded.V -= v.unencoded(gone)
	}
	f.bound(&v, stay, gone, &x)
	if entries == 0 {
		return nil
	}
	body.rep, body.def = compactLevels(body.rep, keep), compactLevels(body.def, keep)
	body.rows = int64(entries)
	if c.maxRep > 0 {
		body.rows = int64(count(body.rep, 0))
	}
	x.rows, x.nulls, x.allNull = format.Opt[int64]{V: body.rows, Set: x.rows.Set}, format.Some(int64(entries-notNull)), notNull == 0
	return f.appendKept(body, entries, &v, stay, x)
}

func compactLevels(levels []uint8, keep []span) []uint8 {
	if len(levels) == 0 {
		return levels
	}
	return compact(levels, keep)
}

// without takes entries and their values out of the size statistics.
func (f *feed) without(body body, entries []span, v *values, gone []span) {
	k := f.cut
	if !k.sizes.Set {
		return
	}
	s := &k.sizes.V
	s.Repetition, s.Definition = subtractLevels(s.Repetition, body.rep, entries), subtractLevels(s.Definition, body.def, entries)
	if s.Unencoded.Set && f.k.col.typ == format.ByteArray {
		s.Unencoded.V -= v.unencoded(gone)
	}
}

// bound makes the bounds of a page exact again if one of its values that may be
// a bound is gone.
func (f *feed) bound(v *values, stay, gone []span, x *info) {
	c, k := f.k.col, f.cut
	near := x.bounds
	if !near.known() {
		near = k.source
	}
	low, high := v.touch(gone, near)
	if !low && !high {
		if len(stay) > 0 {
			f.stays(*x)
		}
		return
	}
	low, high = v.touch(gone, k.source)
	k.min, k.max = k.min || low, k.max || high
	if len(stay) == 0 {
		return
	}
	now := v.bounds(stay)
	k.kept.add(c, now)
	switch {
	case !x.bounds.known():
	case !now.known():
		// Only NaNs are left, of which there is nothing to say.
		x.bounds = bounds{}
	case len(now.min) <= longPageBound && len(now.max) <= longPageBound:
		x.bounds = now
	}
}

// appendKept appends n entries with those of their page's values that stay.
func (f *feed) appendKept(body body, n int, v *values, stay []span, x info) error {
	b, m := &f.g.w.builder, f.mapping
	switch {
	case v.dict == nil:
		size := 0
		for _, s := range stay {
			size += len(v.slice(s))
		}
		if err := b.begin(false, n, int64(size)); err != nil {
			return err
		}
		for _, s := range stay {
			b.plain = append(b.plain, v.slice(s)...)
		}
	case !m.same && m.remap == nil:
		return f.appendValues(body, n, compact(v.indices, stay), x)
	default:
		if err := b.begin(true, n, int64(total(stay)*b.width/8)); err != nil {
			return err
		}
		at := len(b.indices)
		for _, s := range stay {
			b.indices = append(b.indices, v.indices[s.from:s.to]...)
		}
		if !m.same {
			for i, index := range b.indices[at:] {
				b.indices[at+i] = m.remap[index]
			}
		}
	}
	b.rep, b.def = append(b.rep, body.rep...), append(b.def, body.def...)
	b.took(n, x)
	return nil
}

// endCut adds what is known of the part's chunk to that of the chunk.
func (f *feed) endCut(ctx context.Context, part *Part, src *format.ColumnChunk) error {
	k, out := f.cut, f.k
	if err := k.end(part.allRows()); err != nil {
		return err
	}
	if k.nulls < 0 || k.nulls > k.entries {
		return fmt.Errorf("%w: more nulls are gone than there were", ErrUnfit)
	}
	out.nulls.add(format.Some(k.nulls))
	if k.nulls < k.entries {
		b, err := f.rebound(ctx, part, src)
		if err != nil {
			return err
		}
		out.widen(b)
	}
	if !k.sizes.Set {
		out.sizes = false
		return nil
	}
	out.unencoded.add(k.sizes.V.Unencoded)
	out.rep.add(k.sizes.V.Repetition, int(out.col.maxRep)+1)
	out.def.add(k.sizes.V.Definition, int(out.col.maxDef)+1)
	return nil
}

// rebound is the bounds of what stays of the chunk. Where the pages do not tell,
// they are read again.
func (f *feed) rebound(ctx context.Context, part *Part, src *format.ColumnChunk) (bounds, error) {
	c, k := f.k.col, f.cut
	b := k.source
	if !k.min && !k.max {
		return b, nil
	}
	now := k.kept
	if now.unknown || !now.some {
		var err error
		if now, err = f.readBounds(ctx, part, src); err != nil {
			return bounds{}, err
		}
	}
	if !now.some {
		return bounds{}, nil
	}
	if k.min {
		b.min, b.minExact = clip(now.min, b.min)
	}
	if k.max {
		b.max, b.maxExact = clip(now.max, b.max)
	}
	if c.order(b.min, b.max) > 0 {
		return bounds{}, nil
	}
	return b, nil
}

// clip keeps an old bound, which holds but is no value any more, instead of a
// long one.
func clip(now, old []byte) ([]byte, format.Opt[bool]) {
	if len(now) > max(len(old), longChunkBound) {
		return old, format.Some(false)
	}
	return now, format.Some(true)
}

// readBounds reads a part's values to find the bounds of those that stay.
func (f *feed) readBounds(ctx context.Context, part *Part, src *format.ColumnChunk) (foldBounds, error) {
	var out foldBounds
	w, c := f.g.w, f.k.col
	at := cursor{gone: part.Gone}
	r := part.Source.pages(c, src)
	for {
		p, ok, err := r.next(ctx)
		if err != nil || !ok {
			return out, err
		}
		if !p.data() {
			continue
		}
		body, err := w.open.open(c, f.origin, &p)
		if err != nil {
			return out, err
		}
		v, err := w.readValues(c, p.Encoding, body, f.dict)
		if err != nil {
			return out, err
		}
		if c.maxRep == 0 {
			w.spans[0] = at.flat(w.spans[0][:0], int(p.Values))
		} else {
			w.spans[0] = at.nested(w.spans[0][:0], body.rep)
		}
		stay := w.spans[0]
		if c.maxDef > 0 {
			w.spans[1] = valueSpans(w.spans[1][:0], stay, body.def, c.maxDef)
			stay = w.spans[1]
		}
		// Pages of NaNs and nulls have none.
		if b := v.bounds(stay); b.known() {
			out.add(c, b)
		}
	}
}
