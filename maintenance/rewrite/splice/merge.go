package splice

import (
	"context"

	"github.com/firndb/firn/maintenance/internal/pagezstd"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// column writes the chunk of a column: its dictionary, then the parts' pages.
func (g *group) column(ctx context.Context, c *column) (*chunk, error) {
	maps, common, err := g.mergeDictionaries(ctx, c)
	if err != nil {
		return nil, err
	}
	k := g.w.newChunk(c)
	b := &g.w.builder
	b.reset(k, 0)
	if common != nil && common.n > 0 {
		b.width = common.width()
		b.crc = g.checksums(ctx, c)
		if err := b.writeDictionary(common); err != nil {
			return nil, err
		}
	}
	if common == nil {
		if err := g.moveDictionary(ctx, k, maps); err != nil {
			return nil, err
		}
	}
	for i, part := range g.parts {
		if err := g.addPart(ctx, k, part, maps[i]); err != nil {
			return nil, part.wrap(c, err)
		}
	}
	if err := b.flush(); err != nil {
		return nil, err
	}
	if len(k.pages) > 0 {
		return k, nil
	}
	// A chunk has a page even without rows.
	k.data = format.Some(g.w.at)
	return k, nil
}

// moveDictionary moves the only dictionary there is, before all data pages.
func (g *group) moveDictionary(ctx context.Context, k *chunk, maps []mapping) error {
	for i, part := range g.parts {
		if !maps[i].has {
			continue
		}
		p, _, err := part.Source.dictionaryPage(ctx, k.col, part.chunk(k.col))
		if err != nil {
			return part.wrap(k.col, err)
		}
		if err := k.put(&p.PageHeader, p.head, nil, p.body); err != nil {
			return err
		}
		// Pages that are made anew have indices into it.
		g.w.builder.width = indexWidth(uint32(p.Values))
	}
	return nil
}

// checksums says whether a part's first page has a checksum.
func (g *group) checksums(ctx context.Context, c *column) bool {
	for _, part := range g.parts {
		if chunk := part.chunk(c); chunk != nil && chunk.Meta.Compressed > 0 {
			p, err := part.Source.pages(c, chunk).header(ctx)
			return err == nil && p.CRC.Set
		}
	}
	return false
}

// writeDictionary writes the common dictionary.
func (b *builder) writeDictionary(m *merged) error {
	w := b.k.w
	body, err := w.open.compress(w.target.codec(), w.target.Level, m.data, new(pagezstd.Choice))
	if err != nil {
		return err
	}
	return b.put(format.PageHeader{
		Type: format.DictionaryPage, Uncompressed: int32(len(m.data)), Values: int32(m.n), Encoding: format.Plain,
	}, body)
}

// addPart adds a part's values to a chunk.
func (g *group) addPart(ctx context.Context, k *chunk, part *Part, m mapping) error {
	src := part.chunk(k.col)
	if src == nil {
		return g.make(k, part)
	}
	l := part.Source.leaves[k.col.index]
	index, err := part.infos(ctx, k.col, src, g.w.index)
	if err != nil {
		return err
	}
	if index != nil {
		g.w.index = index
	}
	f := &feed{g: g, k: k, origin: origin{codec: src.Meta.Codec, leaf: l, mapping: m}}
	if len(part.Gone) > 0 {
		f.cut = newCut(k.col, l, part, &src.Meta)
	} else {
		k.addStatistics(l, &src.Meta)
	}
	r := part.Source.pages(k.col, src)
	if g.copied {
		r.ahead = part.end()
	}
	for {
		p, ok, err := r.next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		g.w.builder.crc = g.w.builder.crc || p.CRC.Set
		if !p.data() {
			if err := f.dictionaryPage(&p); err != nil {
				return err
			}
			continue
		}
		x, err := k.col.describe(l, &p, index)
		if err != nil {
			return err
		}
		if f.cut != nil {
			err = f.addCut(&p, x)
		} else {
			err = f.add(&p, x)
		}
		if err != nil {
			return err
		}
	}
	if f.cut != nil {
		return f.endCut(ctx, part, src)
	}
	return nil
}

// make adds values that the part has none of: row ids, sequence numbers, nulls.
func (g *group) make(k *chunk, part *Part) error {
	rows := part.Rows()
	if rows == 0 {
		return nil
	}
	b := &g.w.builder
	if b.held != nil {
		if err := b.flush(); err != nil {
			return err
		}
	}
	switch {
	case k.col.lineage == rowIDField && part.FirstRowID != nil:
		next := staying(part.Gone)
		return b.addNumbers(rows, func() int64 { return *part.FirstRowID + next() })
	case k.col.lineage == sequenceField && part.Sequence != nil:
		return b.addNumbers(rows, func() int64 { return *part.Sequence })
	}
	k.addMade(rows, bounds{})
	return b.addNulls(rows)
}
