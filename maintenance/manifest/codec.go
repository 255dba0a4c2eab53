package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/firndb/firn/maintenance/internal/inflate"
)

// maxBlock is how long a block of a file may be, in bytes. Writers end blocks
// after some 64 kB, if not after each entry.
const maxBlock = 128 << 20

var errBlockTooLong = fmt.Errorf("a block is longer than %d bytes", maxBlock)

// codec decompresses blocks, one at a time. The result is valid until the
// next.
type codec struct {
	name    string
	buf     []byte
	inflate *inflate.Decoder
	zstd    *zstd.Decoder
}

// newCodec makes the codec of that name of the Avro specification.
func newCodec(name string) (*codec, error) {
	c := &codec{name: name}
	switch name {
	case "", "null", "snappy":
	case "deflate":
		c.inflate = inflate.NewDecoder()
	case "zstandard":
		var err error
		if c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock)); err != nil {
			return nil, fmt.Errorf("avro codec zstandard: %w", err)
		}
	default:
		return nil, fmt.Errorf("avro codec %q is not known; null, deflate, snappy and zstandard are", name)
	}
	return c, nil
}

func (c *codec) close() {
	if c.zstd != nil {
		c.zstd.Close()
	}
}

func (c *codec) decompress(data []byte) ([]byte, error) {
	var err error
	switch c.name {
	case "deflate":
		err = c.deflated(data)
	case "snappy":
		err = c.snappied(data)
	case "zstandard":
		c.buf, err = c.zstd.DecodeAll(data, c.buf[:0])
	default:
		return data, nil
	}
	if err != nil {
		return nil, fmt.Errorf("decompress a block with %s: %w", c.name, err)
	}
	return c.buf, nil
}

func (c *codec) deflated(data []byte) error {
	inflated, err := c.inflate.Decode(c.buf, data, maxBlock)
	if errors.Is(err, inflate.ErrTooLong) {
		return errBlockTooLong
	}
	if err == nil {
		c.buf = inflated
	}
	return err
}

// snappied: a checksum follows on the data.
func (c *codec) snappied(data []byte) error {
	if len(data) < 4 {
		return io.ErrUnexpectedEOF
	}
	data, sum := data[:len(data)-4], binary.BigEndian.Uint32(data[len(data)-4:])
	n, err := snappy.DecodedLen(data)
	if err != nil {
		return err
	}
	// A copy of 64 bytes takes two at least.
	if n > maxBlock || n > 64*len(data) {
		return errBlockTooLong
	}
	if cap(c.buf) < n {
		c.buf = make([]byte, n)
	}
	if c.buf, err = snappy.Decode(c.buf[:n], data); err != nil {
		return err
	}
	if crc32.ChecksumIEEE(c.buf) != sum {
		return errors.New("the checksum is wrong")
	}
	return nil
}
