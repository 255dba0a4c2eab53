package pagezstd

import (
	"encoding/binary"
	"errors"

	"github.com/klauspost/compress/huff0"
)

// literals makes frames without matches. It is used by one goroutine at a time.
type literals struct {
	huffman huff0.Scratch
	// seen has where windows were last seen, by their hash, one more than it is.
	seen [1 << 14]uint32
}

// mostBlock is how many bytes a block holds (RFC 8878, 3.1.1.2.4).
const mostBlock = 128 << 10

// Types of blocks.
const (
	rawBlock = iota
	runBlock
	compressedBlock
)

// encode appends a frame.
func (l *literals) encode(dst, src []byte) []byte { return frame(dst, src, l.block) }

// store appends a frame of bytes as they are.
func (l *literals) store(dst, src []byte) []byte {
	return frame(dst, src, func(dst, src []byte, last bool) []byte {
		return append(header(dst, last, rawBlock, len(src)), src...)
	})
}

func frame(dst, src []byte, block func(dst, src []byte, last bool) []byte) []byte {
	dst = append(dst, 0x28, 0xB5, 0x2F, 0xFD)
	// A single segment, with the length in four bytes, without checksum.
	dst = append(dst, 2<<6|1<<5)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(src)))
	for {
		n := min(len(src), mostBlock)
		dst = block(dst, src[:n], n == len(src))
		if src = src[n:]; len(src) == 0 {
			return dst
		}
	}
}

// leastGain says that codes are to save one byte of 64.
const leastGain = 6

// block appends a block.
func (l *literals) block(dst, src []byte, last bool) []byte {
	l.huffman.Reuse, l.huffman.WantLogLess = huff0.ReusePolicyNone, leastGain
	var packed []byte
	err := huff0.ErrIncompressible
	// The smallest blocks have no room for four streams.
	if len(src) >= leastBlock {
		packed, _, err = huff0.Compress4X(src, &l.huffman)
	}
	switch {
	case errors.Is(err, huff0.ErrUseRLE):
		return append(header(dst, last, runBlock, len(src)), src[0])
	case err != nil:
		return append(header(dst, last, rawBlock, len(src)), src...)
	}
	// The section of literals begins with its type, that it has four streams, and
	// its sizes in 10, 14 or 18 bits; that of sequences says that there are none.
	form, bits, size := uint64(3), 18, 5
	switch {
	case len(src) < 1<<10:
		form, bits, size = 1, 10, 3
	case len(src) < 1<<14:
		form, bits, size = 2, 14, 4
	}
	dst = header(dst, last, compressedBlock, size+len(packed)+1)
	section := 2 | form<<2 | uint64(len(src))<<4 | uint64(len(packed))<<(4+bits)
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], section)
	dst = append(dst, b[:size]...)
	return append(append(dst, packed...), 0)
}

// leastBlock is from how many bytes on a block is compressed.
const leastBlock = 256

func header(dst []byte, last bool, kind, size int) []byte {
	v := uint32(kind)<<1 | uint32(size)<<3
	if last {
		v |= 1
	}
	return append(dst, byte(v), byte(v>>8), byte(v>>16))
}
