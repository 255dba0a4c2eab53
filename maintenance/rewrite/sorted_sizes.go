package rewrite

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/datafile"
)

// columnBytes is about how large the values of a column of all rows are in
// memory.
func (s *sorting) columnBytes(f iceberg.NestedField) int64 {
	return s.bytesOf([]iceberg.NestedField{f})
}

// bytesOf is about how large the values of some columns of all rows are in memory
// together.
func (s *sorting) bytesOf(fields []iceberg.NestedField) int64 {
	var n int64
	rows := s.g.Rows
	for _, f := range fields {
		typ, err := table.TypeToArrowType(f.Type, false, false)
		if fixed, ok := typ.(arrow.FixedWidthDataType); err == nil && ok {
			n += rows*int64(fixed.BitWidth())/8 + rows/8
			continue
		}
		// Values that are encoded by a dictionary are larger than they seem.
		n += max(s.footers.ColumnBytes(f.ID)+s.sampled[f.ID], variableBytes*rows) + 4*rows
	}
	return n
}

// stored are the columns that files store.
func (s *sorting) stored() []iceberg.NestedField {
	fields := make([]iceberg.NestedField, len(s.r.out.columns))
	for i, at := range s.r.out.columns {
		fields[i] = s.r.out.rows.Fields()[at]
	}
	return fields
}

// variableBytes is how long a value of varying length is at least taken to be.
const variableBytes = 16

// valueBytes is about how large the values of the largest column are in memory.
func (s *sorting) valueBytes() int64 {
	var bytes int64
	for _, f := range s.stored() {
		bytes = max(bytes, s.columnBytes(f))
	}
	return bytes / max(1, s.g.Rows)
}

// scarce says whether the largest of some columns, so many of them at once, may
// take more scratch space than the group was taken to need (scratchGrows), less
// that of its new pages.
func (s *sorting) scarce(fields []iceberg.NestedField, atOnce int) bool {
	var sizes []int64
	for _, f := range fields {
		sizes = append(sizes, s.columnBytes(f))
	}
	slices.Sort(sizes)
	var sum int64
	for _, n := range sizes[max(0, len(sizes)-atOnce):] {
		sum += n
	}
	return sum > (scratchGrows-1)*s.g.Bytes
}

// bytesAtOnce is how many bytes of rows are put in order at once if files store
// rows. Arrays of more than 2 GiB of texts cannot be put together.
func (s *sorting) bytesAtOnce() int64 { return min(s.share(columnsShare), 1<<29) }

// rowBytes is about how large a row is in new files.
func (s *sorting) rowBytes() float64 { return max(s.g.rowBytes(), leastRowBytes) }

// leastRowBytes is how large a row is at least taken to be.
const leastRowBytes = 1.0 / 1024

// options are how columns are read.
func (s *sorting) options(fields []iceberg.NestedField) datafile.Options {
	o := datafile.Options{
		BatchRows: int(pieceRows(s.bytesOf(fields) / max(1, s.g.Rows))), FilesAtOnce: readAtOnce, BufferBytes: s.share(1.0 / 64),
		Footers: s.footers, Uncommitted: s.g.fresh,
	}
	if s.held == nil {
		// There is nothing to be gained by reading much at once.
		o.BufferBytes = localBuffer
	}
	return o
}

// localBuffer is how many bytes of a file on this machine are read at once.
const localBuffer = 128 << 10

// pieceBytes is about how many bytes of values are read or put in order at once.
const pieceBytes = 4 << 20

// pieceRows is how many rows that are.
func pieceRows(rowBytes int64) int64 {
	return min(max(pieceBytes/max(1, rowBytes), leastRows), 1<<16)
}
