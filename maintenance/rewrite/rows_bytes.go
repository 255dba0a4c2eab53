package rewrite

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// rowsBytes is how many bytes the values of some rows of a batch take in memory.
func rowsBytes(batch arrow.RecordBatch, from, to int) int64 {
	var n int64
	for _, c := range batch.Columns() {
		n += valuesBytes(c, from, to)
	}
	return n
}

// valuesBytes is how many bytes some values of an array take, of which there is
// one at least.
func valuesBytes(values arrow.Array, from, to int) int64 {
	switch a := values.(type) {
	case array.BinaryLike:
		return a.ValueOffset64(to-1) + int64(a.ValueLen(to-1)) - a.ValueOffset64(from)
	case array.ListLike:
		first, _ := a.ValueOffsets(from)
		_, end := a.ValueOffsets(to - 1)
		if end <= first {
			return 0
		}
		return valuesBytes(a.ListValues(), int(first), int(end))
	case *array.Struct:
		var n int64
		for i := range a.NumField() {
			n += valuesBytes(a.Field(i), from, to)
		}
		return n
	case array.ExtensionArray:
		return valuesBytes(a.Storage(), from, to)
	}
	if t, ok := values.DataType().(arrow.FixedWidthDataType); ok {
		return int64(to-from) * int64(t.BitWidth()) / 8
	}
	return 0
}
