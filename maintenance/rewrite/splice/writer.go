package splice

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// Writer writes a file. It is for use by one goroutine; after an error it can
// only be dropped.
type Writer struct {
	// Helpers is how many chunks of a row group may be made beside the one that is
	// written, where sources are in memory.
	Helpers int

	target    *Target
	out       io.Writer
	at        int64
	groups    []format.RowGroup
	rows      int64
	unbounded map[int]bool
	// The page index, by chunk, until it is written before the footer.
	offsetIndex, columnIndex [][]byte

	open    opener
	builder builder
	// Buffers of a page being made or opened.
	raw, head, bools []byte
	offsets          []uint32
	spans            [4][]span
	index            []pageInfo
	// helpers make chunks beside others, which are in blocks until their turn
	// comes; they have buffers only.
	helpers []*Writer
	blocks  blockPool
}

// NewWriter begins a file. Nothing is read back and out is not closed.
func (t *Target) NewWriter(out io.Writer) (*Writer, error) {
	w := &Writer{target: t, out: out, unbounded: map[int]bool{}, Helpers: runtime.GOMAXPROCS(0) - 1}
	return w, w.write([]byte(magic))
}

func (t *Target) codec() format.Codec { return format.Codec(t.Codec) }

// Size is how much is written.
func (w *Writer) Size() int64 { return w.at }

// Rows is how many rows are written.
func (w *Writer) Rows() int64 { return w.rows }

// Unbounded are the field ids of columns of which some row group has values but
// no bounds: those of others do not hold for the file.
func (w *Writer) Unbounded() map[int]bool { return w.unbounded }

func (w *Writer) write(parts ...[]byte) error {
	for _, b := range parts {
		n, err := w.out.Write(b)
		w.at += int64(n)
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}

// group is a row group being written.
type group struct {
	w     *Writer
	parts []*Part
	// copied says that pages are not joined.
	copied bool
}

func (g *group) target() *Target { return g.w.target }

// WriteRowGroup makes one row group of parts, in their order. The error wraps
// ErrUnfit if it turns out that a part must be decoded.
func (w *Writer) WriteRowGroup(ctx context.Context, parts []*Part) error {
	g := &group{w: w, parts: parts, copied: len(parts) == 1 && parts[0].Large()}
	out := format.RowGroup{FileOffset: w.at}
	for _, p := range parts {
		out.NumRows += p.Rows()
	}
	add := func(c *column, k *chunk) error { return w.addChunk(&out, c, k) }
	columns := g.columns
	if g.besides() {
		columns = g.columnsAside
	}
	if err := columns(ctx, add); err != nil {
		return err
	}
	if g.copied {
		if err := g.moveFilters(ctx, &out); err != nil {
			return err
		}
	}
	w.groups = append(w.groups, out)
	w.rows += out.NumRows
	return nil
}

// columns makes the chunks of all columns, one after another.
func (g *group) columns(ctx context.Context, add func(*column, *chunk) error) error {
	for _, c := range g.target().columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		k, err := g.column(ctx, c)
		if err != nil {
			return err
		}
		if err := add(c, k); err != nil {
			return err
		}
	}
	return nil
}

// addChunk takes a chunk that is written into a row group.
func (w *Writer) addChunk(out *format.RowGroup, c *column, k *chunk) error {
	if c.maxRep == 0 && k.values != out.NumRows {
		return fmt.Errorf("%w: column %q has %d values for %d rows", ErrUnfit, c.name(), k.values, out.NumRows)
	}
	meta := k.finish()
	if !k.empty && !k.bounds.known() {
		w.unbounded[c.fieldID] = true
	}
	out.TotalByteSize += meta.Meta.Uncompressed
	out.TotalCompressed += meta.Meta.Compressed
	out.Columns = append(out.Columns, meta)
	offsets, bounds := k.index(out.NumRows)
	w.offsetIndex, w.columnIndex = append(w.offsetIndex, offsets), append(w.columnIndex, bounds)
	return nil
}

// Close writes the page index and the footer, and returns the footer.
func (w *Writer) Close() ([]byte, error) {
	i := 0
	for g := range w.groups {
		for c := range w.groups[g].Columns {
			k := &w.groups[g].Columns[c]
			k.ColumnIndexOffset, k.ColumnIndexLength = w.at, int64(len(w.columnIndex[i]))
			if err := w.write(w.columnIndex[i]); err != nil {
				return nil, err
			}
			i++
		}
	}
	i = 0
	for g := range w.groups {
		for c := range w.groups[g].Columns {
			k := &w.groups[g].Columns[c]
			k.OffsetIndexOffset, k.OffsetIndexLength = w.at, int64(len(w.offsetIndex[i]))
			if err := w.write(w.offsetIndex[i]); err != nil {
				return nil, err
			}
			i++
		}
	}
	footer, err := w.target.footer.Append(nil, w.rows, w.groups)
	if err != nil {
		return nil, err
	}
	if err := w.write(footer, binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), []byte(magic)); err != nil {
		return nil, err
	}
	return footer, nil
}
