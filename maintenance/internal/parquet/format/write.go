package format

import "encoding/binary"

// writer appends the compact protocol to b.
type writer struct {
	b    []byte
	last int16
}

func (w *writer) head(id int16, typ byte) {
	if delta := id - w.last; delta > 0 && delta <= 15 {
		w.b = append(w.b, byte(delta)<<4|typ)
	} else {
		w.b = append(w.b, typ)
		w.zigzag(int64(id))
	}
	w.last = id
}

func (w *writer) uvarint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }

func (w *writer) zigzag(v int64) { w.uvarint(uint64(v<<1) ^ uint64(v>>63)) }

func (w *writer) i32(id int16, v int32) {
	w.head(id, typeI32)
	w.zigzag(int64(v))
}

func (w *writer) i64(id int16, v int64) {
	w.head(id, typeI64)
	w.zigzag(v)
}

func (w *writer) flag(id int16, v bool) {
	if v {
		w.head(id, typeTrue)
	} else {
		w.head(id, typeFalse)
	}
}

func (w *writer) binary(v []byte) {
	w.uvarint(uint64(len(v)))
	w.b = append(w.b, v...)
}

func (w *writer) bytes(id int16, v []byte) {
	w.head(id, typeBinary)
	w.binary(v)
}

// raw writes a field's value as it was read.
func (w *writer) raw(id int16, typ byte, v []byte) {
	w.head(id, typ)
	w.b = append(w.b, v...)
}

func (w *writer) structure(id int16, fields func()) {
	w.head(id, typeStruct)
	w.item(fields)
}

// item writes a struct without a field's head, as lists hold it.
func (w *writer) item(fields func()) {
	outer := w.last
	w.last = 0
	fields()
	w.b = append(w.b, 0)
	w.last = outer
}

func (w *writer) list(id int16, typ byte, n int) {
	w.head(id, typeList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|typ)
		return
	}
	w.b = append(w.b, 0xf0|typ)
	w.uvarint(uint64(n))
}

func (w *writer) i64s(id int16, values []int64) {
	w.list(id, typeI64, len(values))
	for _, v := range values {
		w.zigzag(v)
	}
}

func (w *writer) optI64(id int16, v Opt[int64]) {
	if v.Set {
		w.i64(id, v.V)
	}
}

func (w *writer) optFlag(id int16, v Opt[bool]) {
	if v.Set {
		w.flag(id, v.V)
	}
}
