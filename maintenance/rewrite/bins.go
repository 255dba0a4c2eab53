package rewrite

import (
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/internal/binpack"
)

// lookback is how many bins are open at once while files are packed.
func lookback(props iceberg.Properties) int {
	return max(1, props.GetInt(table.ReadSplitPlanningLookbackKey, table.ReadSplitPlanningLookbackDefault))
}

// bins packs a group's files into what become its output files, as Spark packs
// them into read tasks: large files are cut at their row groups, and pieces are
// put together up to the group's split size, deletes included (Java's
// TableScanUtil.planTaskGroups). A group that is partitioned anew is one bin.
//
// Where packing leaves a remainder, so that there are more bins than there should
// be files, Spark writes a small file; here the pieces are shared out evenly.
func (g Group) bins(lookback int) [][]table.FileScanTask {
	var tasks []table.FileScanTask
	if g.Repartition {
		for _, f := range g.Files {
			tasks = append(tasks, f.Task)
		}
		return [][]table.FileScanTask{tasks}
	}
	for _, f := range g.Files {
		tasks = append(tasks, pieces(f.Task)...)
	}
	bins := binpack.Pack(tasks, g.SplitSize, lookback, true, int64(len(tasks)), weight)
	if len(bins) > int(g.expected) {
		if shares := evenly(tasks, g.expected, g.MaxFileSize); shares != nil {
			bins = shares
		}
	}
	for i := range bins {
		bins[i] = join(bins[i])
	}
	return bins
}

// filesOf is how many files come of a bin, and where they end. A bin that is larger
// than a file may be, as Avro files are not cut, is shared out evenly.
func (g Group) filesOf(bin []table.FileScanTask) (files, maxBytes int64) {
	bytes := bytesOf(bin)
	if bytes <= g.MaxFileSize || g.Repartition || !slices.ContainsFunc(bin, func(t table.FileScanTask) bool { return !movable(t) }) {
		return 1, g.MaxFileSize
	}
	files = (bytes + g.MaxFileSize - 1) / g.MaxFileSize
	// They may become a little larger.
	return files, min(g.MaxFileSize, bytes/files+bytes/files/20)
}

// evenly cuts tasks into n runs of about the same weight; nil if one would be
// above most.
func evenly(tasks []table.FileScanTask, n, most int64) [][]table.FileScanTask {
	var total int64
	for _, t := range tasks {
		total += weight(t)
	}
	var out [][]table.FileScanTask
	var done int64
	for i := range n {
		var run []table.FileScanTask
		before := done
		// A piece goes where its middle is.
		for len(tasks) > 0 && (i == n-1 || done+weight(tasks[0])/2 < total/n*(i+1)) {
			run = append(run, tasks[0])
			done += weight(tasks[0])
			tasks = tasks[1:]
		}
		if done-before > most {
			return nil
		}
		if len(run) > 0 {
			out = append(out, run)
		}
	}
	return out
}

// pieces cuts a file at its row groups. Together the pieces cover all of it.
func pieces(t table.FileScanTask) []table.FileScanTask {
	offsets := t.File.SplitOffsets()
	if t.File.FileFormat() != iceberg.ParquetFile {
		return []table.FileScanTask{t}
	}
	size := t.File.FileSizeBytes()
	if len(offsets) < 2 || !slices.IsSorted(offsets) || offsets[0] < 0 || offsets[len(offsets)-1] >= size {
		return []table.FileScanTask{t}
	}
	out := make([]table.FileScanTask, len(offsets))
	for i, start := range offsets {
		end := size
		if i+1 < len(offsets) {
			end = offsets[i+1]
		}
		out[i] = t
		out[i].Start, out[i].Length = start, end-start
	}
	return out
}

// join makes pieces of one file that follow each other in a bin one task again.
func join(tasks []table.FileScanTask) []table.FileScanTask {
	var out []table.FileScanTask
	for _, t := range tasks {
		if n := len(out) - 1; n >= 0 && out[n].File.FilePath() == t.File.FilePath() && out[n].Start+out[n].Length == t.Start {
			out[n].Length += t.Length
			continue
		}
		out = append(out, t)
	}
	return out
}
