package splice

import (
	"fmt"
	"slices"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// node is a node of a file's schema.
type node struct {
	format.SchemaElement
	children []*node
	// leaf is the index of a leaf among the file's leaves, -1 of a group.
	leaf int
}

// maxSchemaDepth bounds how deep groups may nest.
const maxSchemaDepth = 64

// schemaTree builds the tree of a schema listed depth first.
func schemaTree(elements []format.SchemaElement) (root *node, leaves int, err error) {
	var build func(depth int) (*node, error)
	build = func(depth int) (*node, error) {
		if len(elements) == 0 || depth > maxSchemaDepth {
			return nil, fmt.Errorf("%w: its schema is not a tree", ErrUnfit)
		}
		n := &node{SchemaElement: elements[0], leaf: -1}
		elements = elements[1:]
		if n.Children < 0 || int(n.Children) > len(elements) {
			return nil, fmt.Errorf("%w: schema node %q has %d children", ErrUnfit, n.Name, n.Children)
		}
		for range n.Children {
			child, err := build(depth + 1)
			if err != nil {
				return nil, err
			}
			n.children = append(n.children, child)
		}
		if len(n.children) == 0 && depth > 0 {
			if !n.Type.Set {
				return nil, fmt.Errorf("%w: schema node %q is neither a group nor a leaf", ErrUnfit, n.Name)
			}
			n.leaf = leaves
			leaves++
		}
		return n, nil
	}
	root, err = build(0)
	if err == nil && len(elements) > 0 {
		err = fmt.Errorf("%w: its schema has nodes outside of the tree", ErrUnfit)
	}
	return root, leaves, err
}

// match finds the leaves of the target in a source: out[i] is the source's leaf
// for the target's leaf i, -1 if its top-level column is absent.
func match(target, source *node, valued []int, out []leaf) error {
	for _, want := range target.children {
		got, err := topLevel(source, want)
		switch {
		case err != nil:
			return err
		case got == nil && (want.Repetition != format.Optional || slices.Contains(valued, int(want.FieldID.V))):
			return fmt.Errorf("%w: it lacks column %q, which is not null then", ErrUnfit, want.Name)
		case got == nil:
			absent(want, out)
		default:
			if err := matchNode(want, got, nil, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// topLevel is the source's column with the id of want, nil if there is none.
func topLevel(source *node, want *node) (*node, error) {
	var found *node
	for _, n := range source.children {
		if !n.FieldID.Set {
			return nil, fmt.Errorf("%w: its column %q has no field id", ErrUnfit, n.Name)
		}
		if n.FieldID == want.FieldID {
			if found != nil {
				return nil, fmt.Errorf("%w: two columns have field id %d", ErrUnfit, n.FieldID.V)
			}
			found = n
		}
	}
	return found, nil
}

func absent(want *node, out []leaf) {
	if want.leaf >= 0 {
		out[want.leaf] = leaf{index: -1}
	}
	for _, child := range want.children {
		absent(child, out)
	}
}

// matchNode compares two nodes that stand for the same field; path is how nodes
// around them repeat.
func matchNode(want, got *node, path []repetitions, out []leaf) error {
	path = append(path[:len(path):len(path)], repetitions{want.Repetition, got.Repetition})
	switch {
	case want.Repetition != got.Repetition && (want.Repetition != format.Optional || got.Repetition != format.Required):
		return fmt.Errorf("%w: column %q may be null or repeated where the table's may not", ErrUnfit, want.Name)
	case (want.leaf < 0) != (got.leaf < 0):
		return fmt.Errorf("%w: column %q is nested in one schema only", ErrUnfit, want.Name)
	case kindOf(want) != kindOf(got):
		return fmt.Errorf("%w: column %q is of another type than the table's", ErrUnfit, want.Name)
	case want.leaf >= 0:
		out[want.leaf] = newLeaf(got.leaf, path)
		return nil
	}
	for i, child := range want.children {
		other, err := childOf(got, want, child, i)
		if err != nil {
			return err
		}
		if err := matchNode(child, other, path, out); err != nil {
			return err
		}
	}
	return nil
}

// childOf finds the node of got that stands for a child of want: by field id, or
// where the format gives none, as inside lists, maps and variants, by position.
func childOf(got, want, child *node, i int) (*node, error) {
	if child.FieldID.Set {
		for _, n := range got.children {
			if n.FieldID == child.FieldID {
				return n, nil
			}
		}
		return nil, fmt.Errorf("%w: column %q lacks field %q", ErrUnfit, want.Name, child.Name)
	}
	if len(got.children) != len(want.children) || got.children[i].FieldID.Set {
		return nil, fmt.Errorf("%w: column %q is nested in another way", ErrUnfit, want.Name)
	}
	if want.Logical.Kind == logicalVariant && got.children[i].Name != child.Name {
		return nil, fmt.Errorf("%w: column %q is a variant of other parts", ErrUnfit, want.Name)
	}
	return got.children[i], nil
}

const logicalVariant = 16

// kind is a node's type as far as its values' meaning and order depend on it.
type kind struct {
	typ     format.Type
	length  int32
	logical format.Logical
}

// The converted types, from which older writers' logical types are told.
const (
	convertedUTF8            = 0
	convertedMap             = 1
	convertedMapKeyValue     = 2
	convertedList            = 3
	convertedDecimal         = 5
	convertedDate            = 6
	convertedTimeMicros      = 8
	convertedTimestampMicros = 10
	convertedInt32           = 17
	convertedInt64           = 18
	unitMicros               = 2
)

// kindOf is a node's kind. A decimal's precision does not matter, nor do
// annotations that say what is so without them.
func kindOf(n *node) kind {
	k := kind{logical: n.Logical}
	if n.leaf >= 0 {
		k.typ = n.Type.V
		if k.typ == format.Fixed {
			k.length = n.TypeLength
		}
	}
	if k.logical.Kind == 0 && n.Converted.Set {
		k.logical = logicalOf(n.Converted.V, n.Scale)
	}
	switch {
	case k.logical.Kind == format.LogicalInteger && k.logical.Flag && (k.typ == format.Int32 && k.logical.Param == 32 || k.typ == format.Int64 && k.logical.Param == 64):
		k.logical = format.Logical{}
	case k.logical.Kind == format.LogicalMap && n.leaf < 0 && n.Repetition == format.Repeated:
		// MAP_KEY_VALUE, which says nothing.
		k.logical = format.Logical{}
	}
	return k
}

// logicalOf is the logical type that a converted type stands for. One that is
// not known here stands for a logical type of its own, so that it equals none.
func logicalOf(converted, scale int32) format.Logical {
	switch converted {
	case convertedUTF8:
		return format.Logical{Kind: format.LogicalString}
	case convertedMap, convertedMapKeyValue:
		return format.Logical{Kind: format.LogicalMap}
	case convertedList:
		return format.Logical{Kind: format.LogicalList}
	case convertedDecimal:
		return format.Logical{Kind: format.LogicalDecimal, Param: int64(scale)}
	case convertedDate:
		return format.Logical{Kind: format.LogicalDate}
	case convertedTimeMicros:
		return format.Logical{Kind: format.LogicalTime, Param: unitMicros, Flag: true}
	case convertedTimestampMicros:
		return format.Logical{Kind: format.LogicalTimestamp, Param: unitMicros, Flag: true}
	case convertedInt32, convertedInt64:
		return format.Logical{}
	}
	return format.Logical{Kind: -1, Param: int64(converted)}
}
