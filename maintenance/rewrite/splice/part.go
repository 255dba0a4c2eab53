package splice

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// Part is a row group of a source with the lineage of its rows.
type Part struct {
	Source   *Source
	RowGroup int
	// FirstRowID is the row id of the row group's first row; Sequence the sequence
	// number of the rows' last update. They stand where the source has none; nil
	// leaves them null.
	FirstRowID, Sequence *int64
	// Gone are the rows that are left out, by their place in the row group,
	// ascending. If there are some, the row group must be cuttable.
	Gone []uint32
}

// Rows is how many rows the part has, without those that are gone.
func (p *Part) Rows() int64 { return p.allRows() - int64(len(p.Gone)) }

func (p *Part) allRows() int64 { return p.Source.footer.RowGroups[p.RowGroup].NumRows }

// Bytes is about how large the part's chunks are, compressed; exactly, if no row
// is gone.
func (p *Part) Bytes() int64 {
	n := p.allBytes()
	if len(p.Gone) > 0 {
		n = int64(float64(n) * float64(p.Rows()) / float64(p.allRows()))
	}
	return n
}

func (p *Part) allBytes() int64 {
	var n int64
	for i := range p.Source.footer.RowGroups[p.RowGroup].Columns {
		n += p.Source.footer.RowGroups[p.RowGroup].Columns[i].Meta.Compressed
	}
	return n
}

// Large says whether the part is a row group of its own: it is large, or was so
// before rows went and has Bloom filters that the target must have.
func (p *Part) Large() bool {
	t := p.Source.target
	return p.Bytes() >= t.CopyBytes || len(t.Bloom) > 0 && p.allBytes() >= t.CopyBytes
}

// Bounded says whether the footer has bounds of the column of a field id.
func (p *Part) Bounded(fieldID int) bool {
	for _, c := range p.Source.target.columns {
		if c.fieldID == fieldID {
			chunk := p.chunk(c)
			return chunk != nil && c.statistics(&chunk.Meta).known()
		}
	}
	return false
}

// HasValues says whether the column of a field id has values in the part that
// are not null.
func (p *Part) HasValues(fieldID int) bool {
	for _, c := range p.Source.target.columns {
		if c.fieldID != fieldID {
			continue
		}
		chunk := p.chunk(c)
		if chunk == nil {
			return false
		}
		nulls, _ := p.Source.leaves[c.index].nulls(&chunk.Meta)
		return nulls < chunk.Meta.NumValues
	}
	return false
}

// end is where the last of its chunks ends.
func (p *Part) end() int64 {
	var end int64
	columns := p.Source.footer.RowGroups[p.RowGroup].Columns
	for i := range columns {
		end = max(end, columns[i].Meta.Start()+columns[i].Meta.Compressed)
	}
	return min(end, p.Source.end)
}

// chunk is the part's chunk of a column, nil if its values are made: they are
// absent, or null where they stand for lineage.
func (p *Part) chunk(c *column) *format.ColumnChunk {
	leaf := p.Source.leaves[c.index].index
	if leaf < 0 {
		return nil
	}
	chunk := &p.Source.footer.RowGroups[p.RowGroup].Columns[leaf]
	if nulls, _ := p.Source.leaves[c.index].nulls(&chunk.Meta); c.lineage != 0 && nulls == chunk.Meta.NumValues {
		return nil
	}
	return chunk
}

func (p *Part) wrap(c *column, err error) error {
	return fmt.Errorf("%q: row group %d: column %q: %w", p.Source.name, p.RowGroup, c.name(), err)
}

// infos reads what the page index says about a chunk's data pages, in their
// order, into dst; nil if there is none.
func (p *Part) infos(ctx context.Context, c *column, chunk *format.ColumnChunk, dst []pageInfo) ([]pageInfo, error) {
	s := p.Source
	if chunk.OffsetIndexLength <= 0 || chunk.OffsetIndexOffset <= 0 {
		return nil, nil
	}
	b, err := s.in.indexBytes(ctx, chunk.OffsetIndexOffset, chunk.OffsetIndexLength)
	if err != nil {
		return nil, err
	}
	offsets, err := format.ReadOffsetIndex(b)
	if err != nil {
		return nil, fmt.Errorf("%w: offset index: %w", ErrUnfit, err)
	}
	out := slices.Grow(dst[:0], len(offsets.Pages))
	for i, at := range offsets.Pages {
		next := p.allRows()
		if i+1 < len(offsets.Pages) {
			next = offsets.Pages[i+1].FirstRow
		}
		if i == 0 && at.FirstRow != 0 || next < at.FirstRow || i > 0 && at.Offset <= out[i-1].Offset {
			return nil, fmt.Errorf("%w: the pages of the offset index are out of order", ErrUnfit)
		}
		x := info{rows: format.Some(next - at.FirstRow)}
		if len(offsets.Unencoded) == len(offsets.Pages) {
			x.unencoded = format.Some(offsets.Unencoded[i])
		}
		out = append(out, pageInfo{at, x})
	}
	return out, p.addBounds(ctx, c, chunk, out)
}

