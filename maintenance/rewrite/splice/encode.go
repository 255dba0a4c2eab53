package splice

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
)

// ColumnEncoder encodes a top-level column of the target. Rows are appended,
// and Finish gives them as the column's chunks of one row group; what is
// appended then belongs to the next. Encoders of different columns share
// nothing, so that each may have a goroutine of its own.
type ColumnEncoder struct {
	field  int
	w      *Writer
	root   *node
	leaves []*leafEncoder
	walk   walker
	rows   int64
}

// NewColumnEncoder begins the chunks of the column at an index among the
// target's top-level columns. Pages are written to out as they are full, from
// all leaves of the column and for one row group after another; dictionaries,
// indexes and Bloom filters stay in memory until the Encoded is written. The
// error wraps ErrUnfit for types that are not encoded here.
func (t *Target) NewColumnEncoder(field int, out io.Writer) (*ColumnEncoder, error) {
	if field < 0 || field >= len(t.root.children) {
		return nil, fmt.Errorf("%w: there is no column %d of %d", ErrUnfit, field, len(t.root.children))
	}
	e := &ColumnEncoder{field: field, root: t.root.children[field], w: &Writer{target: t, out: out}}
	if err := encodable(e.root); err != nil {
		return nil, err
	}
	for _, c := range t.columns {
		if under(e.root, c.index) {
			e.leaves = append(e.leaves, newLeafEncoder(e.w, c))
		}
	}
	return e, nil
}

// under says whether a leaf is n or within it.
func under(n *node, leaf int) bool {
	if n.leaf >= 0 {
		return n.leaf == leaf
	}
	for _, child := range n.children {
		if under(child, leaf) {
			return true
		}
	}
	return false
}

// Append appends the rows of an array, which may be a slice of another. Its type
// must be that which the column's becomes by the model of the target: other
// widths, units or scales are refused with ErrUnfit. The array is not kept.
func (e *ColumnEncoder) Append(values arrow.Array) error {
	if err := e.append(values); err != nil {
		return fmt.Errorf("column %q: %w", e.root.Name, err)
	}
	e.rows += int64(values.Len())
	return nil
}

func (e *ColumnEncoder) append(values arrow.Array) error {
	if e.root.leaf < 0 {
		e.walk.leaves = e.leaves
		return e.walk.nested(e.root, values)
	}
	l := e.leaves[0]
	src, err := l.col.source(values)
	if err != nil {
		return err
	}
	s, err := e.walk.flat(l.col, values)
	if err != nil {
		return err
	}
	return l.append(s, src)
}

// Reset makes pages of the next chunks go to out, as if the encoder were new.
// What was appended since the last Finish is dropped.
func (e *ColumnEncoder) Reset(out io.Writer) {
	e.w.out, e.w.at, e.rows = out, 0, 0
	for _, l := range e.leaves {
		l.begin()
	}
}

// Rows is how many rows were appended since the last Finish.
func (e *ColumnEncoder) Rows() int64 { return e.rows }

// EncodedBytes is about how large the chunks would be if Finish were called now:
// finished pages as they are, values of open pages at the ratio of those.
func (e *ColumnEncoder) EncodedBytes() int64 {
	var n int64
	for _, l := range e.leaves {
		n += l.size()
	}
	return n
}

// Finish ends the chunks of a row group. All their pages are written then.
func (e *ColumnEncoder) Finish() (*Encoded, error) {
	out := &Encoded{field: e.field, rows: e.rows}
	for _, l := range e.leaves {
		c, err := l.finish()
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", l.col.name(), err)
		}
		out.chunks = append(out.chunks, c)
		if c.floats != nil {
			out.Floats = append(out.Floats, *c.floats)
		}
	}
	e.rows = 0
	return out, nil
}
