package flat

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/firndb/firn/maintenance/internal/parquet/codec"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
	"github.com/firndb/firn/maintenance/internal/parquet/hybrid"
)

// page is an opened data page, of which the rows before at have been taken: an
// array, or indices into a dictionary, one a row.
type page struct {
	rows, at int
	whole    arrow.ArrayData
	indices  []uint32
	dict     *dictionary
	// valid has a bit for each row, nil if all are set.
	valid []byte
}

// open opens a data page.
func (r *Reader) open(h *format.PageHeader, b []byte) error {
	levels, values, err := r.sections(h, b)
	if err != nil {
		return err
	}
	p := page{rows: int(h.Values)}
	set := p.rows
	if r.col.optional {
		if p.valid, set, err = hybrid.Bits(nil, levels, p.rows); err != nil {
			return fmt.Errorf("%w: levels: %w", ErrUnfit, err)
		}
	}
	if h.Type == format.DataPageV2 && (int(h.Nulls) != p.rows-set || h.Rows != h.Values) {
		return fmt.Errorf("%w: a page of %d rows has other rows or nulls than its header says", ErrUnfit, p.rows)
	}
	switch {
	case h.Encoding.Dictionary() && r.col.kind != booleans:
		err = r.openIndices(&p, values, set)
	case h.Encoding == format.Plain || h.Encoding == format.RLE && r.col.kind == booleans:
		p.whole, err = r.plain(&p, h.Encoding, values, set)
	default:
		err = fmt.Errorf("%w: a page of encoding %d", ErrUnfit, h.Encoding)
	}
	if err == nil {
		r.page = p
	}
	return err
}

// sections decompresses a page and takes it apart: levels and values, valid until
// the next page.
func (r *Reader) sections(h *format.PageHeader, b []byte) (levels, values []byte, err error) {
	if h.Type == format.DataPageV2 {
		if h.RepBytes != 0 || int64(h.DefBytes) > int64(len(b)) || !r.col.optional && h.DefBytes != 0 {
			return nil, nil, fmt.Errorf("%w: levels are longer than their page", ErrUnfit)
		}
		levels, values = b[:h.DefBytes], b[h.DefBytes:]
		if h.Stored && int(h.Uncompressed) != len(b) {
			return nil, nil, fmt.Errorf("%w: %w", ErrUnfit, codec.ErrLength)
		}
		if h.Stored {
			return levels, values, nil
		}
		values, err = r.decompress(values, int(h.Uncompressed)-len(levels))
		return levels, values, err
	}
	if values, err = r.decompress(b, int(h.Uncompressed)); err != nil || !r.col.optional {
		return nil, values, err
	}
	if h.DefEncoding != format.RLE {
		return nil, nil, fmt.Errorf("%w: levels of encoding %d", ErrUnfit, h.DefEncoding)
	}
	return cut(values)
}

func (r *Reader) decompress(b []byte, n int) ([]byte, error) {
	out, err := r.scratch.decoder.Decompress(r.codec, b, n)
	if err != nil {
		return nil, fmt.Errorf("%w: decompress page: %w", ErrUnfit, err)
	}
	return out, nil
}

// cut cuts off levels, which have their length before them.
func cut(b []byte) (levels, rest []byte, err error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, nil, fmt.Errorf("%w: levels are longer than their page", ErrUnfit)
	}
	n := int(binary.LittleEndian.Uint32(b))
	return b[4:][:n], b[4+n:], nil
}

// plain makes an array of a page of plain values, of which set are not null.
func (r *Reader) plain(p *page, e format.Encoding, b []byte, set int) (arrow.ArrayData, error) {
	c := &r.col
	buffers := []*memory.Buffer{bitmap(p.valid)}
	switch c.kind {
	case texts:
		offsets, data, err := plainTexts(b, p.rows, set, p.valid)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(data))
	case booleans:
		values, err := plainBits(b, e, p.rows, set, p.valid)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, memory.NewBufferBytes(values))
	default:
		if set > len(b)/c.stored {
			return nil, fmt.Errorf("%w: %d values are not within %d bytes", ErrUnfit, set, len(b))
		}
		values := c.dense(b[:set*c.stored])
		if p.valid != nil {
			values = spread(values, c.width, p.rows, p.valid)
		}
		buffers = append(buffers, memory.NewBufferBytes(values))
	}
	return array.NewData(c.typ, p.rows, buffers, nil, p.rows-set, 0), nil
}

// bitmap is a buffer of which values are valid, nil if all are.
func bitmap(valid []byte) *memory.Buffer {
	if valid == nil {
		return nil
	}
	return memory.NewBufferBytes(valid)
}

// slice is n rows.
func (p *page) slice(c *Column, at, n int) arrow.Array {
	var data arrow.ArrayData
	if p.whole != nil {
		data = array.NewSliceData(p.whole, int64(at), int64(at+n))
	} else {
		valid, set := p.valid, n
		if valid != nil {
			valid = make([]byte, (n+7)/8)
			bitutil.CopyBitmap(p.valid, at, n, valid, 0)
			if set = bitutil.CountSetBits(valid, 0, n); set == n {
				valid = nil
			}
		}
		buffers := append([]*memory.Buffer{bitmap(valid)}, p.dict.gather(c, p.indices[at:at+n])...)
		data = array.NewData(c.typ, n, buffers, nil, n-set, 0)
	}
	defer data.Release()
	return array.MakeFromData(data)
}
