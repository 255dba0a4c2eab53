package procedures

import (
	"context"
	"fmt"
	"strings"

	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/spelling"
)

// convertEqualityDeletes is system.convert_equality_deletes.
type convertEqualityDeletes struct {
	table   string
	where   *string
	options map[string]string
}

// Info declares the procedure. Spark has none; the output columns are named as in
// Java's action ConvertEqualityDeleteFiles, which has no implementation, and the
// procedure as Flink's ConvertEqualityDeletes.
func (p *convertEqualityDeletes) Info() Info {
	return Info{
		Name: "convert_equality_deletes",
		Doc:  "Replaces equality delete files by position deletes, or in version 3 by deletion vectors, without rewriting data files. The rows stay the same.",
		Notes: []string{
			"Firn's own; Spark has no such procedure. Of the data files that an equality delete file applies to, only the columns that it names " +
				"are read. Rows that are deleted by position already get no second position. In version 3 a data file's new vector has the " +
				"positions of its old one, which goes. An equality delete file that applies to nothing goes, too.",
			"All is one commit. Where another writer takes away a data file that is looked at, or adds one that equality deletes apply to, or " +
				"in version 3 a vector, the call plans anew and tries again, as often as `commit.retry.num-retries` allows. Appends and " +
				"later deletes do not matter. The snapshot's operation is `delete` where delete files are added, as in Flink: a rewrite of data files " +
				"by Spark, or another engine with Java's library, that began before an equality delete would overlook what takes its place in " +
				"a snapshot of operation `replace`, and its rows would come back.",
			"In a preview, `files_in` and `bytes_in` are equality delete files, each counted in one group although those of an unpartitioned spec may " +
				"apply to data files of several partitions; the data files to be read are in `reason`. `files_out` is how many files there will be at " +
				"most, as data files without a deleted row get none; `bytes_out` is an estimate.",
		},
		Params: []Param{
			Required(StringParam(&p.table, "table", "the table; the delete files of its main branch are converted")),
			WithDefault(MapParam(&p.options, optionsParam, "options of the conversion"), "none"),
			WithDefault(optionalString(&p.where, "where", "a condition that selects partitions of delete files: those that may have a matching row; what it says about other columns does not count"), "all partitions"),
		},
		Options: convertOptions(),
		Output: []Column{
			{Name: "converted_equality_delete_files_count", Type: TypeInt, Doc: "equality delete files that are no longer part of the table"},
			{Name: "added_position_delete_files_count", Type: TypeInt, Doc: "position delete files or deletion vectors in their place"},
		},
	}
}

// convertOptions are those of rewrite_data_files that hold here too.
func convertOptions() []Param {
	all := rewriteOptions()
	var options []Param
	for _, key := range rewrite.ConvertOptionKeys() {
		options = append(options, all[indexParam(all, key)])
	}
	return options
}

// Plan finds the files.
func (p *convertEqualityDeletes) Plan(ctx context.Context, env Env) (Plan, error) {
	tbl, err := env.LoadTable(ctx, p.table)
	if err != nil {
		return nil, err
	}
	options, err := rewrite.ParseConvertOptions(p.options, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	where, err := whereFilter(env, tbl, p.where)
	if err != nil {
		return nil, err
	}
	plan, err := rewrite.NewConvertPlan(ctx, rewrite.ConvertRequest{Table: tbl, Where: where, Options: options})
	if err != nil {
		return nil, err
	}
	return &convertPlan{plan: plan, table: strings.Join(tbl.Identifier(), "."), env: env}, nil
}

type convertPlan struct {
	plan  *rewrite.ConvertPlan
	table string
	env   Env
}

// Steps lists the groups and the commit.
func (p *convertPlan) Steps() []Step {
	var steps []Step
	for i, g := range p.plan.Groups {
		reason := "the deletes apply to no data file"
		if n := len(g.Data); n > 0 {
			reason = fmt.Sprintf("data files to be read: %d, of %d bytes", n, g.Bytes)
		}
		step := Step{
			Action: ActionRewrite, Object: fmt.Sprintf("group %d", i+1), Partition: g.Partition, Reason: reason,
			FilesIn: int64(len(g.Files)), BytesIn: g.FileBytes(), FilesOut: g.OutputFiles,
		}
		if g.OutputFiles > 0 {
			step.BytesOut = step.BytesIn
		}
		steps = append(steps, step)
	}
	if len(steps) > 0 {
		steps = append(steps, Step{Action: ActionCommit, Object: "branch main of table " + p.table, Reason: spelling.Count(1, "commit")})
	}
	if n := p.plan.Unmatched; n > 0 {
		steps = append(steps, Step{Action: ActionSkip, Object: "table " + p.table, FilesIn: n, Reason: "files of partitions that have no row for which the condition holds"})
	}
	if len(steps) == 0 {
		steps = append(steps, Step{Action: ActionSkip, Object: "table " + p.table, Reason: "it has no equality delete files"})
	}
	return steps
}

// Execute converts and commits, and returns the row of counts.
func (p *convertPlan) Execute(ctx context.Context) ([]Row, error) {
	r, err := p.plan.Execute(ctx, p.env.Env)
	if err != nil {
		return nil, err
	}
	return []Row{{int32(r.ConvertedFiles), int32(r.AddedFiles)}}, nil
}
