package splice

import (
	"fmt"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// width is how many bytes a plain value takes, 0 if that differs from value to
// value and -1 for booleans, which take a bit.
func (c *column) width() int {
	switch c.typ {
	case format.Boolean:
		return -1
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.Fixed:
		return c.length
	}
	return 0
}

// plainValues cuts b to n plain values and, if their lengths differ, returns
// where each begins and the last ends.
func (c *column) plainValues(b []byte, n int, offsets []uint32) ([]byte, []uint32, error) {
	offsets = offsets[:0]
	size := 0
	switch w := c.width(); w {
	case -1:
		size = (n + 7) / 8
	case 0:
		for range n {
			offsets = append(offsets, uint32(size))
			if len(b)-size < 4 || uint64(le32(b[size:])) > uint64(len(b)-size-4) {
				return nil, nil, fmt.Errorf("%w: %d values are not within %d bytes", ErrUnfit, n, len(b))
			}
			size += 4 + int(le32(b[size:]))
		}
		offsets = append(offsets, uint32(size))
	default:
		if n > len(b)/w {
			return nil, nil, fmt.Errorf("%w: %d values are not within %d bytes", ErrUnfit, n, len(b))
		}
		size = n * w
	}
	if size > len(b) {
		return nil, nil, fmt.Errorf("%w: %d values are not within %d bytes", ErrUnfit, n, len(b))
	}
	return b[:size], offsets, nil
}

// appendBits appends n booleans, a byte each, from their bits.
func appendBits(dst, bits []byte, n int) []byte {
	for i := range n {
		dst = append(dst, bits[i/8]>>(i%8)&1)
	}
	return dst
}

// packBits is the reverse.
func packBits(dst, values []byte) []byte {
	for i := 0; i < len(values); i += 8 {
		var b byte
		for j, v := range values[i:min(i+8, len(values))] {
			b |= v << j
		}
		dst = append(dst, b)
	}
	return dst
}
