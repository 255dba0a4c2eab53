package format

import "fmt"

// PageHeader is parquet.thrift's PageHeader with that of the page's type.
type PageHeader struct {
	Type                     PageType
	Uncompressed, Compressed int32
	CRC                      Opt[int32]

	// Values counts nulls too; that of a dictionary page is its entries.
	Values     int32
	Encoding   Encoding
	Statistics Statistics
	// DefEncoding and RepEncoding are a version 1 page's.
	DefEncoding, RepEncoding Encoding
	// Of version 2 pages.
	Nulls, Rows        int32
	DefBytes, RepBytes int32
	Stored             bool // the values are not compressed
}

// fieldSet is the ids of fields that are there, of those up to 15.
type fieldSet uint16

func (s *fieldSet) add(id int16) { *s |= 1 << uint16(id) }

// Fields that must be there (parquet.thrift: required): those of every header, and
// those of each type's.
const (
	commonFields     fieldSet = 1<<1 | 1<<2 | 1<<3
	v1Fields         fieldSet = 1<<1 | 1<<2 | 1<<3 | 1<<4
	dictionaryFields fieldSet = 1<<1 | 1<<2
	v2Fields         fieldSet = 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<6
)

// ReadPageHeader reads a page header and says how long it is. The error wraps
// ErrShort if b may hold only its beginning.
func ReadPageHeader(b []byte) (PageHeader, int, error) {
	r := &reader{b: b}
	var h PageHeader
	var common, v1, dictionary, v2 fieldSet
	r.fields(func(id int16, typ byte) {
		common.add(id)
		switch id {
		case 1:
			h.Type = PageType(r.i32(typ))
		case 2:
			h.Uncompressed = r.i32(typ)
		case 3:
			h.Compressed = r.i32(typ)
		case 4:
			h.CRC = Some(r.i32(typ))
		case 5:
			r.structure(typ, func(id int16, typ byte) {
				v1.add(id)
				h.v1(r, id, typ)
			})
		case 7:
			r.structure(typ, func(id int16, typ byte) {
				dictionary.add(id)
				h.dictionary(r, id, typ)
			})
		case 8:
			r.structure(typ, func(id int16, typ byte) {
				v2.add(id)
				h.v2(r, id, typ)
			})
		default:
			r.skip(typ)
		}
	})
	switch {
	case r.err != nil:
		return h, 0, r.err
	case common&commonFields != commonFields || !h.Type.complete(v1, dictionary, v2):
		return h, 0, fmt.Errorf("%w: the header of a page of type %d lacks fields", ErrMalformed, h.Type)
	case h.Uncompressed < 0 || h.Compressed < 0 || h.Values < 0 || h.Rows < 0 || h.Nulls < 0 || h.DefBytes < 0 || h.RepBytes < 0:
		return h, 0, fmt.Errorf("%w: a page header has a negative count", ErrMalformed)
	}
	return h, r.at, nil
}

// complete says whether the fields of a page type's header are all there.
func (t PageType) complete(v1, dictionary, v2 fieldSet) bool {
	switch t {
	case DataPage:
		return v1&v1Fields == v1Fields
	case DictionaryPage:
		return dictionary&dictionaryFields == dictionaryFields
	case DataPageV2:
		return v2&v2Fields == v2Fields
	}
	return false
}

func (h *PageHeader) v1(r *reader, id int16, typ byte) {
	switch id {
	case 1:
		h.Values = r.i32(typ)
	case 2:
		h.Encoding = Encoding(r.i32(typ))
	case 3:
		h.DefEncoding = Encoding(r.i32(typ))
	case 4:
		h.RepEncoding = Encoding(r.i32(typ))
	case 5:
		h.Statistics = readStatistics(r, typ)
	default:
		r.skip(typ)
	}
}

func (h *PageHeader) dictionary(r *reader, id int16, typ byte) {
	switch id {
	case 1:
		h.Values = r.i32(typ)
	case 2:
		h.Encoding = Encoding(r.i32(typ))
	default:
		r.skip(typ)
	}
}

func (h *PageHeader) v2(r *reader, id int16, typ byte) {
	switch id {
	case 1:
		h.Values = r.i32(typ)
	case 2:
		h.Nulls = r.i32(typ)
	case 3:
		h.Rows = r.i32(typ)
	case 4:
		h.Encoding = Encoding(r.i32(typ))
	case 5:
		h.DefBytes = r.i32(typ)
	case 6:
		h.RepBytes = r.i32(typ)
	case 7:
		h.Stored = !r.flag(typ)
	case 8:
		h.Statistics = readStatistics(r, typ)
	default:
		r.skip(typ)
	}
}

// Append appends the header without statistics, which the page index has.
func (h *PageHeader) Append(b []byte) []byte {
	w := &writer{b: b}
	w.i32(1, int32(h.Type))
	w.i32(2, h.Uncompressed)
	w.i32(3, h.Compressed)
	if h.CRC.Set {
		w.i32(4, h.CRC.V)
	}
	switch h.Type {
	case DataPage:
		w.structure(5, func() {
			w.i32(1, h.Values)
			w.i32(2, int32(h.Encoding))
			w.i32(3, int32(RLE))
			w.i32(4, int32(RLE))
		})
	case DictionaryPage:
		w.structure(7, func() {
			w.i32(1, h.Values)
			w.i32(2, int32(h.Encoding))
		})
	case DataPageV2:
		w.structure(8, func() {
			w.i32(1, h.Values)
			w.i32(2, h.Nulls)
			w.i32(3, h.Rows)
			w.i32(4, int32(h.Encoding))
			w.i32(5, h.DefBytes)
			w.i32(6, h.RepBytes)
			w.flag(7, !h.Stored)
		})
	}
	return append(w.b, 0)
}
