package splice

import "github.com/firndb/firn/maintenance/internal/parquet/format"

// feed takes the pages of one part's chunk into the chunk being written, each in
// the cheapest way that is right.
type feed struct {
	g *group
	k *chunk
	origin
	// dict is the part's own dictionary, if indices must become plain values or
	// rows are gone.
	dict *dictionary
	// cut is what there is to know if rows are gone.
	cut *cut
}

// dictionaryPage keeps the part's dictionary if its values are needed.
func (f *feed) dictionaryPage(p *page) error {
	if f.cut == nil && (f.mapping.same || f.mapping.remap != nil) {
		return nil
	}
	d, err := f.g.w.open.readDictionary(f.k.col, f.codec, p)
	if err != nil {
		return err
	}
	// The buffer is used again for the next page.
	d.data = append([]byte(nil), d.data...)
	f.dict = &d
	return nil
}

// add takes a data page.
func (f *feed) add(p *page, x info) error {
	b := &f.g.w.builder
	indexed := p.Encoding.Dictionary()
	sameCodec := f.codec == f.g.target().codec()
	movable := sameCodec && f.leaf.raised == nil && (!indexed || f.mapping.same)
	// Indices into a dictionary that was moved as it is cannot be joined: how
	// wide they are may differ from page to page.
	joinable := p.Encoding == format.Plain || indexed && !(f.mapping.same && f.mapping.remap == nil)
	small := joinable && !f.g.copied && int(p.Uncompressed) <= joinBytes
	if !small || movable && b.held == nil && b.entries == 0 {
		switch {
		case movable && small:
			b.hold(p, f.origin, x)
			return nil
		case movable:
			if err := b.flush(); err != nil {
				return err
			}
			return f.k.put(&p.PageHeader, p.head, &x, p.body)
		case sameCodec && (!indexed || f.mapping.same) && f.leaf.maxDef == 0 && f.k.col.maxRep == 0:
			if done, err := f.addLevels(p, x); done || err != nil {
				return err
			}
		}
		if !joinable {
			return f.encode(p, x)
		}
	}
	if err := f.decodeHeld(); err != nil {
		return err
	}
	return f.decode(p, f.origin, x)
}

// decodeHeld opens the page that is held, as another joins it.
func (f *feed) decodeHeld() error {
	h := f.g.w.builder.held
	if h == nil {
		return nil
	}
	f.g.w.builder.held = nil
	return f.decode(&h.page, h.from, h.info)
}

// decode opens a page and appends its values to the page being made.
func (f *feed) decode(p *page, from origin, x info) error {
	w, c, m := f.g.w, f.k.col, from.mapping
	b := &w.builder
	body, err := w.open.open(c, from, p)
	if err != nil {
		return err
	}
	if !p.Encoding.Dictionary() {
		return f.appendPlain(p, body, x)
	}
	size := len(m.remap)
	if m.remap == nil && f.dict != nil {
		size = f.dict.n
	}
	indices, err := w.open.openIndices(body, size)
	if err != nil {
		return err
	}
	if m.remap == nil {
		return f.appendValues(body, int(p.Values), indices, x)
	}
	if err := b.begin(true, int(p.Values), int64(len(indices)*b.width/8)); err != nil {
		return err
	}
	for _, i := range indices {
		b.indices = append(b.indices, m.remap[i])
	}
	f.took(p, body, x)
	return nil
}

func (f *feed) took(p *page, body body, x info) {
	b := &f.g.w.builder
	b.rep, b.def = append(b.rep, body.rep...), append(b.def, body.def...)
	b.took(int(p.Values), x)
}

// appendPlain appends plain values.
func (f *feed) appendPlain(p *page, body body, x info) error {
	b, c := &f.g.w.builder, f.k.col
	values, offsets, err := c.plainValues(body.values, body.notNull, f.g.w.offsets)
	if err != nil {
		return err
	}
	f.g.w.offsets = offsets
	if err := b.begin(false, int(p.Values), int64(len(values))); err != nil {
		return err
	}
	if c.typ == format.Boolean {
		b.plain = appendBits(b.plain, values, body.notNull)
	} else {
		b.plain = append(b.plain, values...)
	}
	f.took(p, body, x)
	return nil
}

// appendValues appends n entries, with the values that indices stand for, in as
// many pages as they need.
func (f *feed) appendValues(body body, n int, indices []uint32, x info) error {
	b, c, t := &f.g.w.builder, f.k.col, f.g.target()
	for from := 0; from < n; {
		to, notNull, bytes := from, 0, int64(0)
		for to < n {
			if to > from && bytes >= t.PageBytes && (c.maxRep == 0 || body.rep[to] == 0) {
				break
			}
			if c.maxDef == 0 || body.def[to] == c.maxDef {
				bytes += int64(len(f.dict.value(indices[notNull])))
				notNull++
			}
			to++
		}
		if err := b.begin(false, to-from, bytes); err != nil {
			return err
		}
		for _, i := range indices[:notNull] {
			b.plain = append(b.plain, f.dict.value(i)...)
		}
		indices = indices[notNull:]
		f.tookPart(body, from, to, notNull, x, to-from == n)
		from = to
	}
	return nil
}

// tookPart notes values from a part of a page.
func (f *feed) tookPart(body body, from, to, notNull int, x info, whole bool) {
	b, c := &f.g.w.builder, f.k.col
	rows := int64(to - from)
	if c.maxDef > 0 {
		b.def = append(b.def, body.def[from:to]...)
	}
	if c.maxRep > 0 {
		b.rep = append(b.rep, body.rep[from:to]...)
		rows = int64(count(body.rep[from:to], 0))
	}
	if !whole {
		x = info{
			rows:    format.Opt[int64]{V: rows, Set: x.rows.Set},
			nulls:   format.Some(int64(to - from - notNull)),
			allNull: notNull == 0, bounds: x.bounds,
		}
	}
	b.took(to-from, x)
}

// encode moves values as they are encoded, with levels or a codec that differ
// from the page's.
func (f *feed) encode(p *page, x info) error {
	w, c := f.g.w, f.k.col
	b := &w.builder
	if err := b.flush(); err != nil {
		return err
	}
	body, err := w.open.open(c, f.origin, p)
	if err != nil {
		return err
	}
	b.rep, b.def, b.raw, b.encoding = append(b.rep, body.rep...), append(b.def, body.def...), body.values, p.Encoding
	b.took(int(p.Values), x)
	return b.flush()
}
