package splice

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// store puts the values of slots into the open page and its bounds, and returns
// how long they are plain.
func (l *leafEncoder) store(src source, s slots) int64 {
	switch {
	case src.n32 != nil:
		values := picked(l, src.n32, s)
		rangeOf(&l.page, values)
		return storeWords(l, values, func(n int32) uint64 { return uint64(uint32(n)) })
	case src.n64 != nil:
		values := picked(l, src.n64, s)
		rangeOf(&l.page, values)
		return storeWords(l, values, func(n int64) uint64 { return uint64(n) })
	case src.f32 != nil:
		values := picked(l, src.f32, s)
		floatsOf(&l.page, values)
		return storeWords(l, values, func(f float32) uint64 { return uint64(math.Float32bits(f)) })
	case src.f64 != nil:
		values := picked(l, src.f64, s)
		floatsOf(&l.page, values)
		return storeWords(l, values, math.Float64bits)
	case src.flag != nil:
		return l.storeFlags(src.flag, s)
	}
	if src.texts != nil && s.at == nil && l.distinct == nil && l.filter == nil {
		return l.storeTexts(src.texts, s.from, s.count)
	}
	return l.storeBytes(src.bytes, s)
}

// picked are values at positions: where they are if they lie together, else
// copied.
func picked[T int32 | int64 | float32 | float64](l *leafEncoder, values []T, s slots) []T {
	if s.at == nil {
		return values[s.from:][:s.count]
	}
	if need := 8 * s.count; cap(l.keep) < need {
		l.keep = make([]byte, max(need, 8*blockEntries))
	}
	out := arrow.GetData[T](l.keep[:cap(l.keep)])[:s.count]
	for i, at := range s.at {
		out[i] = values[at]
	}
	return out
}

// storeWords stores values of four or eight bytes.
func storeWords[T int32 | int64 | float32 | float64](l *leafEncoder, values []T, bits func(T) uint64) int64 {
	raw := arrow.GetBytes(values)
	size := int64(len(raw))
	if d := l.distinct; d != nil {
		last, at := uint64(0), uint32(0)
		for i, n := range values {
			if v := bits(n); i == 0 || v != last {
				last, at = v, d.addWord(v)
			}
			l.b.indices = append(l.b.indices, at)
		}
		return size
	}
	l.b.plain = append(l.b.plain, raw...)
	if l.filter != nil {
		for width := l.col.width(); len(raw) > 0; raw = raw[width:] {
			l.filter.add(raw[:width])
		}
	}
	return size
}

func (l *leafEncoder) storeFlags(flag func(int) bool, s slots) int64 {
	for i := range s.count {
		b := byte(0)
		if flag(s.position(i)) {
			b = 1
		}
		l.b.plain = append(l.b.plain, b)
	}
	l.page.flags(l.b.plain[len(l.b.plain)-s.count:])
	return int64(s.count+7) / 8
}

// storeBytes stores values of other lengths.
func (l *leafEncoder) storeBytes(bytes func(int) []byte, s slots) int64 {
	size, prefix := 0, l.col.typ == format.ByteArray
	for i := range s.count {
		v := bytes(s.position(i))
		size += len(v)
		if l.distinct != nil {
			at := l.distinct.addBytes(v)
			if at != l.lastIndex || len(l.b.indices) == 0 {
				l.page.bytes(v, l.col)
			}
			l.lastIndex = at
			l.b.indices = append(l.b.indices, at)
			continue
		}
		l.page.bytes(v, l.col)
		if prefix {
			l.b.plain = binary.LittleEndian.AppendUint32(l.b.plain, uint32(len(v)))
		}
		l.b.plain = append(l.b.plain, v...)
		if l.filter != nil {
			l.filter.add(v)
		}
	}
	if prefix {
		size += 4 * s.count
	}
	return int64(size)
}
