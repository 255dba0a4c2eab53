package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrMalformed is the class of errors of metadata that cannot be read.
var ErrMalformed = errors.New("malformed parquet metadata")

// ErrShort means that the input ends too early; with more bytes it may be
// readable. It wraps ErrMalformed.
var ErrShort = fmt.Errorf("%w: it ends too early", ErrMalformed)

// The types of the compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeI8     = 3
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// maxDepth bounds how deep structs may nest.
const maxDepth = 32

// Opt is a field that may be absent.
type Opt[T any] struct {
	V   T
	Set bool
}

// Some is a field that is there.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// reader reads the compact protocol. After the first error it returns zeros.
type reader struct {
	b     []byte
	at    int
	depth int
	err   error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
		r.at = len(r.b)
	}
}

func (r *reader) expected(what string, typ byte) {
	r.fail(fmt.Errorf("%w: type %d where %s is expected", ErrMalformed, typ, what))
}

func (r *reader) byte() byte {
	if r.at >= len(r.b) {
		r.fail(ErrShort)
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b[r.at:])
	switch {
	case n == 0:
		r.fail(ErrShort)
		return 0
	case n < 0:
		r.fail(fmt.Errorf("%w: a number has more than 64 bits", ErrMalformed))
		return 0
	}
	r.at += n
	return v
}

func (r *reader) zigzag() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// length reads a length of items that take at least a byte each.
func (r *reader) length() int {
	n := r.uvarint()
	if n > uint64(len(r.b)-r.at) {
		r.fail(ErrShort)
		return 0
	}
	return int(n)
}

// fields calls read with every field of a struct; read consumes its value.
func (r *reader) fields(read func(id int16, typ byte)) {
	if r.depth++; r.depth > maxDepth {
		r.fail(fmt.Errorf("%w: structs nest too deep", ErrMalformed))
	}
	last := int16(0)
	for r.err == nil {
		head := r.byte()
		if head == 0 {
			break
		}
		if delta := int16(head >> 4); delta != 0 {
			last += delta
		} else {
			last = int16(r.zigzag())
		}
		read(last, head&15)
	}
	r.depth--
}

func (r *reader) structure(typ byte, read func(id int16, typ byte)) {
	if typ != typeStruct {
		r.expected("a struct", typ)
		return
	}
	r.fields(read)
}

// list calls read for every item.
func (r *reader) list(typ byte, reserve func(n int), read func(item byte)) {
	if typ != typeList && typ != typeSet {
		r.expected("a list", typ)
		return
	}
	head := r.byte()
	n := int(head >> 4)
	if n == 15 {
		n = r.length()
	} else if n > len(r.b)-r.at {
		r.fail(ErrShort)
		return
	}
	reserve(n)
	for i := 0; i < n && r.err == nil; i++ {
		read(head & 15)
	}
}

func (r *reader) i64(typ byte) int64 {
	switch typ {
	case typeI16, typeI32, typeI64:
		return r.zigzag()
	case typeI8:
		return int64(int8(r.byte()))
	}
	r.expected("a whole number", typ)
	return 0
}

func (r *reader) i32(typ byte) int32 {
	v := r.i64(typ)
	if v < math.MinInt32 || v > math.MaxInt32 {
		r.fail(fmt.Errorf("%w: %d does not fit 32 bits", ErrMalformed, v))
		return 0
	}
	return int32(v)
}

// flag reads a boolean field, whose value is its type.
func (r *reader) flag(typ byte) bool {
	if typ != typeTrue && typ != typeFalse {
		r.expected("a boolean", typ)
	}
	return typ == typeTrue
}

// flagItem reads a boolean of a list, which takes a byte.
func (r *reader) flagItem(typ byte) bool {
	if typ != typeTrue && typ != typeFalse {
		r.expected("a boolean", typ)
	}
	return r.byte() == typeTrue
}

// bytes reads a binary, which is never nil.
func (r *reader) bytes(typ byte) []byte {
	if typ != typeBinary {
		r.expected("bytes", typ)
		return nil
	}
	n := r.length()
	r.at += n
	return r.b[r.at-n : r.at : r.at]
}

// skip passes over a value of a field.
func (r *reader) skip(typ byte) {
	switch typ {
	case typeTrue, typeFalse:
	case typeI8:
		r.byte()
	case typeI16, typeI32, typeI64:
		r.uvarint()
	case typeDouble:
		r.pass(8)
	case typeBinary:
		r.bytes(typ)
	case typeList, typeSet:
		r.list(typ, func(int) {}, r.skipItem)
	case typeMap:
		r.skipMap()
	case typeStruct:
		r.fields(func(_ int16, typ byte) { r.skip(typ) })
	default:
		r.expected("a value", typ)
	}
}

func (r *reader) skipItem(typ byte) {
	if typ == typeTrue || typ == typeFalse {
		r.byte()
		return
	}
	r.skip(typ)
}

func (r *reader) skipMap() {
	n := r.length()
	if n == 0 {
		return
	}
	types := r.byte()
	for i := 0; i < n && r.err == nil; i++ {
		r.skipItem(types >> 4)
		r.skipItem(types & 15)
	}
}

func (r *reader) pass(n int) {
	if n > len(r.b)-r.at {
		r.fail(ErrShort)
		return
	}
	r.at += n
}
