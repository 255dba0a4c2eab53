package splice

import (
	"math/bits"

	"github.com/firndb/firn/maintenance/internal/parquet/format"
)

// leaf is a source's leaf that stands for one of the target's.
type leaf struct {
	// index is its place among the source's leaves, -1 if it is absent.
	index int
	// maxDef is the source's greatest definition level.
	maxDef uint8
	// raised translates definition levels: a node that is required in the source
	// may be optional in the target. It is nil if all are the same.
	raised []uint8
}

func (l leaf) defWidth() int { return bits.Len8(l.maxDef) }

// repetitions is how often a node may occur in the target and in a source.
type repetitions struct{ target, source format.Repetition }

// newLeaf is the leaf at the end of a path. A definition level is how many of
// the nodes that are not required are there.
func newLeaf(index int, path []repetitions) leaf {
	l := leaf{index: index}
	same := true
	// before is how many nodes on the way to each of the source's that may be
	// absent may be so in the target.
	var before []uint8
	def := uint8(0)
	for _, r := range path {
		if r.source != format.Required {
			before = append(before, def)
		}
		if r.target != format.Required {
			def++
		}
		same = same && r.source == r.target
	}
	l.maxDef = uint8(len(before))
	if !same {
		l.raised = append(before, def)
	}
	return l
}

// raise translates definition levels into those of the target; a leaf that had
// none gets n of the greatest.
func (l leaf) raise(levels []uint8, n int) []uint8 {
	if l.raised == nil {
		return levels
	}
	if l.maxDef == 0 {
		for range n {
			levels = append(levels, l.raised[0])
		}
		return levels
	}
	for i, level := range levels {
		levels[i] = l.raised[level]
	}
	return levels
}
