package rowkey

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/column"
)

// cells are the values of a column of a batch. Those of a fixed width are written
// by put, the others are what text returns.
type cells struct {
	valid func(row int) bool
	width int
	put   func(dst []byte, row int)
	text  func(row int) string
}

// cells finds the values of a field in a batch.
func (f boundField) cells(batch arrow.RecordBatch) (cells, error) {
	chain, err := column.Chain(batch, f.path)
	if err != nil {
		return cells{}, err
	}
	if len(chain) == 0 {
		return cells{valid: func(int) bool { return false }}, nil
	}
	values, transformed, err := f.transformed(chain)
	if err != nil {
		return cells{}, err
	}
	if transformed {
		chain = []arrow.Array{values}
	}
	c, err := cellsOf(values, f.Exact)
	c.valid = validity(chain)
	return c, err
}

// validity says where none of the arrays is null.
func validity(chain []arrow.Array) func(int) bool {
	var nullable []arrow.Array
	for _, a := range chain {
		if a.NullN() > 0 {
			nullable = append(nullable, a)
		}
	}
	if len(nullable) == 0 {
		return func(int) bool { return true }
	}
	return func(row int) bool {
		for _, a := range nullable {
			if a.IsNull(row) {
				return false
			}
		}
		return true
	}
}

// cellsOf are the values of an array, null or not; exact tells zeros apart.
func cellsOf(a arrow.Array, exact bool) (cells, error) {
	switch a := a.(type) {
	case *array.Boolean:
		return cells{width: 1, put: func(dst []byte, row int) {
			if a.Value(row) {
				dst[0] = 1
			}
		}}, nil
	case *array.Int32:
		return int32s(a.Int32Values()), nil
	case *array.Date32:
		return cells{width: 4, put: func(dst []byte, row int) { putInt32(dst, int32(a.Value(row))) }}, nil
	case *array.Int64:
		return int64s(a.Int64Values()), nil
	case *array.Time64:
		return cells{width: 8, put: func(dst []byte, row int) { putInt64(dst, int64(a.Value(row))) }}, nil
	case *array.Timestamp:
		return cells{width: 8, put: func(dst []byte, row int) { putInt64(dst, int64(a.Value(row))) }}, nil
	case *array.Float32:
		return cells{width: 8, put: func(dst []byte, row int) { putFloat(dst, float64(a.Value(row)), exact) }}, nil
	case *array.Float64:
		return cells{width: 8, put: func(dst []byte, row int) { putFloat(dst, a.Value(row), exact) }}, nil
	case *array.Decimal128:
		return cells{width: 16, put: func(dst []byte, row int) {
			v := a.Value(row)
			putInt64(dst, v.HighBits())
			binary.BigEndian.PutUint64(dst[8:], v.LowBits())
		}}, nil
	case *array.String:
		return cells{text: a.Value}, nil
	case *array.LargeString:
		return cells{text: a.Value}, nil
	case *array.Binary:
		return cells{text: a.ValueString}, nil
	case *array.LargeBinary:
		return cells{text: a.ValueString}, nil
	case *array.FixedSizeBinary:
		return cells{width: a.DataType().(*arrow.FixedSizeBinaryType).ByteWidth, put: func(dst []byte, row int) { copy(dst, a.Value(row)) }}, nil
	case *extensions.UUIDArray:
		return cellsOf(a.Storage(), exact)
	}
	return cells{}, fmt.Errorf("%w: rows cannot be sorted by a column of type %s", maintenance.ErrUnsupported, a.DataType())
}

func int32s(values []int32) cells {
	return cells{width: 4, put: func(dst []byte, row int) { putInt32(dst, values[row]) }}
}

func int64s(values []int64) cells {
	return cells{width: 8, put: func(dst []byte, row int) { putInt64(dst, values[row]) }}
}

func putInt32(dst []byte, v int32) { binary.BigEndian.PutUint32(dst, uint32(v)^1<<31) }

func putInt64(dst []byte, v int64) { binary.BigEndian.PutUint64(dst, uint64(v)^1<<63) }

// putFloat writes a number so that all NaNs are one, above infinity, and the two
// zeros are one unless they are to be told apart.
func putFloat(dst []byte, v float64, exact bool) {
	switch {
	case v != v:
		v = math.NaN()
	case v == 0 && !exact:
		v = 0
	}
	binary.BigEndian.PutUint64(dst, orderedBits(v))
}

// orderedBits maps numbers to integers of the same order.
func orderedBits(v float64) uint64 {
	bits := math.Float64bits(v)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}
