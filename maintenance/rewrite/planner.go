package rewrite

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/binpack"
	"github.com/firndb/firn/maintenance/sortorder"
)

// Request says what to rewrite.
type Request struct {
	// Table is the table as it is to be planned on.
	Table *table.Table
	// Branch is the branch to rewrite; empty means main.
	Branch string
	// Where selects files that may have a matching row; nil selects all.
	Where   iceberg.BooleanExpression
	Options Options
	// Order puts the rows of new files in order, if the options' strategy does.
	Order sortorder.Bound
}

// NewPlan chooses and groups the files to rewrite on one snapshot. The error
// wraps maintenance.ErrInvalid for an unknown branch and
// maintenance.ErrUnsupported if a chosen file cannot be read or written.
func NewPlan(ctx context.Context, req Request) (*Plan, error) {
	plan := &Plan{Branch: req.Branch, Options: req.Options, Order: req.Order, table: req.Table}
	if plan.Branch == "" {
		plan.Branch = table.MainBranch
	}
	meta := req.Table.Metadata()
	if meta.CurrentSnapshot() == nil {
		return plan, nil
	}
	head := meta.SnapshotByName(plan.Branch)
	if head == nil {
		return nil, fmt.Errorf("%w: data files cannot be rewritten: there is no branch %q", maintenance.ErrInvalid, plan.Branch)
	}
	plan.SnapshotID, plan.Sequence = head.SnapshotID, head.SequenceNumber
	files, err := scanFiles(ctx, req, plan.Branch, head)
	if err != nil {
		return nil, err
	}
	if req.Where != nil && head.Summary != nil {
		if total, err := strconv.ParseInt(head.Summary.Properties["total-data-files"], 10, 64); err == nil {
			plan.Unmatched = max(0, total-int64(len(files)))
		}
	}
	newGrouper(meta, req.Options).plan(plan, files)
	if err := checkBranch(meta, plan); err != nil {
		return nil, err
	}
	return plan, checkFormats(plan)
}

// checkBranch refuses to rewrite a tag, if there is something to rewrite.
func checkBranch(meta table.Metadata, plan *Plan) error {
	for name, ref := range meta.Refs() {
		if name == plan.Branch && ref.SnapshotRefType != table.BranchRef && len(plan.Groups) > 0 {
			return fmt.Errorf("%w: %q is a tag, not a branch; only a branch can be rewritten", maintenance.ErrInvalid, name)
		}
	}
	return nil
}

// checkFormats refuses what only other engines can read or write.
func checkFormats(plan *Plan) error {
	if len(plan.Groups) == 0 {
		return nil
	}
	if format := plan.Options.Format; !isWritten(format) {
		return fmt.Errorf("%w: table property %q is %q; only parquet and avro can be written", maintenance.ErrUnsupported, table.WriteFormatDefaultKey, strings.ToLower(string(format)))
	}
	for _, g := range plan.Groups {
		for _, f := range g.Files {
			if err := checkReadable(f.Task.File); err != nil {
				return err
			}
		}
	}
	return nil
}

// scanFiles lists the data files that may have a matching row, in the order of
// the manifests, each once and as a whole: the library plans a large file as
// several row-group ranges, and gives tasks a filter for rows.
//
// A filter chooses the files, no more. It also makes the library leave out
// equality deletes of rows that it excludes, which would come back: the deletes
// are those of a plan without filter.
func scanFiles(ctx context.Context, req Request, branch string, head *table.Snapshot) ([]File, error) {
	meta := req.Table.Metadata()
	tasks, err := matching(ctx, req.Table, branch, req.Where)
	if err != nil {
		return nil, err
	}
	if req.Where != nil && len(tasks) > 0 && mayHaveDeletes(head) {
		chosen := map[string]bool{}
		for _, task := range tasks {
			chosen[task.File.FilePath()] = true
		}
		if tasks, err = scanTasks(ctx, req.Table, branch, nil); err != nil {
			return nil, err
		}
		tasks = slices.DeleteFunc(tasks, func(task table.FileScanTask) bool { return !chosen[task.File.FilePath()] })
	}
	seen := map[string]bool{}
	files := make([]File, 0, len(tasks))
	for _, task := range tasks {
		path := task.File.FilePath()
		if seen[path] {
			continue
		}
		seen[path] = true
		task.Start, task.Length, task.Residual = 0, task.File.FileSizeBytes(), nil
		files = append(files, File{Task: task, Partition: maintenance.PartitionPath(meta, task.File)})
	}
	return files, nil
}

// scanTasks is the library's plan of a scan of a branch.
func scanTasks(ctx context.Context, tbl *table.Table, branch string, where iceberg.BooleanExpression) ([]table.FileScanTask, error) {
	opts := []table.ScanOption{table.WithCaseSensitive(false)}
	if where != nil {
		opts = append(opts, table.WithRowFilter(where))
	}
	scan, err := tbl.Scan(opts...).UseRef(branch)
	if err != nil {
		return nil, fmt.Errorf("plan rewrite: %w", err)
	}
	defer scan.Close()
	tasks, err := scan.PlanFiles(ctx)
	if err != nil {
		return nil, fmt.Errorf("plan rewrite: list data files: %w", err)
	}
	return tasks, nil
}

