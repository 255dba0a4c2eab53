package flat

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/firndb/firn/maintenance/internal/parquet/codec"
	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

const (
	// headerBytes is how much is looked at for a page header first, at most mostHeader.
	headerBytes, mostHeader = 16 << 10, 16 << 20
	// mostCompressed bounds pages as they are in the file.
	mostCompressed = 128 << 20
	// mostValues bounds the values of a page, of which some may be repeated as often
	// as it pleases.
	mostValues = 1 << 22
)

// Reader reads chunks of one column. Arrays that it has made stay as they are
// whatever becomes of it.
type Reader struct {
	col     Column
	scratch *scratch
	in      parquet.BufferedReader
	codec   format.Codec
	// left is how many bytes of the chunk have not been read, rows how many rows are
	// in them.
	left, rows int64
	first      bool
	dict       *dictionary
	page       page
}

// scratch is memory that is used again for every page.
type scratch struct {
	decoder   codec.Decoder
	packed    []byte
	indices   []uint32
	positions []uint32
}

// Open begins a chunk, which has as many rows. What is read of it goes through a
// buffer, as props has it.
func (r *Reader) Open(in io.ReaderAt, props *parquet.ReaderProperties, chunk *metadata.ColumnChunkMetaData, rows int64) error {
	start := chunk.DataPageOffset()
	if chunk.HasDictionaryPage() && chunk.DictionaryPageOffset() > 0 {
		start = min(start, chunk.DictionaryPageOffset())
	}
	r.left, r.rows, r.first = chunk.TotalCompressedSize(), rows, true
	r.dict, r.page, r.codec = nil, page{}, format.Codec(chunk.Compression())
	if start < 0 || r.left <= 0 {
		return fmt.Errorf("%w: a chunk of %d bytes at %d", ErrUnfit, r.left, start)
	}
	var err error
	r.in, err = props.GetStream(in, start, r.left)
	return err
}

// Next is how many rows Take can be asked for: at most most, and 0 only at the
// end of the chunk. It reads a page if the last has been taken.
func (r *Reader) Next(ctx context.Context, most int) (int, error) {
	for r.page.at == r.page.rows {
		r.page = page{}
		switch {
		case r.rows == 0:
			return 0, nil
		case r.left == 0:
			return 0, fmt.Errorf("%w: %d rows are missing", ErrUnfit, r.rows)
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := r.read(); err != nil {
			return 0, err
		}
	}
	return r.page.most(min(most, r.page.rows-r.page.at)), nil
}

// Take returns the next rows, at most as many as Next has said. The caller
// releases them.
func (r *Reader) Take(n int) arrow.Array {
	p := &r.page
	at := p.at
	p.at += n
	return p.slice(&r.col, at, n)
}

// read reads a page.
func (r *Reader) read() error {
	h, err := r.header()
	if err != nil {
		return err
	}
	size := int64(h.Compressed)
	if size > r.left || size > mostCompressed {
		return fmt.Errorf("%w: a page of %d bytes", ErrUnfit, size)
	}
	s := r.scratch
	if int64(cap(s.packed)) < size {
		s.packed = make([]byte, max(size, min(2*int64(cap(s.packed)), mostCompressed)))
	}
	s.packed = s.packed[:size]
	if _, err := io.ReadFull(r.in, s.packed); err != nil {
		return short(err)
	}
	r.left -= size
	first := r.first
	r.first = false
	switch h.Type {
	case format.DictionaryPage:
		if !first {
			return fmt.Errorf("%w: a dictionary that is not the first page", ErrUnfit)
		}
		r.dict, err = r.dictionary(&h, s.packed)
		return err
	case format.DataPage, format.DataPageV2:
		if int64(h.Values) > r.rows || h.Values > mostValues {
			return fmt.Errorf("%w: a page of %d values where %d are left", ErrUnfit, h.Values, r.rows)
		}
		r.rows -= int64(h.Values)
		return r.open(&h, s.packed)
	}
	return fmt.Errorf("%w: a page of type %d", ErrUnfit, h.Type)
}

// short makes an error of the class ErrUnfit of input that ends too early.
func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", ErrUnfit, io.ErrUnexpectedEOF)
	}
	return err
}

// header reads a page header, with more bytes until it is whole.
func (r *Reader) header() (format.PageHeader, error) {
	for n := int64(headerBytes); ; n *= 2 {
		n = min(n, r.left)
		b, err := r.in.Peek(int(n))
		if int64(len(b)) < n {
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return format.PageHeader{}, short(err)
		}
		h, size, err := format.ReadPageHeader(b)
		if err == nil {
			r.left -= int64(size)
			_, err = r.in.Discard(size)
			return h, err
		}
		if !errors.Is(err, format.ErrShort) || n == r.left || n >= mostHeader {
			return h, fmt.Errorf("%w: %w", ErrUnfit, err)
		}
	}
}
