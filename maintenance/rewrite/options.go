package rewrite

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// The keys of the options, as Spark has them.
const (
	OptionTargetFileSize    = "target-file-size-bytes"
	OptionMinFileSize       = "min-file-size-bytes"
	OptionMaxFileSize       = "max-file-size-bytes"
	OptionMinInputFiles     = "min-input-files"
	OptionRewriteAll        = "rewrite-all"
	OptionMaxGroupSize      = "max-file-group-size-bytes"
	OptionMaxGroupFiles     = "max-file-group-input-files"
	OptionDeleteFiles       = "delete-file-threshold"
	OptionDeleteRatio       = "delete-ratio-threshold"
	OptionJobOrder          = "rewrite-job-order"
	OptionMaxFiles          = "max-files-to-rewrite"
	OptionOutputSpec        = "output-spec-id"
	OptionConcurrentGroups  = "max-concurrent-file-group-rewrites"
	OptionPartialProgress   = "partial-progress.enabled"
	OptionMaxCommits        = "partial-progress.max-commits"
	OptionMaxFailedCommits  = "partial-progress.max-failed-commits"
	OptionStartingSequence  = "use-starting-sequence-number"
	OptionRemoveDangling    = "remove-dangling-deletes"
	OptionCompressionFactor = "compression-factor"
	OptionShufflePartitions = "shuffle-partitions-per-file"
	OptionVarLength         = "var-length-contribution"
	OptionMaxOutputSize     = "max-output-size"
	// OptionDecodeAll and OptionCopyRowGroups are Firn's own.
	OptionDecodeAll          = "decode-all"
	OptionCopyRowGroups      = "copy-row-group-size-bytes"
	defaultCopyRowGroups     = 16 << 20
	defaultTargetFileSize    = 512 << 20
	defaultMaxGroupSize      = 100 << 30
	defaultMinInputFiles     = 5
	defaultDeleteRatio       = 0.3
	defaultConcurrentGroups  = 5
	defaultMaxCommits        = 10
	splitOverhead            = 5 << 10
	minFileSizeDefaultFactor = 0.75
	maxFileSizeDefaultFactor = 1.80
)

// Options steer a rewrite. Sizes are bytes.
type Options struct {
	TargetFileSize, MinFileSize, MaxFileSize int64
	// MinInputFiles is how many files make a group worth rewriting.
	MinInputFiles int32
	// RewriteAll takes every file, whatever its size.
	RewriteAll bool
	// MaxGroupSize and MaxGroupFiles bound a group.
	MaxGroupSize, MaxGroupFiles int64
	// DeleteFiles is how many delete files, and DeleteRatio which share of
	// deleted rows, select a file by themselves.
	DeleteFiles int32
	DeleteRatio float64
	JobOrder    JobOrder
	// MaxFiles bounds the files rewritten; 0 means no bound.
	MaxFiles int32
	// OutputSpec is the partition spec of the new files.
	OutputSpec int
	// ConcurrentGroups is how many groups are rewritten at once.
	ConcurrentGroups int32
	// PartialProgress commits in at most MaxCommits batches, of which
	// MaxFailedCommits may fail.
	PartialProgress              bool
	MaxCommits, MaxFailedCommits int32
	// StartingSequence gives new files the data sequence number of the snapshot
	// that was planned on.
	StartingSequence bool
	// RemoveDangling removes delete files that apply to no data file, in a
	// commit of its own at the end.
	RemoveDangling bool
	// Strategy is how the rows of new files are put in order.
	Strategy Strategy
	SortOptions
	// DecodeAll decodes and encodes all rows anew; else pages move as they are
	// where the format allows. Row groups of CopyRowGroups or more bytes then stay
	// row groups; smaller ones are merged.
	DecodeAll     bool
	CopyRowGroups int64
	// Format is that of new files, as the table has it; it may be one that cannot be
	// written.
	Format iceberg.FileFormat
}

// JobOrder is the order in which groups are rewritten.
type JobOrder string

// The job orders; "none" is the order of planning.
const (
	OrderNone      JobOrder = "none"
	OrderBytesAsc  JobOrder = "bytes-asc"
	OrderBytesDesc JobOrder = "bytes-desc"
	OrderFilesAsc  JobOrder = "files-asc"
	OrderFilesDesc JobOrder = "files-desc"
)

// ParseOptions reads the options of a call with strategy BinPack for a table: their keys are
// case-sensitive, unknown ones are refused, and absent ones take Spark's
// defaults or the table's properties. The error wraps maintenance.ErrInvalid.
func ParseOptions(values map[string]string, meta table.Metadata) (Options, error) {
	return BinPack.ParseOptions(values, meta)
}

