package splice_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// checked counts what checkIndexes compared, so that a test can see that it was
// not nothing.
type checked struct{ statistics, pages, bounds int }

// checkIndexes compares statistics and page indexes of a file's flat columns
// with its rows.
func checkIndexes(t *testing.T, b []byte, rows arrow.RecordBatch, n *checked) {
	t.Helper()
	footer := footerOf(t, b)
	var first int64
	for g := range footer.RowGroups {
		group := &footer.RowGroups[g]
		if at := group.Columns[0].Meta.Start(); at != group.FileOffset {
			t.Errorf("row group %d begins at %d, its first chunk at %d", g, group.FileOffset, at)
		}
		for c := range group.Columns {
			chunk := &group.Columns[c]
			checkEncodings(t, b, chunk)
			column := flatColumn(rows, chunk.Meta.Path)
			if column == nil {
				continue
			}
			s := chunk.Meta.Statistics
			checkRange(t, column, first, group.NumRows, s.NullCount, s.Min, s.Max, &n.statistics)
			checkPages(t, b, chunk, column, first, group.NumRows, n)
		}
		first += group.NumRows
	}
}

// checkEncodings looks for pages of indices behind pages of plain values, in which
// Spark's vectorized reader takes the values for indices. Pages without values may
// be anywhere.
func checkEncodings(t *testing.T, b []byte, chunk *format.ColumnChunk) {
	t.Helper()
	var nulls []bool
	if chunk.ColumnIndexLength > 0 {
		x, err := format.ReadColumnIndex(b[chunk.ColumnIndexOffset:][:chunk.ColumnIndexLength])
		if err != nil {
			t.Fatal(err)
		}
		nulls = x.NullPages
	}
	at, end := chunk.Meta.Start(), chunk.Meta.Start()+chunk.Meta.Compressed
	for page, plain := 0, false; at < end; {
		h, n, err := format.ReadPageHeader(b[at:end])
		if err != nil {
			t.Fatal(err)
		}
		at += int64(n) + int64(h.Compressed)
		if h.Type == format.DictionaryPage {
			continue
		}
		if plain && h.Encoding.Dictionary() {
			t.Errorf("column %v: page %d has indices, one before plain values", chunk.Meta.Path, page)
		}
		plain = plain || !h.Encoding.Dictionary() && page < len(nulls) && !nulls[page]
		page++
	}
}

func footerOf(t *testing.T, b []byte) *format.Footer {
	t.Helper()
	n := int(binary.LittleEndian.Uint32(b[len(b)-8:]))
	footer, err := format.ReadFooter(b[len(b)-8-n : len(b)-8])
	if err != nil {
		t.Fatal(err)
	}
	return footer
}

func flatColumn(rows arrow.RecordBatch, path []string) arrow.Array {
	if len(path) != 1 {
		return nil
	}
	return rows.Column(rows.Schema().FieldIndices(path[0])[0])
}