// mayHaveDeletes says whether a snapshot's summary admits delete files.
func mayHaveDeletes(s *table.Snapshot) bool {
	return s.Summary == nil || s.Summary.Properties["total-delete-files"] != "0"
}

// grouper turns files into groups by Spark's rules.
type grouper struct {
	meta     table.Metadata
	o        Options
	specID   int32
	outputID int32
}

func newGrouper(meta table.Metadata, o Options) *grouper {
	return &grouper{meta: meta, o: o, specID: int32(meta.DefaultPartitionSpec()), outputID: int32(o.OutputSpec)}
}

// plan fills in the groups and the files left alone.
func (g *grouper) plan(plan *Plan, files []File) {
	for _, partition := range g.byPartition(files) {
		for _, members := range binpack.Pack(g.choose(plan, partition), g.o.MaxGroupSize, 1, false, g.o.MaxGroupFiles, File.Size) {
			g.group(plan, members)
		}
	}
	sortGroups(plan.Groups, g.o.JobOrder, func(g Group) (int64, int) { return g.Bytes, len(g.Files) })
}

// byPartition puts files of one partition together, in the order in which the
// partitions first appear; Java's order changes from run to run. Files of
// another than the current spec, whose rows may belong to several partitions,
// are one unit together, that of the partition whose values are all null.
func (g *grouper) byPartition(files []File) [][]File {
	var order []string
	parts := map[string][]File{}
	for _, f := range files {
		key := maintenance.PartitionValuesKey(g.specID, nil)
		if f.Task.File.SpecID() == g.specID {
			key = maintenance.PartitionKey(f.Task.File)
		}
		if parts[key] == nil {
			order = append(order, key)
		}
		parts[key] = append(parts[key], f)
	}
	out := make([][]File, len(order))
	for i, key := range order {
		out[i] = parts[key]
	}
	return out
}

// choose drops the files of a partition that are fine as they are.
func (g *grouper) choose(plan *Plan, files []File) []File {
	if g.o.RewriteAll {
		return files
	}
	var chosen []File
	for _, f := range files {
		if g.o.wrongSize(f.Size()) || g.tooManyDeletes(f) || g.tooHighRatio(f) {
			chosen = append(chosen, f)
			continue
		}
		plan.Skipped = append(plan.Skipped, Skipped{f, g.o.rightSize(f.Size()) + ", and deletes are below their thresholds"})
	}
	return chosen
}

func (g *grouper) tooManyDeletes(f File) bool { return f.deletes() >= int(g.o.DeleteFiles) }

func (g *grouper) tooHighRatio(f File) bool {
	return f.deletes() > 0 && f.deleteRatio() >= g.o.DeleteRatio
}

// group adds a group to the plan if it is worth rewriting, within the bound on
// files.
func (g *grouper) group(plan *Plan, files []File) {
	skip := func(files []File, reason string) {
		for _, f := range files {
			plan.Skipped = append(plan.Skipped, Skipped{f, reason})
		}
	}
	reason, ok := g.worth(files)
	if !ok {
		skip(files, reason)
		return
	}
	if g.o.MaxFiles > 0 {
		left := max(0, int(g.o.MaxFiles)-plan.Files())
		if left < len(files) {
			plan.Left += len(files) - left
			skip(files[left:], fmt.Sprintf("%s is %d", OptionMaxFiles, g.o.MaxFiles))
			files = files[:left]
		}
		if len(files) == 0 {
			return
		}
	}
	plan.Groups = append(plan.Groups, g.newGroup(files, reason))
}

// worth says whether a group is rewritten, and why or why not.
func (g *grouper) worth(files []File) (reason string, ok bool) {
	reason, ok = g.o.worthBySize(len(files), sizeOf(files))
	switch {
	case ok:
	case slices.ContainsFunc(files, g.tooManyDeletes):
		return fmt.Sprintf("a file has %s %d or more deletes", OptionDeleteFiles, g.o.DeleteFiles), true
	case slices.ContainsFunc(files, g.tooHighRatio):
		return fmt.Sprintf("a file has a share of deleted rows of %s %v or more", OptionDeleteRatio, g.o.DeleteRatio), true
	}
	return reason, ok
}

func (g *grouper) newGroup(files []File, reason string) Group {
	group := Group{Files: files, Bytes: sizeOf(files), MaxFileSize: g.o.writeMaxFileSize(), Reason: reason}
	for _, f := range files {
		group.Rows += f.Task.File.Count()
		group.Repartition = group.Repartition || f.Task.File.SpecID() != g.outputID
	}
	if !slices.ContainsFunc(files, func(f File) bool { return f.Task.File.SpecID() != g.specID }) {
		group.Partition = files[0].Partition
	}
	group.SplitSize = g.o.splitSize(group.Bytes)
	group.expected = g.o.expectedOutputFiles(group.Bytes)
	group.OutputFiles = group.expected
	if !group.Repartition && !g.o.Strategy.ordered() {
		group.OutputFiles = 0
		for _, bin := range group.bins(lookback(g.meta.Properties())) {
			files, _ := group.filesOf(bin)
			group.OutputFiles += files
		}
	}
	return group
}

func sizeOf(files []File) int64 { return total(files, File.Size) }