// ParseOptions reads the options of a call with that strategy, as the function
// does for BinPack.
func (s Strategy) ParseOptions(values map[string]string, meta table.Metadata) (Options, error) {
	p := &optionParser{values: values}
	p.checkKeys("strategy "+string(s), OptionKeys(s))
	target := p.long(OptionTargetFileSize, p.property(meta, table.WriteTargetFileSizeBytesKey, defaultTargetFileSize))
	o := p.grouping(target)
	o.DeleteFiles = p.integer(OptionDeleteFiles, math.MaxInt32)
	o.DeleteRatio = p.double(OptionDeleteRatio, defaultDeleteRatio)
	o.MaxFiles = p.integer(OptionMaxFiles, 0)
	o.OutputSpec = int(p.integer(OptionOutputSpec, int32(meta.DefaultPartitionSpec())))
	o.StartingSequence = p.boolean(OptionStartingSequence, true)
	o.RemoveDangling = p.boolean(OptionRemoveDangling, false)
	o.Strategy = s
	o.SortOptions = p.sortOptions()
	o.DecodeAll = p.boolean(OptionDecodeAll, false)
	o.CopyRowGroups = p.long(OptionCopyRowGroups, defaultCopyRowGroups)
	o.MaxFailedCommits = p.integer(OptionMaxFailedCommits, o.MaxCommits)
	o.Format = dataFormat(meta.Properties())
	p.checkSizes(o)
	p.checkRest(o, meta)
	return o, p.err
}

// grouping reads the options that all rewrites have: which files form groups, and how
// these are rewritten and committed.
func (p *optionParser) grouping(target int64) Options {
	return Options{
		TargetFileSize:   target,
		MinFileSize:      p.long(OptionMinFileSize, int64(float64(target)*minFileSizeDefaultFactor)),
		MaxFileSize:      p.long(OptionMaxFileSize, int64(float64(target)*maxFileSizeDefaultFactor)),
		MinInputFiles:    p.integer(OptionMinInputFiles, defaultMinInputFiles),
		RewriteAll:       p.boolean(OptionRewriteAll, false),
		MaxGroupSize:     p.long(OptionMaxGroupSize, defaultMaxGroupSize),
		MaxGroupFiles:    p.long(OptionMaxGroupFiles, math.MaxInt64),
		JobOrder:         p.jobOrder(),
		ConcurrentGroups: p.integer(OptionConcurrentGroups, defaultConcurrentGroups),
		PartialProgress:  p.boolean(OptionPartialProgress, false),
		MaxCommits:       p.integer(OptionMaxCommits, defaultMaxCommits),
	}
}

// optionParser reads options and keeps the first error.
type optionParser struct {
	values map[string]string
	err    error
}

func (p *optionParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: "+format, append([]any{maintenance.ErrInvalid}, args...)...)
	}
}

// checkKeys refuses options other than those known, naming all of them.
func (p *optionParser) checkKeys(by string, known []string) {
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(p.values)) {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		p.fail("options [%s] are not supported by %s; allowed are %s", strings.Join(unknown, ", "), by, strings.Join(known, ", "))
	}
}

// OptionKeys lists the options that a strategy knows.
func OptionKeys(strategy Strategy) []string {
	return append([]string{
		OptionTargetFileSize, OptionMinFileSize, OptionMaxFileSize, OptionMinInputFiles, OptionRewriteAll,
		OptionMaxGroupSize, OptionMaxGroupFiles, OptionDeleteFiles, OptionDeleteRatio, OptionJobOrder,
		OptionMaxFiles, OptionOutputSpec, OptionConcurrentGroups, OptionPartialProgress, OptionMaxCommits,
		OptionMaxFailedCommits, OptionStartingSequence, OptionRemoveDangling,
	}, strategy.keys()...)
}

func (p *optionParser) property(meta table.Metadata, key string, otherwise int64) int64 {
	text, ok := meta.Properties()[key]
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.fail("table property %q must be a whole number: got %q", key, text)
	}
	return n
}

func (p *optionParser) long(key string, otherwise int64) int64 {
	return p.whole(key, otherwise, 64)
}

func (p *optionParser) integer(key string, otherwise int32) int32 {
	return int32(p.whole(key, int64(otherwise), 32))
}

func (p *optionParser) whole(key string, otherwise int64, bits int) int64 {
	text, ok := p.values[key]
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		p.fail("option %q must be a whole number of %d bits: got %q", key, bits, text)
	}
	return n
}

func (p *optionParser) double(key string, otherwise float64) float64 {
	text, ok := p.values[key]
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		p.fail("option %q must be a number: got %q", key, text)
	}
	return n
}

// boolean is true only for "true" in any case, as in Java.
func (p *optionParser) boolean(key string, otherwise bool) bool {
	text, ok := p.values[key]
	if !ok {
		return otherwise
	}
	return strings.EqualFold(text, "true")
}

func (p *optionParser) jobOrder() JobOrder {
	text, ok := p.values[OptionJobOrder]
	if !ok {
		return OrderNone
	}
	orders := []JobOrder{OrderNone, OrderBytesAsc, OrderBytesDesc, OrderFilesAsc, OrderFilesDesc}
	for _, order := range orders {
		if strings.EqualFold(text, string(order)) {
			return order
		}
	}
	p.fail("option %q has an invalid order: %q; allowed are %v", OptionJobOrder, text, orders)
	return OrderNone
}

