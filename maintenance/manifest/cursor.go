package manifest

import (
	"encoding/binary"
	"math/bits"
)

// cursor reads Avro's binary encoding. After the end of its data, or something
// that is no encoding, it is bad and returns zeros.
type cursor struct {
	data []byte
	at   int
	bad  bool
}

func (c *cursor) fail() {
	c.bad = true
	c.at = len(c.data)
}

// left is how many bytes have not been read.
func (c *cursor) left() int { return len(c.data) - c.at }

// long reads an int or long.
func (c *cursor) long() int64 {
	if c.at < len(c.data) {
		if b := c.data[c.at]; b < 0x80 {
			c.at++
			return int64(b>>1) ^ -int64(b&1)
		}
	}
	u, n := binary.Uvarint(c.data[c.at:])
	if n <= 0 {
		c.fail()
		return 0
	}
	c.at += n
	return int64(u>>1) ^ -int64(u&1)
}

// bytes reads a string or bytes; the result is part of the data.
func (c *cursor) bytes() []byte {
	n := c.long()
	return c.take(n)
}

// take reads n bytes.
func (c *cursor) take(n int64) []byte {
	if n < 0 || n > int64(c.left()) {
		c.fail()
		return nil
	}
	from := c.at
	c.at += int(n)
	return c.data[from:c.at]
}

// highBits has the bit of each byte that says that a number goes on.
const highBits = 0x8080808080808080

// skipLongs passes over n numbers, eight bytes at a time: a number ends at the
// first byte without the high bit.
func (c *cursor) skipLongs(n int) {
	for n >= 8 && c.left() >= 8 {
		word := binary.LittleEndian.Uint64(c.data[c.at:])
		n -= bits.OnesCount64(^word & highBits)
		c.at += 8
	}
	// The last byte looked at may be in the midst of a number, which is then
	// among the n that are left.
	for ; n > 0; n-- {
		for {
			if c.at >= len(c.data) {
				c.fail()
				return
			}
			c.at++
			if c.data[c.at-1] < 0x80 {
				break
			}
		}
	}
}

// skipPairs passes over n pairs of a number and bytes, as bounds of columns are.
func (c *cursor) skipPairs(n int) {
	data, at := c.data, c.at
	for ; n > 0; n-- {
		for at < len(data) && data[at] >= 0x80 {
			at++
		}
		at++
		if at < len(data) && data[at] < 0x80 {
			// A length of one byte, not below zero, as most are.
			length := int(data[at] >> 1)
			if data[at]&1 == 0 && length < len(data)-at {
				at += 1 + length
				continue
			}
		}
		if at >= len(data) {
			c.fail()
			return
		}
		c.at = at
		if c.bytes(); c.bad {
			return
		}
		at = c.at
	}
	c.at = at
}

// blockLength reads the head of a block of an array or map: how many items
// follow, 0 at the end. Each item has at least size bytes. bytes is their
// length where the writer tells, else -1.
func (c *cursor) blockLength(size int) (n int, bytes int64) {
	count, length := c.long(), int64(-1)
	if count < 0 {
		count, length = -count, c.long()
		if length < 0 || length > int64(c.left()) {
			c.fail()
			return 0, 0
		}
	}
	if c.bad || count < 0 || count > int64(c.left()/max(size, 1)) {
		c.fail()
		return 0, 0
	}
	return int(count), length
}
