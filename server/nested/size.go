package nested

import "github.com/shopspring/decimal"

// SizeOfCells is about how many bytes of memory a row or list with these cells
// takes.
func SizeOfCells(cells []any) int64 {
	const header, cell = 24, 16
	size := int64(header + cell*len(cells))
	for _, v := range cells {
		size += SizeOf(v)
	}
	return size
}

// SizeOf is about how many bytes a value takes beside the cell that it is in.
func SizeOf(v any) int64 {
	const word = 8
	switch v := v.(type) {
	case nil, bool, int8, uint8:
		return 0
	case string:
		return int64(2*word + len(v))
	case []byte:
		return int64(3*word + len(v))
	case *Value:
		return 5*word + SizeOfCells(v.Cells)
	case decimal.Decimal:
		return 8 * word
	case int64, int32, float64, uint64:
		return word
	}
	return 4 * word
}
