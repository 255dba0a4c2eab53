package hybrid

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// Bits decodes n numbers of one bit and says how many are set. Bits are nil if
// all are; otherwise they are in dst, as long as it has room, the lowest of a
// byte first. The error is ErrMalformed if there are fewer than n.
func Bits(dst, b []byte, n int) (bits []byte, set int, err error) {
	for at := 0; at < n; {
		head, size := binary.Uvarint(b)
		if size <= 0 || head>>1 == 0 {
			return nil, 0, ErrMalformed
		}
		b = b[size:]
		count := n - at
		if head&1 == 0 {
			if head>>1 < uint64(count) {
				count = int(head >> 1)
			}
			if len(b) == 0 || b[0] > 1 {
				return nil, 0, ErrMalformed
			}
			if at == 0 && count == n && b[0] == 1 {
				return nil, n, nil
			}
			bits = roomFor(bits, dst, n)
			bitutil.SetBitsTo(bits, int64(at), int64(count), b[0] == 1)
			b = b[1:]
		} else {
			groups := head >> 1
			if groups < uint64(count+7)/8 {
				count = int(groups) * 8
			}
			if len(b) < (count+7)/8 {
				return nil, 0, ErrMalformed
			}
			bits = roomFor(bits, dst, n)
			bitutil.CopyBitmap(b, 0, count, bits, at)
			b = b[min(uint64(len(b)), groups):]
		}
		at += count
	}
	if set = bitutil.CountSetBits(bits, 0, n); set == n {
		return nil, n, nil
	}
	return bits, set, nil
}

// roomFor is bits, or if there are none yet, room for n of them.
func roomFor(bits, dst []byte, n int) []byte {
	if bits != nil {
		return bits
	}
	if size := (n + 7) / 8; cap(dst) >= size {
		return dst[:size]
	}
	return make([]byte, (n+7)/8)
}