// checkPages compares the page index of a chunk.
func checkPages(t *testing.T, b []byte, chunk *format.ColumnChunk, column arrow.Array, first, rows int64, n *checked) {
	t.Helper()
	if chunk.OffsetIndexLength == 0 {
		t.Logf("column %v has no offset index", chunk.Meta.Path)
		return
	}
	offsets, err := format.ReadOffsetIndex(b[chunk.OffsetIndexOffset:][:chunk.OffsetIndexLength])
	if err != nil {
		t.Fatal(err)
	}
	var bounds format.ColumnIndex
	if chunk.ColumnIndexLength > 0 {
		if bounds, err = format.ReadColumnIndex(b[chunk.ColumnIndexOffset:][:chunk.ColumnIndexLength]); err != nil {
			t.Fatal(err)
		}
		checkOrder(t, chunk, bounds)
	}
	at := chunk.Meta.DataPageOffset
	for i, p := range offsets.Pages {
		h, size, err := format.ReadPageHeader(b[p.Offset:])
		if err != nil || p.Offset != at || int64(p.Size) != int64(size)+int64(h.Compressed) {
			t.Fatalf("page %d at %d, not %d, of %d bytes: %v", i, p.Offset, at, p.Size, err)
		}
		at += int64(p.Size)
		count := rows - p.FirstRow
		if i+1 < len(offsets.Pages) {
			count = offsets.Pages[i+1].FirstRow - p.FirstRow
		}
		if count != int64(h.Values) {
			t.Errorf("page %d has %d values for %d rows", i, h.Values, count)
		}
		n.pages++
		if bounds.NullPages == nil {
			continue
		}
		var nulls format.Opt[int64]
		if bounds.Nulls != nil {
			nulls = format.Some(bounds.Nulls[i])
		}
		low, high := bounds.Min[i], bounds.Max[i]
		if bounds.NullPages[i] {
			low, high, nulls = nil, nil, format.Some(count)
		}
		checkRange(t, column, first+p.FirstRow, count, nulls, low, high, &n.bounds)
	}
	if end := chunk.Meta.Start() + chunk.Meta.Compressed; at != end {
		t.Errorf("pages of column %v end at %d, the chunk at %d", chunk.Meta.Path, at, end)
	}
}

func checkOrder(t *testing.T, chunk *format.ColumnChunk, x format.ColumnIndex) {
	t.Helper()
	if chunk.Meta.Type != format.Int64 || x.Order == format.Unordered {
		return
	}
	last, seen := int64(0), false
	for i, null := range x.NullPages {
		if null {
			continue
		}
		v := int64(binary.LittleEndian.Uint64(x.Min[i]))
		if seen && (x.Order == format.Ascending && v < last || x.Order == format.Descending && v > last) {
			t.Errorf("bounds of column %v are not in order %d", chunk.Meta.Path, x.Order)
		}
		last, seen = v, true
	}
}

// checkRange compares nulls and bounds of n rows.
func checkRange(t *testing.T, column arrow.Array, first, n int64, nulls format.Opt[int64], low, high []byte, compared *int) {
	t.Helper()
	count := int64(0)
	for i := first; i < first+n; i++ {
		if column.IsNull(int(i)) {
			count++
			continue
		}
		if low != nil && !within(column, int(i), low, high) {
			t.Fatalf("value %s is outside of its bounds %x and %x", column.ValueStr(int(i)), low, high)
		}
		if low != nil {
			*compared++
		}
	}
	if nulls.Set && nulls.V != count {
		t.Errorf("%d nulls, not %d", nulls.V, count)
	}
}

// within says whether a value lies within bounds; NaN lies within any.
func within(column arrow.Array, i int, low, high []byte) bool {
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	switch a := column.(type) {
	case *array.Int64:
		return int64(u64(low)) <= a.Value(i) && a.Value(i) <= int64(u64(high))
	case *array.Int32:
		return int32(u32(low)) <= a.Value(i) && a.Value(i) <= int32(u32(high))
	case *array.Date32:
		return arrow.Date32(u32(low)) <= a.Value(i) && a.Value(i) <= arrow.Date32(u32(high))
	case *array.Timestamp:
		return arrow.Timestamp(u64(low)) <= a.Value(i) && a.Value(i) <= arrow.Timestamp(u64(high))
	case *array.Float32:
		v := float64(a.Value(i))
		l, h := float64(math.Float32frombits(u32(low))), float64(math.Float32frombits(u32(high)))
		return withinFloats(v, l, h)
	case *array.Float64:
		return withinFloats(a.Value(i), math.Float64frombits(u64(low)), math.Float64frombits(u64(high)))
	case *array.String:
		return string(low) <= a.Value(i) && a.Value(i) <= string(high)
	case *array.Binary:
		return string(low) <= string(a.Value(i)) && string(a.Value(i)) <= string(high)
	}
	return true
}

func withinFloats(v, low, high float64) bool {
	if v == 0 && (low == 0 && !math.Signbit(low) || high == 0 && math.Signbit(high)) {
		return false
	}
	return math.IsNaN(v) || low <= v && v <= high
}
