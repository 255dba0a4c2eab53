package splice

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/firndb/firn/maintenance/internal/pagezstd"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/internal/parquet/hybrid"
)

// joinBytes is up to which size, decompressed, pages are joined.
const joinBytes = 32 << 10

// builder makes pages of levels and values that come from pages of sources, or
// are made.
type builder struct {
	k *chunk
	// width is how many bits indices take.
	width int
	// crc says that pages get a checksum.
	crc bool
	// choice is how pages are compressed.
	choice pagezstd.Choice

	// held is a small page that can be moved as it is if no other joins it.
	held *heldPage

	entries  int
	rep, def []uint8
	// indexed says whether the page being made has indices or plain values, of
	// which booleans take a byte each.
	indexed bool
	indices []uint32
	plain   []byte
	info    info
	// raw, if not nil, is encoded values that make the page instead.
	raw      []byte
	encoding format.Encoding
}

// heldPage is a page with what it takes to open it later.
type heldPage struct {
	page page
	from origin
	info info
}

// reset begins another chunk.
func (b *builder) reset(k *chunk, width int) {
	b.k, b.width, b.crc, b.choice = k, width, false, pagezstd.Choice{}
	b.clear()
}

func (b *builder) clear() {
	b.entries, b.rep, b.def, b.indices, b.plain, b.info, b.raw = 0, b.rep[:0], b.def[:0], b.indices[:0], b.plain[:0], info{}, nil
}

// hold takes a small page that could be moved.
func (b *builder) hold(p *page, from origin, x info) {
	kept := *p
	kept.head, kept.body = slices.Clone(p.head), slices.Clone(p.body)
	b.held = &heldPage{page: kept, from: from, info: x}
}

