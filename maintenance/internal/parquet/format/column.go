package format

// ColumnChunk is parquet.thrift's ColumnChunk with its metadata.
type ColumnChunk struct {
	// Elsewhere says that the chunk is in another file or encrypted.
	Elsewhere                            bool
	FileOffset                           int64
	HasMeta                              bool
	Meta                                 ColumnMeta
	OffsetIndexOffset, OffsetIndexLength int64
	ColumnIndexOffset, ColumnIndexLength int64
}

// ColumnMeta is parquet.thrift's ColumnMetaData without key-value metadata and
// statistics of places on earth.
type ColumnMeta struct {
	Type                     Type
	Encodings                []Encoding
	Path                     []string
	Codec                    Codec
	NumValues                int64
	Uncompressed, Compressed int64
	DataPageOffset           int64
	DictionaryPageOffset     Opt[int64]
	Statistics               Statistics
	EncodingStats            []EncodingStat
	BloomOffset, BloomLength Opt[int64]
	Size                     Opt[SizeStatistics]
}

// EncodingStat is how many pages of a type have an encoding.
type EncodingStat struct {
	Page     PageType
	Encoding Encoding
	Count    int32
}

// Statistics are those of a chunk or page, without the ones that are deprecated
// and the count of distinct values. Min and Max are nil if absent.
type Statistics struct {
	NullCount          Opt[int64]
	Min, Max           []byte
	MinExact, MaxExact Opt[bool]
}

// SizeStatistics tell how much memory values take. Histograms are nil if
// absent.
type SizeStatistics struct {
	Unencoded              Opt[int64]
	Repetition, Definition []int64
}

func readChunk(r *reader, item byte) (c ColumnChunk) {
	r.structure(item, func(id int16, typ byte) {
		switch id {
		case 1, 8, 9:
			c.Elsewhere = true
			r.skip(typ)
		case 2:
			c.FileOffset = r.i64(typ)
		case 3:
			c.HasMeta = true
			r.structure(typ, func(id int16, typ byte) { c.Meta.field(r, id, typ) })
		case 4:
			c.OffsetIndexOffset = r.i64(typ)
		case 5:
			c.OffsetIndexLength = r.i64(typ)
		case 6:
			c.ColumnIndexOffset = r.i64(typ)
		case 7:
			c.ColumnIndexLength = r.i64(typ)
		default:
			r.skip(typ)
		}
	})
	return c
}

func (m *ColumnMeta) field(r *reader, id int16, typ byte) {
	switch id {
	case 1:
		m.Type = Type(r.i32(typ))
	case 2:
		r.list(typ, func(int) {}, func(item byte) { m.Encodings = append(m.Encodings, Encoding(r.i32(item))) })
	case 3:
		r.list(typ, func(int) {}, func(item byte) { m.Path = append(m.Path, string(r.bytes(item))) })
	case 4:
		m.Codec = Codec(r.i32(typ))
	case 5:
		m.NumValues = r.i64(typ)
	case 6:
		m.Uncompressed = r.i64(typ)
	case 7:
		m.Compressed = r.i64(typ)
	case 9:
		m.DataPageOffset = r.i64(typ)
	case 11:
		m.DictionaryPageOffset = Some(r.i64(typ))
	case 12:
		m.Statistics = readStatistics(r, typ)
	case 13:
		r.list(typ, func(int) {}, func(item byte) { m.EncodingStats = append(m.EncodingStats, readEncodingStat(r, item)) })
	case 14:
		m.BloomOffset = Some(r.i64(typ))
	case 15:
		m.BloomLength = Some(r.i64(typ))
	case 16:
		m.Size = Some(readSize(r, typ))
	default:
		r.skip(typ)
	}
}

