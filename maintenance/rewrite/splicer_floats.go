package rewrite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/parquet/file"
)

// floatFacts is what footers do not tell about floating-point columns: how many
// NaNs there are, and the bounds of the other values, which writers leave out of
// the footer where there are NaNs.
type floatFacts struct {
	columns []nanColumn
	nans    []int64
	ranges  []floatRange
}

// floatRange is encoded bounds; unknown if some part has values of unknown
// bounds.
type floatRange struct {
	low, high []byte
	unknown   bool
}

func newFloatFacts(columns []nanColumn) floatFacts {
	return floatFacts{columns: columns, nans: make([]int64, len(columns)), ranges: make([]floatRange, len(columns))}
}

// add takes in a part: by its file's description in the manifest, or where that
// lacks counts by reading the column.
func (f *floatFacts) add(ctx context.Context, in input) error {
	for i, c := range f.columns {
		if !in.part.HasValues(c.id) {
			continue
		}
		n, known := in.file.NaNValueCounts()[c.id]
		if !known || n > 0 && !in.whole {
			var err error
			if n, err = readNaNs(ctx, in, c.id); err != nil {
				return err
			}
		}
		f.nans[i] += n
		low, high := in.file.LowerBoundValues()[c.id], in.file.UpperBoundValues()[c.id]
		allNaN := in.whole && n > 0 && in.file.ValueCounts()[c.id] == n+in.file.NullValueCounts()[c.id]
		if !allNaN {
			f.ranges[i].add(low, high)
		}
	}
	return nil
}

func (r *floatRange) add(low, high []byte) {
	l, ok := floatOf(low)
	h, ok2 := floatOf(high)
	switch {
	case !ok || !ok2 || math.IsNaN(l) || math.IsNaN(h) || r.low != nil && len(low) != len(r.low):
		r.unknown = true
		return
	case r.low == nil:
		r.low, r.high = bytes.Clone(low), bytes.Clone(high)
		return
	}
	if have, _ := floatOf(r.low); l < have || l == have && math.Signbit(l) {
		r.low = bytes.Clone(low)
	}
	if have, _ := floatOf(r.high); h > have || h == have && !math.Signbit(h) {
		r.high = bytes.Clone(high)
	}
}

// floatOf decodes a bound of a float or double.
func floatOf(b []byte) (float64, bool) {
	switch len(b) {
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	case 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
	}
	return 0, false
}

// bounds are those of columns for which the footer's do not hold for all rows;
// nil of those that have none.
func (f *floatFacts) bounds(unbounded map[int]bool) map[int]*[2][]byte {
	out := map[int]*[2][]byte{}
	for id := range unbounded {
		out[id] = nil
	}
	for i, c := range f.columns {
		if r := f.ranges[i]; unbounded[c.id] && !r.unknown && r.low != nil {
			out[c.id] = &[2][]byte{r.low, r.high}
		}
	}
	return out
}

// readNaNs counts the NaNs of a part's column.
func readNaNs(ctx context.Context, in input, fieldID int) (int64, error) {
	r, err := file.NewParquetReader(io.NewSectionReader(in.r, 0, in.size))
	if err != nil {
		return 0, fmt.Errorf("read %q: %w", in.file.FilePath(), err)
	}
	for i := range r.MetaData().Schema.NumColumns() {
		if int(r.MetaData().Schema.Column(i).SchemaNode().FieldID()) != fieldID {
			continue
		}
		column, err := r.RowGroup(in.part.RowGroup).Column(i)
		if err != nil {
			return 0, fmt.Errorf("read %q: %w", in.file.FilePath(), err)
		}
		n, err := countColumn(ctx, column)
		if err != nil {
			err = fmt.Errorf("read %q: %w", in.file.FilePath(), err)
		}
		return n, err
	}
	return 0, nil
}

// countColumn counts the NaNs of a chunk.
func countColumn(ctx context.Context, column file.ColumnChunkReader) (int64, error) {
	const batch = 8192
	levels := make([]int16, batch)
	switch r := column.(type) {
	case *file.Float32ColumnChunkReader:
		values := make([]float32, batch)
		return countValues(ctx, func() (int, bool, error) {
			rows, n, err := r.ReadBatch(batch, values, levels, nil)
			count := 0
			for _, v := range values[:n] {
				if v != v {
					count++
				}
			}
			return count, rows > 0, err
		})
	case *file.Float64ColumnChunkReader:
		values := make([]float64, batch)
		return countValues(ctx, func() (int, bool, error) {
			rows, n, err := r.ReadBatch(batch, values, levels, nil)
			count := 0
			for _, v := range values[:n] {
				if v != v {
					count++
				}
			}
			return count, rows > 0, err
		})
	}
	return 0, nil
}

func countValues(ctx context.Context, next func() (count int, more bool, err error)) (int64, error) {
	var total int64
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, more, err := next()
		total += int64(n)
		if err != nil || !more {
			return total, err
		}
	}
}