// begin makes room for a page of so many values and bytes: it ends the open page
// if that would become too large or is of the other kind.
func (b *builder) begin(indexed bool, values int, bytes int64) error {
	t := b.k.w.target
	if b.entries > 0 && (b.indexed != indexed || int64(b.entries+values) > t.PageRows || b.bytes()+bytes > t.PageBytes) {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.indexed = indexed
	return nil
}

// bytes is about how large the open page is.
func (b *builder) bytes() int64 {
	return int64(len(b.plain) + len(b.indices)*b.width/8 + len(b.rep)/4 + len(b.def)/4)
}

// took notes what came with a page.
func (b *builder) took(values int, x info) {
	if b.entries == 0 {
		b.info = x
	} else {
		b.info = b.k.col.joinInfo(b.info, x)
	}
	b.entries += values
}

// flush writes the open page, if there is one.
func (b *builder) flush() error {
	if h := b.held; h != nil {
		b.held = nil
		return b.k.put(&h.page.PageHeader, h.page.head, &h.info, h.page.body)
	}
	if b.entries == 0 {
		return nil
	}
	defer b.clear()
	if err := b.checkInfo(); err != nil {
		return err
	}
	// Version 2 pages begin with a row, which of nested ones is known only if
	// their rows are.
	if b.k.w.target.PageV2 && b.info.rows.Set {
		return b.writeV2()
	}
	return b.writeV1()
}

// checkInfo compares what sources say about their pages with the levels, and
// fills in what the levels tell.
func (b *builder) checkInfo() error {
	c := b.k.col
	nulls, rows := b.nulls(), int64(b.entries)
	if c.maxRep > 0 {
		rows = int64(count(b.rep, 0))
	}
	if c.maxRep == 0 && b.info.nulls.Set && b.info.nulls.V != nulls || b.info.rows.Set && b.info.rows.V != rows {
		return fmt.Errorf("%w: column %q: pages have %d rows and %d nulls, not %d and %d", ErrUnfit, c.name(), rows, nulls, b.info.rows.V, b.info.nulls.V)
	}
	if !b.info.nulls.Set {
		b.info.nulls = format.Some(nulls)
	}
	b.info.allNull = nulls == int64(b.entries)
	return nil
}

// nulls is how many values of the open page are absent.
func (b *builder) nulls() int64 {
	if b.k.col.maxDef == 0 {
		return 0
	}
	return int64(b.entries - count(b.def, b.k.col.maxDef))
}

func (b *builder) header() format.PageHeader {
	h := format.PageHeader{Values: int32(b.entries), Encoding: format.Plain}
	switch {
	case b.raw != nil:
		h.Encoding = b.encoding
	case b.indexed:
		h.Encoding = format.RLEDictionary
	}
	return h
}

func (b *builder) appendValues(dst []byte) []byte {
	switch {
	case b.raw != nil:
		return append(dst, b.raw...)
	case b.indexed:
		return hybrid.Append(append(dst, byte(b.width)), b.indices, b.width)
	case b.k.col.typ == format.Boolean:
		return packBits(dst, b.plain)
	}
	return append(dst, b.plain...)
}

// compress compresses what ends with the values of the open page.
func (b *builder) compress(bytes []byte) ([]byte, error) {
	b.choice.Width = 0
	if b.raw == nil && !b.indexed {
		switch b.k.col.typ {
		case format.Int32, format.Float:
			b.choice.Width = 4
		case format.Int64, format.Double:
			b.choice.Width = 8
		}
	}
	w := b.k.w
	return w.open.compress(w.target.codec(), w.target.Level, bytes, &b.choice)
}

func (b *builder) writeV1() error {
	c, w := b.k.col, b.k.w
	raw := appendLevels(w.raw[:0], b.rep, c.repWidth(), true)
	raw = appendLevels(raw, b.def, c.defWidth(), true)
	raw = b.appendValues(raw)
	w.raw = raw
	body, err := b.compress(raw)
	if err != nil {
		return err
	}
	h := b.header()
	h.Type, h.Uncompressed = format.DataPage, int32(len(raw))
	return b.put(h, body)
}

func (b *builder) writeV2() error {
	c, w := b.k.col, b.k.w
	h := b.header()
	raw := appendLevels(w.raw[:0], b.rep, c.repWidth(), false)
	h.RepBytes = int32(len(raw))
	raw = appendLevels(raw, b.def, c.defWidth(), false)
	levels := len(raw)
	h.DefBytes = int32(levels) - h.RepBytes
	raw = b.appendValues(raw)
	w.raw = raw
	values, err := b.compress(raw[levels:])
	if err != nil {
		return err
	}
	if len(values) >= len(raw)-levels {
		values, h.Stored = raw[levels:], true
	}
	h.Type, h.Uncompressed, h.Nulls, h.Rows = format.DataPageV2, int32(len(raw)), int32(b.nulls()), int32(b.entries)
	if c.maxRep > 0 {
		h.Rows = int32(count(b.rep, 0))
	}
	return b.put(h, raw[:levels], values)
}

func (b *builder) put(h format.PageHeader, body ...[]byte) error {
	w := b.k.w
	size, crc := 0, uint32(0)
	for _, part := range body {
		size += len(part)
		if b.crc {
			crc = crc32.Update(crc, crc32.IEEETable, part)
		}
	}
	h.Compressed = int32(size)
	if b.crc {
		h.CRC = format.Some(int32(crc))
	}
	w.head = h.Append(w.head[:0])
	return b.k.put(&h, w.head, &b.info, body...)
}

// addNulls adds rows whose column is absent, all levels of which are zero.
func (b *builder) addNulls(rows int64) error {
	c := b.k.col
	for rows > 0 {
		if err := b.begin(false, 1, 0); err != nil {
			return err
		}
		n := int(min(rows, max(1, b.k.w.target.PageRows-int64(b.entries))))
		b.def = append(b.def, make([]uint8, n)...)
		if c.maxRep > 0 {
			b.rep = append(b.rep, make([]uint8, n)...)
		}
		b.took(n, info{rows: format.Some(int64(n)), nulls: format.Some(int64(n)), allNull: true})
		rows -= int64(n)
	}
	return nil
}

// addNumbers adds a row for each of some numbers, none of which is below the one
// before.
func (b *builder) addNumbers(rows int64, next func() int64) error {
	for rows > 0 {
		if err := b.begin(false, 1, 8); err != nil {
			return err
		}
		n := min(rows, max(1, b.k.w.target.PageRows-int64(b.entries)), max(1, (b.k.w.target.PageBytes-b.bytes())/8))
		at := len(b.plain)
		for range n {
			b.plain = binary.LittleEndian.AppendUint64(b.plain, uint64(next()))
		}
		if b.k.col.maxDef > 0 {
			b.def = append(b.def, slices.Repeat([]uint8{b.k.col.maxDef}, int(n))...)
		}
		x := bounds{min: slices.Clone(b.plain[at:][:8]), max: slices.Clone(b.plain[len(b.plain)-8:]), minExact: format.Some(true), maxExact: format.Some(true)}
		b.k.addMade(n, x)
		b.took(int(n), info{rows: format.Some(n), nulls: format.Some(int64(0)), bounds: x})
		rows -= n
	}
	return nil
}
