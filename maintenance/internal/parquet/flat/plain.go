package flat

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/internal/parquet/hybrid"
)

// dense is plain values as an array has them, in memory of their own. The copy
// is from memory that has just been decompressed to, and costs no more than
// clearing memory to decompress to would.
func (c *Column) dense(b []byte) []byte {
	switch c.kind {
	case integers:
		return decimalsOf(b, c.stored)
	case digits:
		return decimals(b, c.stored)
	}
	return append([]byte(nil), b...)
}

// decimalsOf makes decimals of integers.
func decimalsOf(b []byte, stored int) []byte {
	to := make([]decimal128.Num, len(b)/stored)
	if stored == 4 {
		for i := range to {
			v := int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
			to[i] = decimal128.New(v>>63, uint64(v))
		}
		return arrow.GetBytes(to)
	}
	for i := range to {
		v := int64(binary.LittleEndian.Uint64(b[8*i:]))
		to[i] = decimal128.New(v>>63, uint64(v))
	}
	return arrow.GetBytes(to)
}

// decimals turns decimals round, which have their highest byte first, and
// lengthens them to 16 bytes.
func decimals(b []byte, stored int) []byte {
	to := make([]decimal128.Num, len(b)/stored)
	if stored > 8 {
		shift := 8 * (16 - stored)
		for i := range to {
			v := b[i*stored:][:stored]
			to[i] = decimal128.New(int64(binary.BigEndian.Uint64(v))>>shift, binary.BigEndian.Uint64(v[stored-8:]))
		}
		return arrow.GetBytes(to)
	}
	shift := 8 * (8 - stored)
	for i := range to {
		var word uint64
		if at := i * stored; at+8 <= len(b) {
			word = binary.BigEndian.Uint64(b[at:])
		} else {
			var last [8]byte
			copy(last[:], b[at:])
			word = binary.BigEndian.Uint64(last[:])
		}
		v := int64(word) >> shift
		to[i] = decimal128.New(v>>63, uint64(v))
	}
	return arrow.GetBytes(to)
}

// spread puts values of width bytes where bits are set, and zeros elsewhere.
func spread(from []byte, width, n int, valid []byte) []byte {
	to := make([]byte, n*width)
	for i := 0; i < n; {
		if valid[i/8] == 0xff && i%8 == 0 && i+8 <= n {
			copy(to[i*width:][:8*width], from)
			from = from[8*width:]
			i += 8
			continue
		}
		if valid[i/8]>>(i%8)&1 == 1 {
			switch width {
			case 4:
				*(*[4]byte)(to[i*4:]) = [4]byte(from)
			case 8:
				*(*[8]byte)(to[i*8:]) = [8]byte(from)
			default:
				copy(to[i*width:], from[:width])
			}
			from = from[width:]
		}
		i++
	}
	return to
}

// plainTexts makes n texts, of which set are not null.
func plainTexts(b []byte, n, set int, valid []byte) (offsets []int32, data []byte, err error) {
	if set > len(b)/4 {
		return nil, nil, fmt.Errorf("%w: %d texts in %d bytes", ErrUnfit, set, len(b))
	}
	offsets = make([]int32, n+1)
	data = make([]byte, len(b)-4*set)
	at, size := 0, 0
	for i := range n {
		if valid == nil || valid[i/8]>>(i%8)&1 == 1 {
			if len(b)-at < 4 {
				return nil, nil, fmt.Errorf("%w: %d texts are not within %d bytes", ErrUnfit, set, len(b))
			}
			length := int(binary.LittleEndian.Uint32(b[at:]))
			at += 4
			if length > len(b)-at || length > len(data)-size {
				return nil, nil, fmt.Errorf("%w: %d texts are not within %d bytes", ErrUnfit, set, len(b))
			}
			move(data, size, b, at, length)
			at += length
			size += length
		}
		offsets[i+1] = int32(size)
	}
	return offsets, data[:size], nil
}

// few is up to how many bytes are moved at once, those behind them too.
const few = 16

// move copies n bytes. What lies behind them in to is not there yet.
func move(to []byte, at int, from []byte, of, n int) {
	if n <= few && at+few <= len(to) && of+few <= len(from) {
		*(*[few]byte)(to[at:]) = [few]byte(from[of:])
		return
	}
	copy(to[at:at+n], from[of:of+n])
}

// plainBits makes n booleans, of which set are not null.
func plainBits(b []byte, e format.Encoding, n, set int, valid []byte) ([]byte, error) {
	var err error
	if e == format.RLE {
		if b, _, err = cut(b); err != nil {
			return nil, err
		}
		if b, _, err = hybrid.Bits(nil, b, set); err != nil {
			return nil, fmt.Errorf("%w: booleans: %w", ErrUnfit, err)
		}
		if b == nil {
			b = make([]byte, (set+7)/8)
			bitutil.SetBitsTo(b, 0, int64(set), true)
		}
	}
	if len(b) < (set+7)/8 {
		return nil, fmt.Errorf("%w: %d booleans in %d bytes", ErrUnfit, set, len(b))
	}
	if valid == nil {
		return append([]byte(nil), b[:(n+7)/8]...), nil
	}
	to := make([]byte, (n+7)/8)
	at := 0
	for i := range n {
		if valid[i/8]>>(i%8)&1 == 1 {
			to[i/8] |= b[at/8] >> (at % 8) & 1 << (i % 8)
			at++
		}
	}
	return to, nil
}
