package splice

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// encodable refuses columns whose parts have no certain counterpart in an array.
func encodable(n *node) error {
	unfit := fmt.Errorf("%w: column %q is nested in a way that is not encoded here", ErrUnfit, n.Name)
	if n.Repetition == format.Repeated {
		return unfit
	}
	children := n.children
	switch kind := kindOf(n).logical.Kind; {
	case n.leaf >= 0 && n.Type.V == format.Int96:
		return unfit
	case n.leaf >= 0:
		return nil
	case kind == format.LogicalList || kind == format.LogicalMap:
		most := 1
		if kind == format.LogicalMap {
			most = 2
		}
		if len(children) != 1 || children[0].leaf >= 0 || children[0].Repetition != format.Repeated || len(children[0].children) != most {
			return unfit
		}
		children = children[0].children
	case kind != 0 && kind != logicalVariant:
		return unfit
	}
	for _, child := range children {
		if err := encodable(child); err != nil {
			return err
		}
	}
	return nil
}

// cells are the entries of a node: levels, and where each is in the node's
// array, -1 if it is absent.
type cells struct {
	rep, def []uint8
	at       []int32
}

func (c *cells) reset() { c.rep, c.def, c.at = c.rep[:0], c.def[:0], c.at[:0] }

func (c *cells) add(rep, def uint8, at int32) {
	c.rep, c.def, c.at = append(c.rep, rep), append(c.def, def), append(c.at, at)
}

// walker finds the slots of arrays and keeps their buffers.
type walker struct {
	// leaves are encoders in their order.
	leaves []*leafEncoder
	def    []uint8
	at     []int32
	// depths are the cells of the nodes above the one being walked, and its own.
	depths []*cells
}

// cells are those at a depth, empty.
func (w *walker) cells(depth int) *cells {
	for len(w.depths) <= depth {
		w.depths = append(w.depths, &cells{})
	}
	w.depths[depth].reset()
	return w.depths[depth]
}

// nested appends the rows of a nested column.
func (w *walker) nested(n *node, a arrow.Array) error {
	rows := w.cells(0)
	for i := range a.Len() {
		rows.add(0, 0, int32(i))
	}
	return w.node(n, a, rows, 1, 0)
}

// node walks the cells of a node and those inside. Depth is where cells may be
// made, rep how often nodes around it repeat.
func (w *walker) node(n *node, a arrow.Array, in *cells, depth int, rep uint8) error {
	if a = plainArray(a); a.Len() > math.MaxInt32 {
		return fmt.Errorf("%w: %d values at once", ErrUnfit, a.Len())
	}
	in, err := w.present(n, a, in, depth)
	if err != nil {
		return err
	}
	if n.leaf >= 0 {
		return w.leaf(a, in)
	}
	switch kindOf(n).logical.Kind {
	case format.LogicalList:
		list, ok := a.(array.ListLike)
		if _, entries := a.(*array.Map); !ok || entries {
			return mismatch(n, a)
		}
		out := w.elements(list, in, depth+1, rep+1)
		return w.node(n.children[0].children[0], list.ListValues(), out, depth+2, rep+1)
	case format.LogicalMap:
		entries, ok := a.(*array.Map)
		if !ok {
			return mismatch(n, a)
		}
		return w.fields(n.children[0], entries.ListValues(), w.elements(entries, in, depth+1, rep+1), depth+2, rep+1)
	}
	return w.fields(n, a, in, depth+1, rep)
}

func mismatch(n *node, a arrow.Array) error {
	return fmt.Errorf("%w: values of type %s are not of the type of %q", ErrUnfit, a.DataType(), n.Name)
}

// fields walks those of a struct, or the keys and values of a map. Names inside
// a map are the library's.
func (w *walker) fields(n *node, a arrow.Array, in *cells, depth int, rep uint8) error {
	s, ok := a.(*array.Struct)
	if !ok || s.NumField() != len(n.children) {
		return mismatch(n, a)
	}
	for i, child := range n.children {
		if n.Repetition != format.Repeated && s.DataType().(*arrow.StructType).Field(i).Name != child.Name {
			return mismatch(n, a)
		}
		if err := w.node(child, s.Field(i), in, depth, rep); err != nil {
			return err
		}
	}
	return nil
}

// present makes the cells of a node that may be null out of those around it.
func (w *walker) present(n *node, a arrow.Array, in *cells, depth int) (*cells, error) {
	optional, nulls := n.Repetition == format.Optional, a.NullN() > 0
	if !optional && !nulls {
		return in, nil
	}
	out := w.cells(depth)
	for i, at := range in.at {
		def := in.def[i]
		switch {
		case at < 0:
		case nulls && a.IsNull(int(at)):
			if !optional {
				return nil, fmt.Errorf("%w: %q is null, which it may not be", ErrUnfit, n.Name)
			}
			at = -1
		case optional:
			def++
		}
		out.add(in.rep[i], def, at)
	}
	return out, nil
}

// elements makes the cells of the elements of lists.
func (w *walker) elements(list array.ListLike, in *cells, depth int, rep uint8) *cells {
	out := w.cells(depth)
	for i, at := range in.at {
		if at < 0 {
			out.add(in.rep[i], in.def[i], -1)
			continue
		}
		from, to := list.ValueOffsets(int(at))
		if from >= to {
			out.add(in.rep[i], in.def[i], -1)
			continue
		}
		out.add(in.rep[i], in.def[i]+1, int32(from))
		for j := from + 1; j < to; j++ {
			out.add(rep, in.def[i]+1, int32(j))
		}
	}
	return out
}

// leaf appends the cells of a leaf to its encoder.
func (w *walker) leaf(a arrow.Array, in *cells) error {
	l := w.leaves[0]
	w.leaves = w.leaves[1:]
	src, err := l.col.source(a)
	if err != nil {
		return fmt.Errorf("%q: %w", l.col.name(), err)
	}
	s := slots{n: len(in.at)}
	if l.col.maxRep > 0 {
		s.rep = in.rep
	}
	w.at = w.at[:0]
	for _, at := range in.at {
		if at >= 0 {
			w.at = append(w.at, at)
		}
	}
	if s.count = len(w.at); s.count < s.n {
		s.def = in.def
	}
	s.at = w.at
	return l.append(s, src)
}
