package codec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// maxPage bounds pages that are decompressed, so that a malformed header cannot
// make them large.
const maxPage = 64 << 20

// blockRoom is how much room the decoder of zstd wants behind what it writes, so
// that it need not look for the end all the time: the longest block and 16 bytes.
const blockRoom = 128<<10 + 16

// ErrLength says that a page is longer or shorter than its header has it.
var ErrLength = errors.New("the length differs from the page header's")

// Known says whether pages of a codec can be decompressed.
func Known(c format.Codec) bool {
	switch c {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw:
		return true
	}
	return false
}

// Decoder decompresses pages one after another. Its zero value is ready.
type Decoder struct {
	zstd *zstd.Decoder
	page []byte
}

// Decompress returns exactly n bytes, valid until the next call. Those of the
// codec for none are b itself.
func (d *Decoder) Decompress(codec format.Codec, b []byte, n int) ([]byte, error) {
	switch {
	case n < 0:
		return nil, ErrLength
	case n > maxPage:
		return nil, fmt.Errorf("a page of %d bytes is larger than %d", n, maxPage)
	case codec == format.Uncompressed && len(b) != n:
		return nil, ErrLength
	case codec == format.Uncompressed:
		return b, nil
	case n == 0:
		return nil, nil
	}
	if cap(d.page) < n+blockRoom {
		d.page = make([]byte, max(n, 2*cap(d.page))+blockRoom)
	}
	out, err := d.expand(codec, b, d.page[:n:n])
	if err == nil && len(out) != n {
		err = ErrLength
	}
	return out, err
}

// expand decompresses b into dst, which is as long as the result must be.
func (d *Decoder) expand(codec format.Codec, b, dst []byte) ([]byte, error) {
	switch codec {
	case format.Zstd:
		if d.zstd == nil {
			var err error
			if d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage)); err != nil {
				return nil, err
			}
		}
		return d.zstd.DecodeAll(b, d.page[:0])
	case format.Snappy:
		// A block begins with its length, for which the library would allocate.
		if n, size := binary.Uvarint(b); size <= 0 || n != uint64(len(dst)) {
			return nil, ErrLength
		}
	}
	as, err := compress.GetCodec(compress.Compression(codec))
	if err != nil {
		return nil, err
	}
	return compress.Decode(as, dst, b)
}
