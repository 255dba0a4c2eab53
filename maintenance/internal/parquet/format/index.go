package format

// OffsetIndex says where the pages of a chunk are.
type OffsetIndex struct {
	Pages []PageLocation
	// Unencoded is the size of each page's byte arrays, nil if absent.
	Unencoded []int64
}

// PageLocation is a data page with its header.
type PageLocation struct {
	Offset   int64
	Size     int32
	FirstRow int64
}

// ColumnIndex has the bounds of a chunk's pages. Nulls and histograms are nil
// if absent.
type ColumnIndex struct {
	NullPages              []bool
	Min, Max               [][]byte
	Order                  BoundaryOrder
	Nulls                  []int64
	Repetition, Definition []int64
}

// BoundaryOrder is how the bounds of pages follow each other.
type BoundaryOrder int32

// The orders.
const (
	Unordered  BoundaryOrder = 0
	Ascending  BoundaryOrder = 1
	Descending BoundaryOrder = 2
)

// ReadOffsetIndex reads a chunk's offset index.
func ReadOffsetIndex(b []byte) (OffsetIndex, error) {
	r := &reader{b: b}
	var x OffsetIndex
	r.fields(func(id int16, typ byte) {
		switch id {
		case 1:
			r.list(typ, func(n int) { x.Pages = make([]PageLocation, 0, n) }, func(item byte) { x.Pages = append(x.Pages, readLocation(r, item)) })
		case 2:
			x.Unencoded = r.i64s(typ)
		default:
			r.skip(typ)
		}
	})
	return x, r.err
}

func readLocation(r *reader, item byte) (p PageLocation) {
	r.structure(item, func(id int16, typ byte) {
		switch id {
		case 1:
			p.Offset = r.i64(typ)
		case 2:
			p.Size = r.i32(typ)
		case 3:
			p.FirstRow = r.i64(typ)
		default:
			r.skip(typ)
		}
	})
	return p
}

// Append appends the index.
func (x *OffsetIndex) Append(b []byte) []byte {
	w := &writer{b: b}
	w.list(1, typeStruct, len(x.Pages))
	for _, p := range x.Pages {
		w.item(func() {
			w.i64(1, p.Offset)
			w.i32(2, p.Size)
			w.i64(3, p.FirstRow)
		})
	}
	if x.Unencoded != nil {
		w.i64s(2, x.Unencoded)
	}
	return append(w.b, 0)
}

// ReadColumnIndex reads a chunk's column index.
func ReadColumnIndex(b []byte) (ColumnIndex, error) {
	r := &reader{b: b}
	var x ColumnIndex
	r.fields(func(id int16, typ byte) {
		switch id {
		case 1:
			r.list(typ, func(int) {}, func(item byte) { x.NullPages = append(x.NullPages, r.flagItem(item)) })
		case 2:
			r.list(typ, func(int) {}, func(item byte) { x.Min = append(x.Min, r.bytes(item)) })
		case 3:
			r.list(typ, func(int) {}, func(item byte) { x.Max = append(x.Max, r.bytes(item)) })
		case 4:
			x.Order = BoundaryOrder(r.i32(typ))
		case 5:
			x.Nulls = r.i64s(typ)
		case 6:
			x.Repetition = r.i64s(typ)
		case 7:
			x.Definition = r.i64s(typ)
		default:
			r.skip(typ)
		}
	})
	return x, r.err
}

// Append appends the index.
func (x *ColumnIndex) Append(b []byte) []byte {
	w := &writer{b: b}
	w.list(1, typeTrue, len(x.NullPages))
	for _, null := range x.NullPages {
		if null {
			w.b = append(w.b, typeTrue)
		} else {
			w.b = append(w.b, typeFalse)
		}
	}
	for id, values := range [][][]byte{2: x.Min, 3: x.Max} {
		if id < 2 {
			continue
		}
		w.list(int16(id), typeBinary, len(values))
		for _, v := range values {
			w.binary(v)
		}
	}
	w.i32(4, int32(x.Order))
	if x.Nulls != nil {
		w.i64s(5, x.Nulls)
	}
	if x.Repetition != nil {
		w.i64s(6, x.Repetition)
	}
	if x.Definition != nil {
		w.i64s(7, x.Definition)
	}
	return append(w.b, 0)
}
