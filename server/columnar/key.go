package columnar

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/server/nested"
)

// keyPart is a part of the key of a group.
type keyPart interface {
	// load looks at a batch.
	load(b *batch) error
	// append appends the bytes that stand for a row's value, and for no other.
	append(key []byte, row int) []byte
}

// keyParts are the parts of one expression of GROUP BY.
func (c compiler) keyParts(e sql.Expression) ([]keyPart, bool) {
	if leaf, ok := c.src.Leaf(e); ok {
		return c.leafParts(leaf), true
	}
	x, ok := c.compile(e)
	switch {
	case !ok || x.kind == opaque || x.form == mixed && x.kind != nothing:
		return nil, false
	case types.IsTextOnly(e.Type()) != (x.kind == text) && x.kind != nothing:
		return nil, false
	case x.kind == text && !isBytewise(e.Type()):
		return nil, false
	}
	return []keyPart{&valuePart{x: x}}, true
}

// leafParts takes a struct apart.
func (c compiler) leafParts(leaf Leaf) []keyPart {
	k, form := kindOf(leaf.Type)
	x := compiled{kind: k, form: form, eval: readLeaf(leaf, c.src.Zone)}
	st, ok := leaf.Type.(*iceberg.StructType)
	switch {
	case ok:
		parts := []keyPart{&valuePart{x: x}}
		for _, f := range st.FieldList {
			parts = append(parts, c.leafParts(Leaf{append(slices.Clone(leaf.Path), f.Name), f.Type})...)
		}
		return parts
	case k == opaque:
		return []keyPart{&shownPart{read: func(b *batch) (func(row int) any, error) { return c.cells(leaf, b) }}}
	}
	return []keyPart{&valuePart{x: x}}
}

// valuePart is a value of a known kind; of an opaque one, whether it is NULL.
type valuePart struct {
	x compiled
	v *vector
}

func (p *valuePart) load(b *batch) (err error) {
	p.v, err = p.x.eval(b)
	return err
}

func (p *valuePart) append(key []byte, row int) []byte {
	if p.v.isNull(row) {
		return append(key, 0)
	}
	key = append(key, 1)
	switch p.x.kind {
	case whole, moment:
		return binary.LittleEndian.AppendUint64(key, uint64(p.v.wholes[row]))
	case real:
		// -0.0 is 0.0 here.
		return binary.LittleEndian.AppendUint64(key, sameBits(p.v.reals[row]+0))
	case text:
		return appendText(key, p.v.texts[row])
	}
	return key
}

// shownPart is a value that is told by its text.
type shownPart struct {
	read  func(b *batch) (func(row int) any, error)
	cells func(row int) any
}

func (p *shownPart) load(b *batch) (err error) {
	p.cells, err = p.read(b)
	return err
}

func (p *shownPart) append(key []byte, row int) []byte {
	return appendText(key, fmt.Sprint(nested.WithoutSign(p.cells(row))))
}

func appendText(key []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(key, uint32(len(s))), s...)
}
