package splice

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// addLevels moves a page of a column that is required in its source and may be
// null in the target: definition levels come before the values, which stay
// compressed. done is false if the codec does not allow that.
func (f *feed) addLevels(p *page, x info) (done bool, err error) {
	c, w := f.k.col, f.g.w
	levels := appendRun(nil, c.maxDef, int(p.Values), p.Type == format.DataPage, c.defWidth())
	h := p.PageHeader
	body := [][]byte{levels, p.body}
	if p.Type == format.DataPage {
		var ok bool
		if body, ok = prepend(f.codec, levels, p.body); !ok {
			return false, nil
		}
	} else {
		h.DefBytes = int32(len(levels))
	}
	if err := w.builder.flush(); err != nil {
		return false, err
	}
	h.Uncompressed += int32(len(levels))
	h.Compressed = 0
	crc := uint32(0)
	for _, b := range body {
		h.Compressed += int32(len(b))
		if h.CRC.Set {
			crc = crc32.Update(crc, crc32.IEEETable, b)
		}
	}
	if h.CRC.Set {
		if err := p.verify(); err != nil {
			return false, err
		}
		h.CRC.V = int32(crc)
	}
	w.head = h.Append(w.head[:0])
	return true, f.k.put(&h, w.head, &x, body...)
}

// appendRun appends n times the same level, encoded.
func appendRun(dst []byte, level uint8, n int, prefix bool, width int) []byte {
	run := binary.AppendUvarint(nil, uint64(n)<<1)
	for range (width + 7) / 8 {
		run = append(run, level)
	}
	if prefix {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(run)))
	}
	return append(dst, run...)
}

// prepend puts bytes before compressed ones, uncompressed, so that what is
// decompressed begins with them. What follows refers back by distance, which
// does not change.
func prepend(codec format.Codec, before, b []byte) ([][]byte, bool) {
	switch codec {
	case format.Uncompressed:
		return [][]byte{before, b}, true
	case format.Snappy:
		return prependSnappy(before, b)
	case format.Zstd:
		return prependZstd(before, b)
	}
	return nil, false
}

// prependSnappy makes a literal of before (snappy's format description, 2.1) and
// counts it to the length that the block begins with.
func prependSnappy(before, b []byte) ([][]byte, bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || len(before) == 0 || len(before) > 60 {
		return nil, false
	}
	head := binary.AppendUvarint(nil, n+uint64(len(before)))
	head = append(head, byte(len(before)-1)<<2)
	return [][]byte{append(head, before...), b[size:]}, true
}

const (
	zstdMagic        = 0xfd2fb528
	zstdSingle       = 1 << 5
	zstdChecksum     = 1 << 2
	zstdDictionary   = 3
	zstdSizeShift    = 6
	zstdSizeEight    = 3 << zstdSizeShift
	zstdBlockSizeBit = 3
)

// prependZstd makes a raw block of before (RFC 8878, 3.1.1) and counts it to the
// frame's content size. A frame with a checksum is left alone.
func prependZstd(before, b []byte) ([][]byte, bool) {
	if len(b) < 6 || le32(b) != zstdMagic {
		return nil, false
	}
	descriptor := b[4]
	if descriptor&(zstdChecksum|zstdDictionary|1<<3) != 0 {
		return nil, false
	}
	head := append([]byte(nil), b[:5]...)
	at := 5
	single := descriptor&zstdSingle != 0
	if !single {
		head = append(head, b[at])
		at++
	}
	width := [4]int{0, 2, 4, 8}[descriptor>>zstdSizeShift]
	if width == 0 && single {
		width = 1
	}
	if len(b) < at+width {
		return nil, false
	}
	if width > 0 {
		var size [8]byte
		copy(size[:], b[at:at+width])
		n := binary.LittleEndian.Uint64(size[:])
		if width == 2 {
			n += 256
		}
		head[4] = descriptor&(1<<zstdSizeShift-1) | zstdSizeEight
		head = binary.LittleEndian.AppendUint64(head, n+uint64(len(before)))
	}
	block := uint32(len(before)) << zstdBlockSizeBit
	head = append(head, byte(block), byte(block>>8), byte(block>>16))
	return [][]byte{append(head, before...), b[at+width:]}, true
}
