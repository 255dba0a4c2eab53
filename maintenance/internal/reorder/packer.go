package reorder

import "github.com/klauspost/compress/s2"

// packer compresses blocks if that pays: if the first so many bytes have become
// smaller by a third.
type packer struct {
	packed []byte
	// tried and gained are how many bytes have been compressed and saved by it.
	tried, gained int64
}

const (
	enoughTried = 4 << 20
	leastGain   = 3
)

// How a block is written, by its first byte.
const (
	blockBare = iota
	blockPacked
)

// pack is a block, valid until the next.
func (p *packer) pack(b []byte) []byte {
	if p.tried > enoughTried && p.gained < p.tried/leastGain {
		p.packed = append(append(p.packed[:0], blockBare), b...)
		return p.packed
	}
	n := 1 + s2.MaxEncodedLen(len(b))
	dst := room(&p.packed, n)
	dst[0] = blockPacked
	size := len(s2.Encode(dst[1:], b))
	p.tried += int64(len(b))
	p.gained += int64(len(b) - size)
	return dst[:1+size]
}

// unpack is what pack was given, in a buffer or where it is.
func unpack(b []byte, buffer *[]byte) ([]byte, error) {
	switch {
	case len(b) == 0 || b[0] > blockPacked:
		return nil, errBlock
	case b[0] == blockBare:
		return b[1:], nil
	}
	n, err := s2.DecodedLen(b[1:])
	if err != nil {
		return nil, errBlock
	}
	out, err := s2.Decode(room(buffer, n), b[1:])
	if err != nil {
		return nil, errBlock
	}
	return out, nil
}
