package rewrite

import (
	"strings"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/sortorder"
)

// Strategy is how the rows of new files are put in order.
type Strategy string

// The strategies: in the order of the old files, by columns, or along a curve
// through several columns.
const (
	BinPack Strategy = "binpack"
	Sort    Strategy = "sort"
	ZOrder  Strategy = "zorder"
	Hilbert Strategy = "hilbert"
)

// ordered says whether the strategy puts rows in an order of its own.
func (s Strategy) ordered() bool { return s == Sort || s == ZOrder || s == Hilbert }

// Ordered finds the columns of an order in a table, and the strategy for it. An
// order of nothing is the table's own. The error wraps maintenance.ErrInvalid.
func Ordered(order sortorder.Order, tbl *table.Table) (Strategy, sortorder.Bound, error) {
	if order.Curve == sortorder.None && len(order.Fields) == 0 {
		bound, err := sortorder.Table(tbl.Metadata(), strings.Join(tbl.Identifier(), "."))
		return Sort, bound, err
	}
	bound, err := order.Bind(tbl.Metadata())
	switch order.Curve {
	case sortorder.ZOrder:
		return ZOrder, bound, err
	case sortorder.Hilbert:
		return Hilbert, bound, err
	}
	return Sort, bound, err
}

// keys are the options that a strategy knows besides those of all.
func (s Strategy) keys() []string {
	switch s {
	case Sort, Hilbert:
		return []string{OptionCompressionFactor, OptionShufflePartitions}
	case ZOrder:
		return []string{OptionCompressionFactor, OptionShufflePartitions, OptionVarLength, OptionMaxOutputSize}
	}
	return []string{OptionDecodeAll, OptionCopyRowGroups}
}

const (
	defaultVarLength     = 8
	defaultMaxOutputSize = 1<<31 - 1
)

// SortOptions are those of strategies that put rows in order.
type SortOptions struct {
	// CompressionFactor is how much larger new files are expected to be than the
	// old ones, from which follows how many there will be.
	CompressionFactor float64
	// ShufflePartitions is how many parts Spark sorts for each file; the files are
	// the same with any.
	ShufflePartitions int32
	// VarLength is how many bytes of a string or binary value count in a Z-order,
	// and MaxOutputSize how many bytes of a row's place on the curve.
	VarLength, MaxOutputSize int32
}

func (p *optionParser) sortOptions() SortOptions {
	o := SortOptions{
		CompressionFactor: p.double(OptionCompressionFactor, 1),
		ShufflePartitions: p.integer(OptionShufflePartitions, 1),
		VarLength:         p.integer(OptionVarLength, defaultVarLength),
		MaxOutputSize:     p.integer(OptionMaxOutputSize, defaultMaxOutputSize),
	}
	switch {
	case !(o.CompressionFactor > 0):
		p.fail("option %q is %v but must be > 0", OptionCompressionFactor, o.CompressionFactor)
	case o.ShufflePartitions <= 0:
		p.fail("option %q is %d but must be > 0", OptionShufflePartitions, o.ShufflePartitions)
	case o.VarLength <= 0:
		p.fail("option %q is %d but must be > 0: strings need at least a byte", OptionVarLength, o.VarLength)
	case o.VarLength > maxVarLength:
		p.fail("option %q is %d but must be <= %d", OptionVarLength, o.VarLength, maxVarLength)
	case o.MaxOutputSize <= 0:
		p.fail("option %q is %d but must be > 0: a place on the curve needs at least a byte", OptionMaxOutputSize, o.MaxOutputSize)
	}
	return o
}

// maxVarLength bounds the memory that keys take.
const maxVarLength = 1 << 12
