package splice

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"

	"github.com/firndb/firn/maintenance/internal/pagezstd"
	"github.com/firndb/firn/maintenance/rewrite/splice/internal/format"
)

// maxPage bounds pages that are decompressed, so that a malformed header cannot
// make them large.
const maxPage = 64 << 20

// blockRoom is how much room the decoder of zstd wants behind what it writes, so
// that it need not look for the end all the time: the longest block and 16 bytes.
const blockRoom = 128<<10 + 16

func knownCodec(c format.Codec) bool {
	switch c {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw:
		return true
	}
	return false
}

// codecs compresses and decompresses pages. Buffers are reused: what is returned
// is valid until the next call of the same method.
type codecs struct {
	zstd         *zstd.Decoder
	pages        pagezstd.Encoder
	plain, small []byte
}

var errLength = errors.New("the length differs from the page header's")

// decompress returns exactly n bytes.
func (c *codecs) decompress(codec format.Codec, b []byte, n int) ([]byte, error) {
	if n > maxPage {
		return nil, fmt.Errorf("%w: a page of %d bytes is larger than %d", ErrUnfit, n, maxPage)
	}
	if codec == format.Uncompressed {
		if len(b) != n {
			return nil, fmt.Errorf("%w: decompress page: %w", ErrUnfit, errLength)
		}
		return b, nil
	}
	if n == 0 {
		return nil, nil
	}
	if cap(c.plain) < n+blockRoom {
		c.plain = make([]byte, max(n, 2*cap(c.plain))+blockRoom)
	}
	out, err := c.expand(codec, b, c.plain[:n:n])
	if err == nil && len(out) != n {
		err = errLength
	}
	if err != nil {
		return nil, fmt.Errorf("%w: decompress page: %w", ErrUnfit, err)
	}
	return out, nil
}

// expand decompresses b into dst, which is as long as the result must be.
func (c *codecs) expand(codec format.Codec, b, dst []byte) ([]byte, error) {
	switch codec {
	case format.Zstd:
		if c.zstd == nil {
			var err error
			if c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage)); err != nil {
				return nil, err
			}
		}
		return c.zstd.DecodeAll(b, c.plain[:0])
	case format.Snappy:
		// A block begins with its length, for which the library would allocate.
		if n, size := binary.Uvarint(b); size <= 0 || n != uint64(len(dst)) {
			return nil, errLength
		}
	}
	as, err := compress.GetCodec(compress.Compression(codec))
	if err != nil {
		return nil, err
	}
	return compress.Decode(as, dst, b)
}

// compress compresses a page, one of those of a choice; with the codec for none
// it returns it as it is.
func (c *codecs) compress(codec format.Codec, level int, b []byte, choice *pagezstd.Choice) ([]byte, error) {
	switch {
	case codec == format.Uncompressed:
		return b, nil
	case codec == format.Zstd && level == compress.DefaultCompressionLevel:
		c.small = c.pages.Append(c.small[:0], b, choice)
		return c.small, nil
	}
	as, err := compress.GetCodec(compress.Compression(codec))
	if err != nil {
		return nil, fmt.Errorf("compress page: %w", err)
	}
	if n := int(as.CompressBound(int64(max(1, len(b))))); cap(c.small) < n {
		c.small = make([]byte, n)
	}
	return as.EncodeLevel(c.small[:cap(c.small)], b, level), nil
}
