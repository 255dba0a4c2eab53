package manifest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// container reads Avro's object container files: a header, then blocks of
// entries (Avro specification, "Object Container Files").
type container struct {
	r     *bufio.Reader
	meta  map[string][]byte
	mark  [16]byte
	codec *codec
	block []byte
}

// maxHeader is how long the header may be, in bytes; it has the table's schema.
const maxHeader = 64 << 20

func openContainer(r io.Reader) (*container, error) {
	c := &container{r: bufio.NewReaderSize(r, 64<<10), meta: map[string][]byte{}}
	var magic [4]byte
	if _, err := io.ReadFull(c.r, magic[:]); err != nil {
		return nil, fmt.Errorf("read header: %w", noEOF(err))
	}
	if magic != [4]byte{'O', 'b', 'j', 1} {
		return nil, errors.New("it is not an avro object container file")
	}
	if err := c.readMeta(); err != nil {
		return nil, fmt.Errorf("read header: %w", noEOF(err))
	}
	var err error
	c.codec, err = newCodec(string(c.meta["avro.codec"]))
	return c, err
}

func (c *container) close() { c.codec.close() }

// readMeta reads the header's map.
func (c *container) readMeta() error {
	left := int64(maxHeader)
	for {
		n, err := binary.ReadVarint(c.r)
		if err != nil {
			return err
		}
		if n < 0 {
			if _, err := binary.ReadVarint(c.r); err != nil {
				return err
			}
			n = -n
		}
		if n == 0 {
			break
		}
		if n < 0 || n > left {
			return errors.New("it is too long")
		}
		for range n {
			key, err := c.text(&left)
			if err != nil {
				return err
			}
			value, err := c.text(&left)
			if err != nil {
				return err
			}
			c.meta[string(key)] = value
		}
	}
	_, err := io.ReadFull(c.r, c.mark[:])
	return err
}

// text reads a string of the header, of which no more than left bytes may come.
func (c *container) text(left *int64) ([]byte, error) {
	n, err := binary.ReadVarint(c.r)
	if err != nil {
		return nil, err
	}
	if n < 0 || n >= *left {
		return nil, errors.New("it is too long")
	}
	*left -= n + 1
	return c.read(nil, n)
}

// read reads n bytes into buf, which grows as they come.
func (c *container) read(buf []byte, n int64) ([]byte, error) {
	const step = 1 << 20
	buf = buf[:0]
	for int64(len(buf)) < n {
		from := len(buf)
		to := min(n, int64(max(cap(buf), from+step)))
		if int64(cap(buf)) < to {
			buf = append(buf, make([]byte, int(to)-from)...)
		}
		buf = buf[:to]
		if _, err := io.ReadFull(c.r, buf[from:]); err != nil {
			return nil, noEOF(err)
		}
	}
	return buf, nil
}

// next reads a block: how many entries it has, and their data, which is valid
// until the next. The error is io.EOF after the last.
func (c *container) next() (count int64, data []byte, err error) {
	if _, err := c.r.Peek(1); err != nil {
		return 0, nil, err
	}
	if count, err = binary.ReadVarint(c.r); err != nil {
		return 0, nil, noEOF(err)
	}
	size, err := binary.ReadVarint(c.r)
	if err != nil {
		return 0, nil, noEOF(err)
	}
	if size < 0 || size > maxBlock {
		return 0, nil, errBlockTooLong
	}
	if c.block, err = c.read(c.block, size); err != nil {
		return 0, nil, err
	}
	if data, err = c.codec.decompress(c.block); err != nil {
		return 0, nil, err
	}
	if count < 0 || count > int64(len(data)) {
		return 0, nil, fmt.Errorf("%w: a block of %d bytes says that it has %d entries", errBroken, len(data), count)
	}
	var mark [16]byte
	if _, err := io.ReadFull(c.r, mark[:]); err != nil {
		return 0, nil, noEOF(err)
	}
	if !bytes.Equal(mark[:], c.mark[:]) {
		return 0, nil, fmt.Errorf("%w: a block does not end with the file's mark", errBroken)
	}
	return count, data, nil
}

// noEOF is err where the end of the file is one.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
