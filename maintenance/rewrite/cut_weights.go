package rewrite

import "sort"

// rowWeights is about how large rows are, by their number among all rows of the
// files of a sort: as the average row of their file.
type rowWeights struct {
	// ends are the numbers after the last rows of the files, bytes how large their
	// rows are.
	ends  []int64
	bytes []float64
	// blocks are in which file every blockRows-th row is.
	blocks []int32
}

// blockRows is how many rows have one entry in blocks.
const blockRows = 1024

// weights finds those of rows that are so many with the deleted ones.
func (s *sorting) weights(rows int64) rowWeights {
	var w rowWeights
	var end int64
	for _, f := range s.g.Files {
		n := f.Task.File.Count()
		end += n
		w.ends = append(w.ends, end)
		w.bytes = append(w.bytes, max(float64(f.Size())/float64(max(1, n)), leastRowBytes))
	}
	if end != rows {
		return rowWeights{ends: []int64{rows}, bytes: []float64{s.rowBytes()}, blocks: make([]int32, rows/blockRows+1)}
	}
	for at := int64(0); at <= rows; at += blockRows {
		w.blocks = append(w.blocks, int32(sort.Search(len(w.ends)-1, func(i int) bool { return w.ends[i] > at })))
	}
	return w
}

// of is about how large a row is.
func (w *rowWeights) of(row uint32) float64 {
	i := w.blocks[row/blockRows]
	for int64(row) >= w.ends[i] {
		i++
	}
	return w.bytes[i]
}
