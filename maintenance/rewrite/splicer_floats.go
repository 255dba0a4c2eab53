package rewrite

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"

	"github.com/firndb/firn/maintenance/rewrite/splice"
)

// floatFacts is what footers do not tell about floating-point columns: how many
// NaNs there are, and the bounds of the other values, which writers leave out of
// the footer where there are NaNs.
type floatFacts struct {
	columns []int
	nans    []int64
	ranges  []floatRange
}

// floatRange is encoded bounds; unknown if some part has values of unknown
// bounds, loose if they hold but need not be values that there are.
type floatRange struct {
	low, high []byte
	unknown   bool
	loose     bool
}

func (r *floatRange) known() bool { return !r.unknown && r.low != nil }
func (r *floatRange) exact() bool { return r.known() && !r.loose }

func newFloatFacts(columns []int) floatFacts {
	return floatFacts{columns: columns, nans: make([]int64, len(columns)), ranges: make([]floatRange, len(columns))}
}

// add takes in a part: by its file's description in the manifest, or where that
// lacks counts by reading the column.
func (f *floatFacts) add(ctx context.Context, in input) error {
	for i, c := range f.columns {
		if !in.part.HasValues(c) {
			continue
		}
		n, known := in.file.NaNValueCounts()[c]
		if len(in.part.Gone) > 0 {
			if err := f.addRest(ctx, in, i, known && n == 0); err != nil {
				return err
			}
			continue
		}
		if !known || n > 0 && !in.whole {
			found, err := readFloats(ctx, in, c)
			if err != nil {
				return err
			}
			n = found.nans
		}
		f.nans[i] += n
		low, high := in.file.LowerBoundValues()[c], in.file.UpperBoundValues()[c]
		allNaN := in.whole && n > 0 && in.file.ValueCounts()[c] == n+in.file.NullValueCounts()[c]
		if !allNaN {
			f.ranges[i].add(low, high)
		}
	}
	return nil
}

// addRest takes in a part of which rows are gone, column i of which has no NaNs
// if that is known. Bounds of the file need not be those of the rows that stay.
func (f *floatFacts) addRest(ctx context.Context, in input, i int, noNaN bool) error {
	id := f.columns[i]
	if noNaN && in.part.Bounded(id) {
		// The footer will have bounds, or if another part has none there are none.
		f.ranges[i].add(in.file.LowerBoundValues()[id], in.file.UpperBoundValues()[id])
		f.ranges[i].loose = true
		return nil
	}
	found, err := readFloats(ctx, in, id)
	if err != nil {
		return err
	}
	f.nans[i] += found.nans
	if found.low != nil {
		f.ranges[i].add(found.low, found.high)
	}
	return nil
}

// addEncoded takes in what encoded chunks tell.
func (f *floatFacts) addEncoded(chunks []splice.Floats) {
	for _, told := range chunks {
		for i, c := range f.columns {
			if c != told.FieldID {
				continue
			}
			f.nans[i] += told.NaNs
			if told.Low != nil {
				f.ranges[i].add(told.Low, told.High)
			}
		}
	}
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
		if r := f.ranges[i]; unbounded[c] && r.exact() {
			out[c] = &[2][]byte{r.low, r.high}
		}
	}
	return out
}

// exact are the bounds of all floating-point columns, which those of the footer
// need not be, and none of the other columns for which the footer's do not hold.
func (f *floatFacts) exact(unbounded map[int]bool) map[int]*[2][]byte {
	out := f.bounds(unbounded)
	for i, c := range f.columns {
		if r := f.ranges[i]; r.exact() {
			out[c] = &[2][]byte{r.low, r.high}
		}
	}
	return out
}

// signs are bounds that hold for floating-point columns. Where they are zero as the
// footer's are, their signs are those of values; in footers a least zero is
// always negative and a greatest one positive.
func (f *floatFacts) signs() map[int]*[2][]byte {
	out := map[int]*[2][]byte{}
	for i, c := range f.columns {
		if r := f.ranges[i]; r.known() {
			out[c] = &[2][]byte{r.low, r.high}
		}
	}
	return out
}

// signZero replaces a zero by one of the sign that is known.
func signZero(bounds map[int][]byte, id int, known []byte) {
	old, ok := floatOf(bounds[id])
	zero, ok2 := floatOf(known)
	if ok && ok2 && len(bounds[id]) == len(known) && old == 0 && zero == 0 {
		bounds[id] = known
	}
}