func readStatistics(r *reader, typ byte) (s Statistics) {
	r.structure(typ, func(id int16, typ byte) {
		switch id {
		case 3:
			s.NullCount = Some(r.i64(typ))
		case 5:
			s.Max = r.bytes(typ)
		case 6:
			s.Min = r.bytes(typ)
		case 7:
			s.MaxExact = Some(r.flag(typ))
		case 8:
			s.MinExact = Some(r.flag(typ))
		default:
			r.skip(typ)
		}
	})
	return s
}

func readEncodingStat(r *reader, item byte) (s EncodingStat) {
	r.structure(item, func(id int16, typ byte) {
		switch id {
		case 1:
			s.Page = PageType(r.i32(typ))
		case 2:
			s.Encoding = Encoding(r.i32(typ))
		case 3:
			s.Count = r.i32(typ)
		default:
			r.skip(typ)
		}
	})
	return s
}

func readSize(r *reader, typ byte) (s SizeStatistics) {
	r.structure(typ, func(id int16, typ byte) {
		switch id {
		case 1:
			s.Unencoded = Some(r.i64(typ))
		case 2:
			s.Repetition = r.i64s(typ)
		case 3:
			s.Definition = r.i64s(typ)
		default:
			r.skip(typ)
		}
	})
	return s
}

// i64s reads a list of whole numbers, never nil.
func (r *reader) i64s(typ byte) []int64 {
	out := []int64{}
	r.list(typ, func(n int) { out = make([]int64, 0, n) }, func(item byte) { out = append(out, r.i64(item)) })
	return out
}

func (c *ColumnChunk) write(w *writer) {
	w.i64(2, c.FileOffset)
	w.structure(3, func() { c.Meta.write(w) })
	if c.OffsetIndexLength > 0 {
		w.i64(4, c.OffsetIndexOffset)
		w.i32(5, int32(c.OffsetIndexLength))
	}
	if c.ColumnIndexLength > 0 {
		w.i64(6, c.ColumnIndexOffset)
		w.i32(7, int32(c.ColumnIndexLength))
	}
}

func (m *ColumnMeta) write(w *writer) {
	w.i32(1, int32(m.Type))
	w.list(2, typeI32, len(m.Encodings))
	for _, e := range m.Encodings {
		w.zigzag(int64(e))
	}
	w.list(3, typeBinary, len(m.Path))
	for _, name := range m.Path {
		w.binary([]byte(name))
	}
	w.i32(4, int32(m.Codec))
	w.i64(5, m.NumValues)
	w.i64(6, m.Uncompressed)
	w.i64(7, m.Compressed)
	w.i64(9, m.DataPageOffset)
	w.optI64(11, m.DictionaryPageOffset)
	w.structure(12, func() { m.Statistics.write(w) })
	w.list(13, typeStruct, len(m.EncodingStats))
	for _, s := range m.EncodingStats {
		w.item(func() {
			w.i32(1, int32(s.Page))
			w.i32(2, int32(s.Encoding))
			w.i32(3, s.Count)
		})
	}
	w.optI64(14, m.BloomOffset)
	if m.BloomLength.Set {
		w.i32(15, int32(m.BloomLength.V))
	}
	if m.Size.Set {
		w.structure(16, func() { m.Size.V.write(w) })
	}
}

func (s *Statistics) write(w *writer) {
	w.optI64(3, s.NullCount)
	if s.Min == nil || s.Max == nil {
		return
	}
	w.bytes(5, s.Max)
	w.bytes(6, s.Min)
	w.optFlag(7, s.MaxExact)
	w.optFlag(8, s.MinExact)
}

func (s *SizeStatistics) write(w *writer) {
	w.optI64(1, s.Unencoded)
	if s.Repetition != nil {
		w.i64s(2, s.Repetition)
	}
	if s.Definition != nil {
		w.i64s(3, s.Definition)
	}
}

// Start is where the chunk's first page begins, that of its dictionary if it
// has one.
func (m *ColumnMeta) Start() int64 {
	if d := m.DictionaryPageOffset; d.Set && d.V > 0 && d.V < m.DataPageOffset {
		return d.V
	}
	return m.DataPageOffset
}
