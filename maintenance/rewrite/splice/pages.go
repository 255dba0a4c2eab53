package splice

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// page is a page as it is in its file. It is valid until the next is read.
type page struct {
	format.PageHeader
	at   int64
	head []byte // its header
	body []byte // what follows, compressed
}

func (p *page) size() int64 { return int64(len(p.head) + len(p.body)) }

// data says whether it is a data page.
func (p *page) data() bool { return p.Type != format.DictionaryPage }

// maxMoved bounds pages that are moved, which are in memory as a whole.
const maxMoved = 256 << 20

// maxValues bounds the values of a page.
const maxValues = 1 << 24

// pages reads the pages of a chunk one after another.
type pages struct {
	src     *Source
	col     *column
	chunk   *format.ColumnChunk
	at, end int64
	// ahead is up to where it makes sense to read ahead.
	ahead  int64
	values int64
	first  bool
}

func (s *Source) pages(c *column, chunk *format.ColumnChunk) *pages {
	at := chunk.Meta.Start()
	return &pages{src: s, col: c, chunk: chunk, at: at, end: at + chunk.Meta.Compressed, ahead: at + chunk.Meta.Compressed, first: true}
}

// next reads a page; there is none after the last.
func (r *pages) next(ctx context.Context) (p page, ok bool, err error) {
	if r.at == r.end {
		if r.values != r.chunk.Meta.NumValues {
			return p, false, fmt.Errorf("%w: its pages have %d values, not %d", ErrUnfit, r.values, r.chunk.Meta.NumValues)
		}
		return p, false, nil
	}
	if p, err = r.header(ctx); err != nil {
		return p, false, err
	}
	whole := p.size() + int64(p.Compressed)
	if int64(p.Compressed) > r.end-r.at-p.size() || whole > maxMoved {
		return p, false, fmt.Errorf("%w: a page of %d bytes at %d is too long", ErrUnfit, p.Compressed, p.at)
	}
	b, err := r.src.in.bytes(ctx, r.at, whole, r.ahead-r.at)
	if err != nil {
		return p, false, err
	}
	p.head, p.body = b[:len(p.head):len(p.head)], b[len(p.head):]
	r.at += whole
	if err := r.check(&p); err != nil {
		return p, false, err
	}
	r.first = false
	return p, true, nil
}

// header reads a page header, with more bytes until it is whole.
func (r *pages) header(ctx context.Context) (page, error) {
	for n := int64(4 << 10); ; n *= 16 {
		n = min(n, r.end-r.at)
		b, err := r.src.in.bytes(ctx, r.at, n, r.ahead-r.at)
		if err != nil {
			return page{}, err
		}
		h, size, err := format.ReadPageHeader(b)
		if err == nil {
			return page{PageHeader: h, at: r.at, head: b[:size]}, nil
		}
		if !errors.Is(err, format.ErrShort) || n == r.end-r.at {
			return page{}, fmt.Errorf("%w: page at %d: %w", ErrUnfit, r.at, err)
		}
	}
}

// check refuses pages whose values or levels are not understood.
func (r *pages) check(p *page) error {
	if p.Type == format.DictionaryPage {
		if !r.first || p.Encoding != format.Plain && p.Encoding != format.PlainDictionary {
			return fmt.Errorf("%w: a dictionary at %d is not the first page or of encoding %d", ErrUnfit, p.at, p.Encoding)
		}
		return nil
	}
	c := r.col
	r.values += int64(p.Values)
	switch {
	case p.Type == format.DataPage && (r.src.leaves[c.index].maxDef > 0 && p.DefEncoding != format.RLE || c.maxRep > 0 && p.RepEncoding != format.RLE):
		return fmt.Errorf("%w: levels of the page at %d are of encodings %d and %d", ErrUnfit, p.at, p.DefEncoding, p.RepEncoding)
	case p.Type != format.DataPage && p.Type != format.DataPageV2:
		return fmt.Errorf("%w: the page at %d is of type %d", ErrUnfit, p.at, p.Type)
	case p.Type == format.DataPageV2 && (p.Nulls > p.Values || p.Rows > p.Values || int64(p.DefBytes)+int64(p.RepBytes) > int64(len(p.body))):
		return fmt.Errorf("%w: the page at %d contradicts itself", ErrUnfit, p.at)
	case p.Type == format.DataPageV2 && (r.src.leaves[c.index].maxDef == 0 && p.DefBytes > 0 || c.maxRep == 0 && p.RepBytes > 0):
		return fmt.Errorf("%w: the page at %d has levels that its column has not", ErrUnfit, p.at)
	case p.Type == format.DataPageV2 && c.maxRep == 0 && p.Rows != p.Values:
		return fmt.Errorf("%w: the page at %d has %d rows of %d values", ErrUnfit, p.at, p.Rows, p.Values)
	case p.Values > maxValues:
		return fmt.Errorf("%w: the page at %d has %d values", ErrUnfit, p.at, p.Values)
	}
	switch p.Encoding {
	case format.Plain, format.PlainDictionary, format.RLEDictionary, format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray, format.ByteStreamSplit:
		return nil
	case format.RLE:
		if c.typ == format.Boolean {
			return nil
		}
	}
	return fmt.Errorf("%w: the page at %d is of encoding %d", ErrUnfit, p.at, p.Encoding)
}

// verify compares a page's checksum, if it has one.
func (p *page) verify() error {
	if p.CRC.Set && uint32(p.CRC.V) != crc32.ChecksumIEEE(p.body) {
		return fmt.Errorf("%w: the page at %d is damaged: its checksum differs", ErrUnfit, p.at)
	}
	return nil
}

// dictionaryPage is the chunk's dictionary; ok is false if it has none.
func (s *Source) dictionaryPage(ctx context.Context, c *column, chunk *format.ColumnChunk) (p page, ok bool, err error) {
	r := s.pages(c, chunk)
	if r.at == r.end {
		return p, false, nil
	}
	if p, err = r.header(ctx); err != nil || p.Type != format.DictionaryPage {
		return p, false, err
	}
	return r.next(ctx)
}
