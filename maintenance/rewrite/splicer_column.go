package rewrite

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/parquet/file"
)

// floats is what a part's column has, of the rows that stay: how many NaNs, and
// the encoded bounds of the other values, nil if there are none.
type floats struct {
	nans      int64
	low, high []byte
}

// readFloats reads the column of a field id.
func readFloats(ctx context.Context, in input, fieldID int) (out floats, err error) {
	r, err := file.NewParquetReader(io.NewSectionReader(in.r, 0, in.size))
	if err != nil {
		return out, fmt.Errorf("read %q: %w", in.file.FilePath(), err)
	}
	for i := range r.MetaData().Schema.NumColumns() {
		if int(r.MetaData().Schema.Column(i).SchemaNode().FieldID()) != fieldID {
			continue
		}
		column, err := r.RowGroup(in.part.RowGroup).Column(i)
		if err == nil {
			out, err = floatsOf(ctx, column, in.part.Gone)
		}
		if err != nil {
			err = fmt.Errorf("read %q: %w", in.file.FilePath(), err)
		}
		return out, err
	}
	return out, nil
}

// floatsOf reads a chunk, without the rows that are gone.
func floatsOf(ctx context.Context, column file.ColumnChunkReader, gone []uint32) (floats, error) {
	switch r := column.(type) {
	case *file.Float32ColumnChunkReader:
		return scanFloats(ctx, r, r.Descriptor().MaxDefinitionLevel(), gone, func(v float32) []byte {
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
		})
	case *file.Float64ColumnChunkReader:
		return scanFloats(ctx, r, r.Descriptor().MaxDefinitionLevel(), gone, func(v float64) []byte {
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
		})
	}
	return floats{}, nil
}

// floatReader reads levels and the values of those that have one.
type floatReader[T float32 | float64] interface {
	ReadBatch(batch int64, values []T, def, rep []int16) (levels int64, n int, err error)
}

func scanFloats[T float32 | float64](ctx context.Context, r floatReader[T], highest int16, gone []uint32, encode func(T) []byte) (out floats, err error) {
	const batch = 8192
	levels, values := make([]int16, batch), make([]T, batch)
	var low, high T
	some := false
	for row := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		n, _, err := r.ReadBatch(batch, values, levels, nil)
		if err != nil {
			return out, err
		}
		if n == 0 {
			break
		}
		rest := values
		for _, level := range levels[:n] {
			isGone := len(gone) > 0 && int64(gone[0]) == row
			if isGone {
				gone = gone[1:]
			}
			row++
			if highest > 0 && level < highest {
				continue
			}
			v := rest[0]
			rest = rest[1:]
			switch {
			case isGone:
			case v != v:
				out.nans++
			case !some:
				low, high, some = v, v, true
			default:
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if some {
		out.low, out.high = encode(low), encode(high)
	}
	return out, nil
}
