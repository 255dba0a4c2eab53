package procedures

import (
	"context"
	"fmt"
	"strings"

	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/spelling"
)

// rewritePositionDeletes is system.rewrite_position_delete_files.
type rewritePositionDeletes struct {
	table   string
	where   *string
	options map[string]string
}

// Info declares the procedure as Spark's RewritePositionDeleteFilesProcedure.
func (p *rewritePositionDeletes) Info() Info {
	return Info{
		Name: "rewrite_position_delete_files",
		Doc:  "Rewrites position delete files into fewer, better sized ones, and drops deletes of data files that are gone. The rows stay the same.",
		Notes: []string{
			"Files are chosen by their size and put together within a partition. New ones are sorted and, as `write.delete.granularity` says, " +
				"each about one data file (`file`, Spark's default) or about several (`partition`). Files that are each about a live data file of " +
				"their own already are left alone unless `rewrite-all` is set; Spark rewrites them with every call. Deleted rows that a few old " +
				"writers kept in delete files are not copied.",
			"New files are of the table's `write.delete.format.default`, or else `write.format.default`: Parquet or Avro. " +
				"In version 3, position delete files become deletion vectors, one for each data file, together with the vectors that are there. A " +
				"partition is one group then, whatever its size. Vectors alone are left alone.",
			"In a preview, `files_out` is exact for granularity `file` and for deletion vectors unless the deletes of one data file fill several " +
				"files; else it is an estimate.",
		},
		Params: []Param{
			Required(StringParam(&p.table, "table", "the table; its main branch is rewritten")),
			WithDefault(MapParam(&p.options, optionsParam, "options of the rewrite"), "none"),
			WithDefault(optionalString(&p.where, "where", "a condition that selects partitions: those that may have a matching row; what it says about other columns does not count"), "all partitions"),
		},
		Options: positionDeleteOptions(),
		Output: []Column{
			{Name: "rewritten_delete_files_count", Type: TypeInt, Doc: "delete files that were replaced"},
			{Name: "added_delete_files_count", Type: TypeInt, Doc: "delete files that replaced them"},
			{Name: "rewritten_bytes_count", Type: TypeLong, Doc: "bytes of the delete files, or deletion vectors, that were replaced"},
			{Name: "added_bytes_count", Type: TypeLong, Doc: "bytes of those that replaced them"},
		},
	}
}

// positionDeleteOptions are those of rewrite_data_files that hold for delete
// files too.
func positionDeleteOptions() []Param {
	all := rewriteOptions()
	var options []Param
	for _, key := range rewrite.DeleteOptionKeys() {
		option := all[indexParam(all, key)]
		if key == rewrite.OptionTargetFileSize {
			option = WithDefault(option, "`write.delete.target-file-size-bytes` (64 MiB)")
		}
		options = append(options, option)
	}
	return options
}

// Plan chooses the files.
func (p *rewritePositionDeletes) Plan(ctx context.Context, env Env) (Plan, error) {
	tbl, err := env.LoadTable(ctx, p.table)
	if err != nil {
		return nil, err
	}
	options, err := rewrite.ParseDeleteOptions(p.options, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	where, err := whereFilter(env, tbl, p.where)
	if err != nil {
		return nil, err
	}
	plan, err := rewrite.NewDeletePlan(ctx, rewrite.DeleteRequest{Table: tbl, Where: where, Options: options})
	if err != nil {
		return nil, err
	}
	return &positionDeletesPlan{plan: plan, table: strings.Join(tbl.Identifier(), "."), env: env}, nil
}

type positionDeletesPlan struct {
	plan  *rewrite.DeletePlan
	table string
	env   Env
}

// Steps lists the groups, the commits, and the files left alone with the
// reason.
func (p *positionDeletesPlan) Steps() []Step {
	var steps []Step
	for i, g := range p.plan.Groups {
		steps = append(steps, Step{
			Action: ActionRewrite, Object: fmt.Sprintf("group %d", i+1), Partition: g.Partition, Reason: g.Reason,
			FilesIn: int64(len(g.Files)), BytesIn: g.Bytes, FilesOut: g.OutputFiles, BytesOut: g.Bytes,
		})
	}
	if n := p.plan.Commits(); n > 0 {
		steps = append(steps, Step{Action: ActionCommit, Object: "branch main of table " + p.table, Reason: spelling.Count(n, "commit")})
	}
	for _, f := range p.plan.Skipped {
		steps = append(steps, Step{Action: ActionSkip, Object: f.File.FilePath(), Partition: f.Partition, FilesIn: 1, BytesIn: f.Size(), Reason: f.Reason})
	}
	if n := p.plan.Unmatched; n > 0 {
		steps = append(steps, Step{Action: ActionSkip, Object: "table " + p.table, FilesIn: n, Reason: "files of partitions that have no row for which the condition holds"})
	}
	if len(steps) == 0 {
		steps = append(steps, Step{Action: ActionSkip, Object: "table " + p.table, Reason: "it has no position delete files"})
	}
	return steps
}

// Execute rewrites and commits, and returns the row of counts.
func (p *positionDeletesPlan) Execute(ctx context.Context) ([]Row, error) {
	r, err := p.plan.Execute(ctx, p.env.Env)
	if err != nil {
		return nil, err
	}
	return []Row{{int32(r.RewrittenFiles), int32(r.AddedFiles), r.RewrittenBytes, r.AddedBytes}}, nil
}
