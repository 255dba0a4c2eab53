package pagezstd

import "github.com/klauspost/compress/zstd"

// Encoder compresses pages. It is for use by one goroutine; the zero Encoder is
// ready.
type Encoder struct {
	lits  literals
	stock [2]*zstd.Encoder
	trial []byte
}

// Append appends a page as a frame. What pays is found out for all pages that
// come with the same Choice.
func (e *Encoder) Append(dst, page []byte, c *Choice) []byte {
	way := usual
	if len(page) >= leastPage {
		way = c.next(e, page)
	}
	switch way {
	case coded:
		return e.lits.encode(dst, page)
	case stored:
		return e.lits.store(dst, page)
	case shared:
		if b := e.lits.numbers(dst, page, c.Width); b != nil {
			return b
		}
		way = fast
	}
	return e.compressor(way).EncodeAll(page, dst)
}

// compressor is the usual compressor or the fast one.
func (e *Encoder) compressor(way way) *zstd.Encoder {
	if e.stock[way] == nil {
		level := zstd.SpeedDefault
		if way == fast {
			level = zstd.SpeedFastest
		}
		// The error is that an option is wrong.
		e.stock[way], _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithAllLitEntropyCompression(true))
	}
	return e.stock[way]
}
