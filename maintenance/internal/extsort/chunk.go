package extsort

import (
	"bytes"
	"math/bits"
)

// Chunk is rows in order.
type Chunk struct {
	// Rows are the rows' numbers.
	Rows []uint32

	digest *digest
	// items are the rows, which refer to keys if the digest is not exact. other is
	// as long, for merging.
	items, other []item
	keys         [][]byte
}

// Same says whether two rows have the same key.
func (c *Chunk) Same(i, j int) bool {
	a, b := c.items[i], c.items[j]
	return a.prefix == b.prefix && (c.digest.exact || bytes.Equal(c.keys[a.ref], c.keys[b.ref]))
}

// AppendKey appends the key of row i.
func (c *Chunk) AppendKey(dst []byte, i int) []byte {
	if c.digest.exact {
		return c.digest.append(dst, c.items[i].prefix)
	}
	return append(dst, c.key(c.items[i].ref)...)
}

func (c *Chunk) key(ref uint32) []byte { return c.keys[ref] }

// take adds some open items of a source.
func (c *Chunk) take(s *source, n int) {
	open := s.items[s.at : s.at+n]
	s.at += n
	at := len(c.items)
	c.items = append(c.items, open...)
	if c.digest.exact {
		return
	}
	for i, it := range open {
		c.items[at+i].ref = uint32(len(c.keys))
		c.keys = append(c.keys, s.key(it))
	}
}

// merge makes one of parts that end somewhere and are in order each: of every two
// of them, until there are no more.
func (c *Chunk) merge(ends []int) {
	if cap(c.other) < len(c.items) {
		c.other = make([]item, cap(c.items))
	}
	c.other = c.other[:len(c.items)]
	for len(ends) > 1 {
		from, next := 0, ends[:0]
		for i := 0; i < len(ends); i += 2 {
			middle, to := ends[i], ends[min(i+1, len(ends)-1)]
			c.join(c.other[from:to], c.items[from:middle], c.items[middle:to])
			from, next = to, append(next, to)
		}
		ends = next
		c.items, c.other = c.other, c.items
	}
	c.Rows = c.Rows[:0]
	for _, it := range c.items {
		c.Rows = append(c.Rows, it.row)
	}
}

// join merges two parts; the rows of the first come before equal ones of the
// second.
func (c *Chunk) join(dst, a, b []item) {
	i, j := 0, 0
	if c.digest.exact {
		i, j = joinPrefixes(dst, a, b)
	}
	for i < len(a) && j < len(b) {
		x, y := &a[i], &b[j]
		if y.prefix < x.prefix || y.prefix == x.prefix && bytes.Compare(c.keys[y.ref], c.keys[x.ref]) < 0 {
			dst[i+j] = *y
			j++
		} else {
			dst[i+j] = *x
			i++
		}
	}
	copy(dst[i+j:], a[i:])
	copy(dst[len(a)+j:], b[j:])
}

// joinPrefixes merges until one part is at its end. There is no branch: which row
// comes first cannot be foretold.
func joinPrefixes(dst, a, b []item) (i, j int) {
	for i < len(a) && j < len(b) {
		x, y := &a[i], &b[j]
		_, second := bits.Sub64(y.prefix, x.prefix, 0)
		to, mask := &dst[i+j], -second
		to.prefix = x.prefix ^ (x.prefix^y.prefix)&mask
		to.row = x.row ^ (x.row^y.row)&uint32(mask)
		i += int(1 - second)
		j += int(second)
	}
	return i, j
}
