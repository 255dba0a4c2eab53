package splice

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/internal/parquet/hybrid"
)

// body is a decompressed data page: its levels, one of each for every value,
// nulls included, and the encoded values that are not null. Its slices are
// valid until the next page is opened.
type body struct {
	rep, def []uint8
	// notNull is how many values there are.
	notNull int
	rows    int64
	values  []byte
}

// opener opens pages and keeps their buffers.
type opener struct {
	codecs
	rep, def []uint8
	indices  []uint32
}

// open decompresses a page and decodes its levels.
func (o *opener) open(c *column, from origin, p *page) (body, error) {
	if err := p.verify(); err != nil {
		return body{}, err
	}
	rep, def, values, err := o.sections(c, from, p)
	if err != nil {
		return body{}, err
	}
	n := int(p.Values)
	if o.rep, err = decodeLevels(o.rep, rep, c.repWidth(), c.maxRep, n); err != nil {
		return body{}, fmt.Errorf("page at %d: %w", p.at, err)
	}
	if o.def, err = decodeLevels(o.def, def, from.leaf.defWidth(), from.leaf.maxDef, n); err != nil {
		return body{}, fmt.Errorf("page at %d: %w", p.at, err)
	}
	o.def = from.leaf.raise(o.def, n)
	b := body{rep: o.rep, def: o.def, notNull: n, rows: int64(n), values: values}
	if c.maxDef > 0 {
		b.notNull = count(o.def, c.maxDef)
	}
	if c.maxRep > 0 {
		b.rows = int64(count(o.rep, 0))
	}
	if p.Type == format.DataPageV2 && (int64(p.Rows) != b.rows || int(p.Nulls) != n-b.notNull) {
		return body{}, fmt.Errorf("%w: the page at %d has other rows or nulls than its header says", ErrUnfit, p.at)
	}
	return b, nil
}

func count(levels []uint8, level uint8) int { return bytes.Count(levels, []byte{level}) }

// decodeLevels decodes n levels; of a column that has none there are no bytes.
func decodeLevels(dst []uint8, b []byte, width int, highest uint8, n int) ([]uint8, error) {
	dst = dst[:0]
	if width == 0 {
		return dst, nil
	}
	dst, err := hybrid.Decode(dst, b, width, n)
	if err != nil {
		return nil, fmt.Errorf("%w: levels: %w", ErrUnfit, err)
	}
	for _, v := range dst {
		if v > highest {
			return nil, fmt.Errorf("%w: level %d is above %d", ErrUnfit, v, highest)
		}
	}
	return dst, nil
}

// sections takes a page apart: encoded levels and values.
func (o *opener) sections(c *column, from origin, p *page) (rep, def, values []byte, err error) {
	if p.Type == format.DataPageV2 {
		rep, def = p.body[:p.RepBytes], p.body[p.RepBytes:][:p.DefBytes]
		values = p.body[p.RepBytes+p.DefBytes:]
		if !p.Stored {
			values, err = o.decompress(from.codec, values, int(p.Uncompressed)-len(rep)-len(def))
		}
		return rep, def, values, err
	}
	if values, err = o.decompress(from.codec, p.body, int(p.Uncompressed)); err != nil {
		return nil, nil, nil, err
	}
	if c.maxRep > 0 {
		if rep, values, err = cutLevels(values); err != nil {
			return nil, nil, nil, err
		}
	}
	if from.leaf.maxDef > 0 {
		def, values, err = cutLevels(values)
	}
	return rep, def, values, err
}

// cutLevels cuts off levels, which have their length before them.
func cutLevels(b []byte) (levels, rest []byte, err error) {
	if len(b) < 4 || uint64(le32(b)) > uint64(len(b)-4) {
		return nil, nil, fmt.Errorf("%w: levels are longer than their page", ErrUnfit)
	}
	n := int(le32(b))
	return b[4:][:n], b[4+n:], nil
}

// openIndices decodes the indices of a page into a dictionary of size entries.
func (o *opener) openIndices(b body, size int) ([]uint32, error) {
	o.indices = o.indices[:0]
	if b.notNull == 0 {
		return o.indices, nil
	}
	if len(b.values) == 0 {
		return nil, fmt.Errorf("%w: indices are missing", ErrUnfit)
	}
	indices, err := hybrid.Decode(o.indices, b.values[1:], int(b.values[0]), b.notNull)
	if err != nil {
		return nil, fmt.Errorf("%w: indices: %w", ErrUnfit, err)
	}
	o.indices = indices
	for _, i := range indices {
		if uint64(i) >= uint64(size) {
			return nil, fmt.Errorf("%w: index %d is beyond the dictionary's %d entries", ErrUnfit, i, size)
		}
	}
	return indices, nil
}

// appendLevels appends encoded levels, in version 1 with their length before
// them.
func appendLevels(dst []byte, levels []uint8, width int, prefix bool) []byte {
	if width == 0 {
		return dst
	}
	at := len(dst)
	if prefix {
		dst = append(dst, 0, 0, 0, 0)
	}
	dst = hybrid.Append(dst, levels, width)
	if prefix {
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst
}
