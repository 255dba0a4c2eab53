package splice

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// textRun is strings or binaries that lie one after another. One of its offsets
// is set: where each value begins and the last ends.
type textRun struct {
	short []int32
	long  []int64
	data  []byte
}

// texts are the values of strings or binaries.
func texts(id arrow.Type, data arrow.ArrayData) *textRun {
	t := &textRun{data: buffer(data, 2)}
	if id == arrow.LARGE_STRING || id == arrow.LARGE_BINARY {
		t.long = offsets[int64](data)
	} else {
		t.short = offsets[int32](data)
	}
	return t
}

func offsets[T int32 | int64](data arrow.ArrayData) []T {
	if data.Len() == 0 {
		return make([]T, 1)
	}
	return arrow.GetData[T](buffer(data, 1))[data.Offset():][:data.Len()+1]
}

func (t *textRun) value(i int) []byte {
	if t.long != nil {
		return t.data[t.long[i]:t.long[i+1]]
	}
	return t.data[t.short[i]:t.short[i+1]]
}

// fitting is how many of n values, but at least one, fit into so many bytes
// where only the last may go beyond.
func (t *textRun) fitting(from, n int, room int64) int {
	if t.long != nil {
		return fitting(t.long[from:from+n+1], room)
	}
	return fitting(t.short[from:from+n+1], room)
}

func fitting[T int32 | int64](offsets []T, room int64) int {
	n := len(offsets) - 1
	if plainBytes(offsets) < room {
		return n
	}
	for k := 1; k < n; k++ {
		if plainBytes(offsets[:k+1]) >= room {
			return k
		}
	}
	return n
}

// plainBytes is how long values are, plain.
func plainBytes[T int32 | int64](offsets []T) int64 {
	n := len(offsets) - 1
	return int64(offsets[n]-offsets[0]) + 4*int64(n)
}

// storeTexts puts values plain into the open page and its bounds.
func (l *leafEncoder) storeTexts(t *textRun, from, n int) int64 {
	if t.long != nil {
		return storeRun(l, t.long[from:from+n+1], t.data)
	}
	return storeRun(l, t.short[from:from+n+1], t.data)
}

func storeRun[T int32 | int64](l *leafEncoder, offsets []T, data []byte) int64 {
	size := plainBytes(offsets)
	at := len(l.b.plain)
	dst := slices.Grow(l.b.plain, int(size))[:at+int(size)]
	x, unsigned := &l.page, l.col.kind.logical.Kind != format.LogicalDecimal
	for i, from := range offsets[:len(offsets)-1] {
		v := data[from:offsets[i+1]]
		// Most values are seen to be between the bounds by how they begin.
		if !unsigned || len(v) < 8 || !x.some {
			x.bytes(v, l.col)
		} else if p := binary.BigEndian.Uint64(v); p <= x.minP || p >= x.maxP {
			x.bytes(v, l.col)
		}
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(v)))
		at += 4 + copy(dst[at+4:], v)
	}
	l.b.plain = dst
	return size
}