func (p *optionParser) checkSizes(o Options) {
	switch {
	case o.TargetFileSize <= 0:
		p.fail("option %q is %d but must be > 0", OptionTargetFileSize, o.TargetFileSize)
	case o.MinFileSize < 0:
		p.fail("option %q is %d but must be >= 0", OptionMinFileSize, o.MinFileSize)
	case o.TargetFileSize <= o.MinFileSize:
		p.fail("option %q (%d) must be > %q (%d), else every new file is too small", OptionTargetFileSize, o.TargetFileSize, OptionMinFileSize, o.MinFileSize)
	case o.TargetFileSize >= o.MaxFileSize:
		p.fail("option %q (%d) must be < %q (%d), else every new file is too large", OptionTargetFileSize, o.TargetFileSize, OptionMaxFileSize, o.MaxFileSize)
	case o.MinInputFiles <= 0:
		p.fail("option %q is %d but must be > 0", OptionMinInputFiles, o.MinInputFiles)
	case o.MaxGroupSize <= 0:
		p.fail("option %q is %d but must be > 0", OptionMaxGroupSize, o.MaxGroupSize)
	case o.MaxGroupFiles <= 0:
		p.fail("option %q is %d but must be > 0", OptionMaxGroupFiles, o.MaxGroupFiles)
	}
}

func (p *optionParser) checkRest(o Options, meta table.Metadata) {
	_, limited := p.values[OptionMaxFiles]
	_, enough := p.values[OptionMinInputFiles]
	switch {
	case enough && !o.RewriteAll && o.MaxGroupFiles < int64(o.MinInputFiles):
		// Spark would leave all groups alone without a word.
		p.fail("option %q (%d) must be >= %q (%d), else no group can have enough files", OptionMaxGroupFiles, o.MaxGroupFiles, OptionMinInputFiles, o.MinInputFiles)
	case meta.PartitionSpecByID(o.OutputSpec) == nil:
		p.fail("option %q is %d but the table has no partition spec of that id", OptionOutputSpec, o.OutputSpec)
	case o.DeleteFiles < 0:
		p.fail("option %q is %d but must be >= 0", OptionDeleteFiles, o.DeleteFiles)
	case !(o.DeleteRatio > 0):
		p.fail("option %q is %v but must be > 0", OptionDeleteRatio, o.DeleteRatio)
	case o.DeleteRatio > 1:
		p.fail("option %q is %v but must be <= 1", OptionDeleteRatio, o.DeleteRatio)
	case limited && o.MaxFiles <= 0:
		p.fail("option %q is %d but must be > 0", OptionMaxFiles, o.MaxFiles)
	case o.CopyRowGroups < 0:
		p.fail("option %q is %d but must be >= 0", OptionCopyRowGroups, o.CopyRowGroups)
	}
	p.checkCommits(o)
}

func (p *optionParser) checkCommits(o Options) {
	switch {
	case o.ConcurrentGroups < 1:
		p.fail("option %q is %d but must be > 0", OptionConcurrentGroups, o.ConcurrentGroups)
	case o.PartialProgress && o.MaxCommits <= 0:
		p.fail("option %q is %d but must be > 0 when %q is true", OptionMaxCommits, o.MaxCommits, OptionPartialProgress)
	}
}

// writeMaxFileSize is where the writer begins a new file: half-way between the
// target and the maximum, so that a bin that turns out a little larger than the
// target does not leave a tiny remainder, and the result is not selected again.
func (o Options) writeMaxFileSize() int64 {
	return int64(float64(o.TargetFileSize) + float64(o.MaxFileSize-o.TargetFileSize)*0.5)
}

// expectedOutputFiles is how many files a group of size bytes should become: a
// remainder that would be a file below the minimum size is spread over the
// others if that makes them less than a tenth larger than the target.
func (o Options) expectedOutputFiles(size int64) int64 {
	if o.Strategy.ordered() {
		size = int64(float64(size) * o.CompressionFactor)
	}
	if size < o.TargetFileSize {
		return 1
	}
	whole, rest := size/o.TargetFileSize, size%o.TargetFileSize
	if rest == 0 {
		return whole
	}
	if rest <= o.MinFileSize && float64(size/whole) < min(1.1*float64(o.TargetFileSize), float64(o.writeMaxFileSize())) {
		return whole
	}
	return whole + 1
}

// splitSize is how many input bytes make one bin of a group of size bytes.
func (o Options) splitSize(size int64) int64 {
	estimate := size/o.expectedOutputFiles(size) + splitOverhead
	if estimate < o.TargetFileSize {
		return o.TargetFileSize
	}
	return min(estimate, o.writeMaxFileSize())
}
