package splice

import (
	"context"
	"fmt"
	"io"

	"github.com/firndb/firn/maintenance/internal/pagezstd"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// Encoded is the chunks of a top-level column in one row group, made by a
// ColumnEncoder. It is written once.
type Encoded struct {
	// Floats tells of the column's floating-point leaves outside of lists and maps.
	Floats []Floats

	field  int
	rows   int64
	chunks []*encodedChunk
}

// encodedChunk is a chunk with what is not among its pages.
type encodedChunk struct {
	k      *chunk
	dict   []byte // the dictionary page
	filter []byte
	floats *Floats
}

// Rows is how many rows the chunks have.
func (e *Encoded) Rows() int64 { return e.rows }

// Bytes is how large the chunks are.
func (e *Encoded) Bytes() int64 {
	var n int64
	for _, c := range e.chunks {
		n += int64(len(c.dict))
		for i := range c.k.pages {
			n += int64(c.k.pages[i].Size)
		}
	}
	return n
}

// finish ends the chunk and begins the next.
func (l *leafEncoder) finish() (*encodedChunk, error) {
	if err := l.flush(); err != nil {
		return nil, err
	}
	out := &encodedChunk{k: l.k, floats: l.all.facts(l.col)}
	k := l.k
	if l.all.some || l.all.nans > 0 || k.values > k.nulls.sum {
		k.empty, k.bounds = false, l.all.bounds(l.col)
	}
	if l.used.n > 0 {
		var err error
		if out.dict, err = l.dictionaryPage(); err != nil {
			return nil, err
		}
	}
	if l.filter != nil {
		if l.distinct != nil {
			l.distinct.each(l.filter.add)
		}
		var err error
		if out.filter, err = l.filter.encoded(); err != nil {
			return nil, fmt.Errorf("bloom filter: %w", err)
		}
	}
	// What is encoded does not keep its encoder.
	k.w = nil
	l.begin()
	return out, nil
}

// dictionaryPage makes the page of the values that data pages refer to.
func (l *leafEncoder) dictionaryPage() ([]byte, error) {
	t, plain := l.w.target, l.spare.data[:l.used.bytes]
	body, err := l.w.open.compress(t.codec(), t.Level, plain, new(pagezstd.Choice))
	if err != nil {
		return nil, err
	}
	h := format.PageHeader{
		Type: format.DictionaryPage, Uncompressed: int32(len(plain)), Compressed: int32(len(body)),
		Values: int32(l.used.n), Encoding: format.Plain,
	}
	page := h.Append(nil)
	l.k.uncompressed += int64(len(page) + len(plain))
	l.k.count(h.Type, h.Encoding)
	return append(page, body...), nil
}

// Column is an encoded column with its pages: Pages has at 0 what was first
// written to the out of its encoder.
type Column struct {
	*Encoded
	Pages io.ReaderAt
}

// WriteEncoded makes one row group of encoded columns, in the order of the
// target's, by moving their pages.
func (w *Writer) WriteEncoded(ctx context.Context, columns []Column) error {
	if len(columns) != len(w.target.root.children) {
		return fmt.Errorf("row group of %d columns: the schema has %d", len(columns), len(w.target.root.children))
	}
	out := format.RowGroup{FileOffset: w.at, NumRows: columns[0].rows}
	for i, c := range columns {
		if c.field != i || c.rows != out.NumRows {
			return fmt.Errorf("row group of %d rows: column %d has %d rows of column %d", out.NumRows, i, c.rows, c.field)
		}
		for _, chunk := range c.chunks {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := chunk.move(w, c.Pages); err != nil {
				return fmt.Errorf("column %q: %w", chunk.k.col.name(), err)
			}
			if err := w.addChunk(&out, chunk.k.col, chunk.k); err != nil {
				return err
			}
		}
	}
	i := 0
	for _, c := range columns {
		for _, chunk := range c.chunks {
			if err := chunk.addFilter(w, &out.Columns[i]); err != nil {
				return err
			}
			i++
		}
	}
	w.groups = append(w.groups, out)
	w.rows += out.NumRows
	return nil
}

// addFilter writes the chunk's Bloom filter, if it has one.
func (c *encodedChunk) addFilter(w *Writer, out *format.ColumnChunk) error {
	if c.filter == nil {
		return nil
	}
	out.Meta.BloomOffset = format.Some(w.at)
	out.Meta.BloomLength = format.Some(int64(len(c.filter)))
	return w.write(c.filter)
}

// moveAtOnce is how many bytes of pages are moved at once.
const moveAtOnce = 256 << 10

// move writes the chunk to its place.
func (c *encodedChunk) move(w *Writer, pages io.ReaderAt) error {
	k := c.k
	k.w, k.start = w, w.at
	if c.dict != nil {
		k.dict = format.Some(w.at)
		if err := w.write(c.dict); err != nil {
			return err
		}
	}
	k.data = format.Some(w.at)
	for i := 0; i < len(k.pages); {
		from, end := k.pages[i].Offset, k.pages[i].Offset
		for ; i < len(k.pages) && k.pages[i].Offset == end; i++ {
			k.pages[i].Offset = w.at + end - from
			end += int64(k.pages[i].Size)
		}
		if err := w.copyPages(pages, from, end); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) copyPages(pages io.ReaderAt, from, end int64) error {
	if cap(w.raw) < moveAtOnce {
		w.raw = make([]byte, moveAtOnce)
	}
	for from < end {
		b := w.raw[:min(int64(moveAtOnce), end-from)]
		if n, err := pages.ReadAt(b, from); n < len(b) {
			return fmt.Errorf("read encoded pages: %w", err)
		}
		if err := w.write(b); err != nil {
			return err
		}
		from += int64(len(b))
	}
	return nil
}
