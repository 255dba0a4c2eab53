package splice

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/firndb/firn/maintenance/internal/pagezstd"
	"github.com/firndb/firn/maintenance/internal/parquet/codec"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// codecs compresses and decompresses pages. Buffers are reused: what is returned
// is valid until the next call of the same method.
type codecs struct {
	decoder codec.Decoder
	pages   pagezstd.Encoder
	small   []byte
}

// decompress returns exactly n bytes.
func (c *codecs) decompress(codec format.Codec, b []byte, n int) ([]byte, error) {
	out, err := c.decoder.Decompress(codec, b, n)
	if err != nil {
		return nil, fmt.Errorf("%w: decompress page: %w", ErrUnfit, err)
	}
	return out, nil
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
