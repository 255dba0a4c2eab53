package pagezstd

import (
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
)

// codec is Arrow's codec but for pages compressed at the default level.
type codec struct {
	compress.Codec
	pool sync.Pool
}

// New makes a codec that may take the place of stock, Arrow's codec for zstd.
// It is safe for use by several goroutines.
func New(stock compress.Codec) compress.Codec {
	return &codec{Codec: stock, pool: sync.Pool{New: func() any { return new(Encoder) }}}
}

// Register makes all Parquet files that the process writes use the codec. It
// must be called before the first is opened.
func Register() error {
	stock, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		return err
	}
	if _, done := stock.(*codec); !done {
		compress.RegisterCodec(compress.Codecs.Zstd, New(stock))
	}
	return nil
}

// Encode compresses at the default level.
func (c *codec) Encode(dst, src []byte) []byte {
	return c.EncodeLevel(dst, src, compress.DefaultCompressionLevel)
}

// EncodeLevel compresses src into dst if it has room. A level that somebody chose
// is the usual compressor's.
func (c *codec) EncodeLevel(dst, src []byte, level int) []byte {
	if level != compress.DefaultCompressionLevel || len(src) < leastPage {
		return c.Codec.EncodeLevel(dst, src, level)
	}
	e := c.pool.Get().(*Encoder)
	defer c.pool.Put(e)
	return e.Append(dst[:0], src, new(Choice))
}
