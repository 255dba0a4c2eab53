package pagezstd

import (
	"encoding/binary"
	"errors"

	"github.com/klauspost/compress/huff0"
)

// literals makes frames without a search for matches. It is used by one goroutine
// at a time.
type literals struct {
	huffman huff0.Scratch
	table   lengthTable
	// seen has where windows were last seen, by their hash, one more than it is.
	seen [1 << 14]uint32
	// low and before are what split made.
	low    []byte
	before []int
}

// mostBlock is how many bytes a block holds (RFC 8878, 3.1.1.2.4), blockHeader
// how many come before them.
const (
	mostBlock   = 128 << 10
	blockHeader = 3
)

// Types of blocks, and of sections of literals (RFC 8878, 3.1.1.2.2 and
// 3.1.1.3.1.1).
const (
	rawBytes = iota
	runOfByte
	compressed
)

// encode appends a frame without matches.
func (l *literals) encode(dst, src []byte) []byte {
	return frame(dst, src, func(dst, src []byte, last bool) []byte {
		return l.block(dst, src, src, new(sequences), last)
	})
}

// store appends a frame of bytes as they are.
func (l *literals) store(dst, src []byte) []byte { return frame(dst, src, rawBlock) }

func frame(dst, src []byte, block func(dst, src []byte, last bool) []byte) []byte {
	dst = frameHeader(dst, len(src))
	for {
		n := min(len(src), mostBlock)
		dst = block(dst, src[:n], n == len(src))
		if src = src[n:]; len(src) == 0 {
			return dst
		}
	}
}

// frameHeader begins a frame that is a single segment, with the length in four
// bytes, without checksum.
func frameHeader(dst []byte, n int) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, 0x28, 0xB5, 0x2F, 0xFD, 2<<6|1<<5), uint32(n))
}

// block appends a block of literals and matches, or, if that is smaller, of the
// bytes as they are.
func (l *literals) block(dst, src, lits []byte, s *sequences, last bool) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, blockHeader)...)
	dst = l.appendSequences(l.section(dst, lits), s)
	n := len(dst) - start - blockHeader
	// What follows needs the distance that a block tells.
	if n >= len(src) && s.distance == 0 {
		return rawBlock(dst[:start], src, last)
	}
	putHeader(dst[start:], last, compressed, n)
	return dst
}

func rawBlock(dst, src []byte, last bool) []byte {
	start := len(dst)
	dst = append(append(dst, make([]byte, blockHeader)...), src...)
	putHeader(dst[start:], last, rawBytes, len(src))
	return dst
}

func putHeader(b []byte, last bool, kind, size int) {
	v := kind<<1 | size<<3
	if last {
		v |= 1
	}
	b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16)
}

// leastGain says that codes are to save one byte of 64, leastCoded from how many
// bytes on there is room for their four streams.
const (
	leastGain  = 6
	leastCoded = 256
)

// section appends the section of literals (RFC 8878, 3.1.1.3.1). It begins with
// its type, how its sizes are written, and these.
func (l *literals) section(dst, src []byte) []byte {
	l.huffman.Reuse, l.huffman.WantLogLess = huff0.ReusePolicyNone, leastGain
	var packed []byte
	err := huff0.ErrIncompressible
	if len(src) >= leastCoded {
		packed, _, err = huff0.Compress4X(src, &l.huffman)
	}
	if err != nil {
		kind := uint64(rawBytes)
		if errors.Is(err, huff0.ErrUseRLE) {
			kind, packed = runOfByte, src[:1]
		} else {
			packed = src
		}
		return append(appendLittle(dst, kind|3<<2|uint64(len(src))<<4, 3), packed...)
	}
	form, bits, size := uint64(3), 18, 5
	switch {
	case len(src) < 1<<10:
		form, bits, size = 1, 10, 3
	case len(src) < 1<<14:
		form, bits, size = 2, 14, 4
	}
	return append(appendLittle(dst, compressed|form<<2|uint64(len(src))<<4|uint64(len(packed))<<(4+bits), size), packed...)
}

// appendLittle appends the low bytes of a number, the lowest first.
func appendLittle(dst []byte, v uint64, bytes int) []byte {
	for range bytes {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}