// addBounds adds what the column index says.
func (p *Part) addBounds(ctx context.Context, c *column, chunk *format.ColumnChunk, pages []pageInfo) error {
	s := p.Source
	if chunk.ColumnIndexLength <= 0 || chunk.ColumnIndexOffset <= 0 {
		return nil
	}
	b, err := s.in.indexBytes(ctx, chunk.ColumnIndexOffset, chunk.ColumnIndexLength)
	if err != nil {
		return err
	}
	x, err := format.ReadColumnIndex(b)
	if err != nil {
		return fmt.Errorf("%w: column index: %w", ErrUnfit, err)
	}
	n := len(pages)
	if len(x.NullPages) != n || len(x.Min) != n || len(x.Max) != n {
		return fmt.Errorf("%w: the column index has another number of pages than the offset index", ErrUnfit)
	}
	for i := range pages {
		to := &pages[i].info
		to.allNull = x.NullPages[i]
		if !to.allNull {
			to.bounds = c.bounds(x.Min[i], x.Max[i])
		}
		if len(x.Nulls) == n {
			to.nulls = format.Some(x.Nulls[i])
		}
		to.rep = levelsOf(x.Repetition, i, n, int(c.maxRep)+1)
		if s.leaves[c.index].raised == nil {
			to.def = levelsOf(x.Definition, i, n, int(c.maxDef)+1)
		}
	}
	return nil
}

// levelsOf is the histogram of page i of n, nil if there is none.
func levelsOf(all []int64, i, n, levels int) []int64 {
	if len(all) != n*levels {
		return nil
	}
	return all[i*levels:][:levels:levels]
}

// describe is what is known about a data page, by the index or its header. Rows
// of nested pages of version 1 are not, unless the index has them.
func (c *column) describe(l leaf, p *page, index []pageInfo) (info, error) {
	x := info{}
	if index != nil {
		i, ok := slices.BinarySearchFunc(index, p.at, func(at pageInfo, offset int64) int { return cmp.Compare(at.Offset, offset) })
		if !ok {
			return x, fmt.Errorf("%w: the page at %d is not in the offset index", ErrUnfit, p.at)
		}
		x = index[i].info
	}
	rows := format.Opt[int64]{V: int64(p.Values), Set: c.maxRep == 0}
	if p.Type == format.DataPageV2 {
		rows = format.Some(int64(p.Rows))
		nulls := format.Some(int64(p.Nulls))
		if x.nulls.Set && x.nulls != nulls {
			return x, fmt.Errorf("%w: the page at %d has other nulls than in the column index", ErrUnfit, p.at)
		}
		x.nulls = nulls
	}
	if rows.Set && x.rows.Set && rows != x.rows {
		return x, fmt.Errorf("%w: the page at %d has other rows than in the offset index", ErrUnfit, p.at)
	}
	if rows.Set {
		x.rows = rows
	}
	if l.maxDef == 0 {
		x.nulls = format.Some(int64(0))
	}
	if !x.nulls.Set {
		x.nulls = p.Statistics.NullCount
	}
	// Inside lists, some writers do not count absent lists as nulls.
	if x.nulls.Set && (x.nulls.V < 0 || x.nulls.V > int64(p.Values)) || c.maxRep == 0 && x.allNull && x.nulls.Set && x.nulls.V != int64(p.Values) {
		return x, fmt.Errorf("%w: the page at %d cannot have %d nulls", ErrUnfit, p.at, x.nulls.V)
	}
	x.allNull = x.allNull || x.nulls.Set && x.nulls.V == int64(p.Values)
	if !x.bounds.known() && !x.allNull {
		x.bounds = c.bounds(p.Statistics.Min, p.Statistics.Max)
	}
	return x, nil
}
