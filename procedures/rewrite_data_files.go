package procedures

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/filter"
	"github.com/firndb/firn/maintenance/rewrite"
)

// rewriteDataFiles is system.rewrite_data_files.
type rewriteDataFiles struct {
	table                              string
	strategy, sortOrder, where, branch *string
	options                            map[string]string
}

// Info declares the procedure as Spark's RewriteDataFilesProcedure.
func (p *rewriteDataFiles) Info() Info {
	return Info{
		Name: "rewrite_data_files",
		Doc:  "Rewrites data files into fewer, better sized ones, with their deletes applied. The rows stay the same.",
		Params: []Param{
			Required(StringParam(&p.table, "table", "the table, or a branch of it as `table.branch_name`")),
			WithDefault(optionalString(&p.strategy, "strategy", "how files are put together: `binpack` fills files up to the target size in the order of the table; `sort` is not supported yet"), "binpack"),
			WithDefault(optionalString(&p.sortOrder, "sort_order", "for strategy `sort`, which is not supported yet"), "none"),
			WithDefault(MapParam(&p.options, optionsParam, "options of the rewrite"), "none"),
			WithDefault(optionalString(&p.where, "where", "a condition that selects files: those that may have a matching row are rewritten, with all their rows"), "all files"),
			WithDefault(optionalString(&p.branch, "branch", "the branch to rewrite"), "main"),
		},
		Options: rewriteOptions(),
		Output: []Column{
			{Name: "rewritten_data_files_count", Type: TypeInt, Doc: "data files that were replaced"},
			{Name: "added_data_files_count", Type: TypeInt, Doc: "data files that replaced them"},
			{Name: "rewritten_bytes_count", Type: TypeLong, Doc: "bytes of the data files that were replaced"},
			{Name: "failed_data_files_count", Type: TypeInt, Doc: "data files of groups that could not be rewritten; 0 without partial progress"},
			{Name: "removed_delete_files_count", Type: TypeInt, Doc: "deletion vectors of the replaced files, and dangling deletes if the option asks for them to be removed"},
		},
	}
}

// rewriteOptions declares the options. Their values stay text, which
// rewrite.ParseOptions reads as Spark does.
func rewriteOptions() []Param {
	option := func(name string, t Type, otherwise, doc string) Param {
		return Param{Name: name, Type: t, Default: otherwise, Doc: doc, set: func(any, *time.Location) error { return nil }}
	}
	return []Param{
		option(rewrite.OptionTargetFileSize, TypeLong, "`write.target-file-size-bytes` (512 MiB)", "the size of files to aim at"),
		option(rewrite.OptionMinFileSize, TypeLong, "75 % of the target", "smaller files are rewritten"),
		option(rewrite.OptionMaxFileSize, TypeLong, "180 % of the target", "larger files are rewritten"),
		option(rewrite.OptionMinInputFiles, TypeInt, "5", "how many files, at least two, make a group worth rewriting"),
		option(rewrite.OptionRewriteAll, TypeBoolean, "false", "rewrite all files, whatever their size"),
		option(rewrite.OptionMaxGroupSize, TypeLong, "100 GiB", "the largest group of files rewritten together"),
		option(rewrite.OptionMaxGroupFiles, TypeLong, "no bound", "the most files rewritten together"),
		option(rewrite.OptionDeleteFiles, TypeInt, "no bound", "a file with this many delete files is rewritten, alone if need be"),
		option(rewrite.OptionDeleteRatio, TypeDouble, "0.3", "a file with this share of its rows deleted is rewritten, alone if need be"),
		option(rewrite.OptionJobOrder, TypeString, "none", "which groups go first: bytes-asc, bytes-desc, files-asc, files-desc or none"),
		option(rewrite.OptionMaxFiles, TypeInt, "no bound", "the most files rewritten in the call"),
		option(rewrite.OptionOutputSpec, TypeInt, "the table's current spec", "the partition spec of the new files"),
		option(rewrite.OptionConcurrentGroups, TypeInt, "5", "how many groups are rewritten at once"),
		option(rewrite.OptionPartialProgress, TypeBoolean, "false", "commit groups in batches as they are ready; a batch that conflicts with another writer is left out"),
		option(rewrite.OptionMaxCommits, TypeInt, "10", "the most batches, with partial progress"),
		option(rewrite.OptionMaxFailedCommits, TypeInt, "the most batches", "how many batches may fail before the call does"),
		option(rewrite.OptionStartingSequence, TypeBoolean, "true", "give new files the sequence number of the snapshot they were read from, so that equality deletes committed meanwhile apply to them"),
		option(rewrite.OptionRemoveDangling, TypeBoolean, "false", "at the end, remove delete files that apply to no data file"),
	}
}

// optionalString declares a parameter of type string bound to dst, which stays
// nil when the argument is absent or NULL.
func optionalString(dst **string, name, doc string) Param {
	return Param{Name: name, Type: TypeString, Doc: doc, set: setter(dst, pointer(toString))}
}

// Plan chooses the files.
func (p *rewriteDataFiles) Plan(ctx context.Context, env Env) (Plan, error) {
	if err := p.checkStrategy(); err != nil {
		return nil, err
	}
	tbl, branch, err := p.load(ctx, env)
	if err != nil {
		return nil, err
	}
	options, err := rewrite.ParseOptions(p.options, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	where, err := p.filter(env, tbl)
	if err != nil {
		return nil, err
	}
	plan, err := rewrite.NewPlan(ctx, rewrite.Request{Table: tbl, Branch: branch, Where: where, Options: options})
	if err != nil {
		return nil, err
	}
	return &rewritePlan{plan: plan, table: strings.Join(tbl.Identifier(), "."), env: env}, nil
}

// checkStrategy refuses all but bin-packing.
func (p *rewriteDataFiles) checkStrategy() error {
	switch {
	case p.strategy != nil && strings.EqualFold(*p.strategy, "binpack"):
		if p.sortOrder != nil {
			return fmt.Errorf("%w: argument %q cannot be given with strategy binpack", ErrArgument, "sort_order")
		}
		return nil
	case p.strategy != nil && !strings.EqualFold(*p.strategy, "sort"):
		return fmt.Errorf("%w: there is no strategy %q; allowed are binpack and sort", ErrArgument, *p.strategy)
	case p.sortOrder != nil && strings.Contains(strings.ToLower(*p.sortOrder), "zorder"):
		return fmt.Errorf("%w: strategy sort with zorder is not supported; use strategy binpack", maintenance.ErrUnsupported)
	case p.strategy != nil || p.sortOrder != nil:
		return fmt.Errorf("%w: strategy sort is not supported; use strategy binpack", maintenance.ErrUnsupported)
	}
	return nil
}

// branchPrefix begins the last part of a table's name that is a branch.
const branchPrefix = "branch_"

// load finds the table and the branch: that of the argument, else one that the
// table's name ends with, else main.
func (p *rewriteDataFiles) load(ctx context.Context, env Env) (*table.Table, string, error) {
	branch := table.MainBranch
	if p.branch != nil {
		branch = *p.branch
	}
	tbl, err := env.LoadTable(ctx, p.table)
	if !errors.Is(err, catalog.ErrNoSuchTable) && !errors.Is(err, catalog.ErrNoSuchNamespace) {
		return tbl, branch, err
	}
	dot := strings.LastIndexByte(p.table, '.')
	if dot < 0 || !strings.HasPrefix(p.table[dot+1:], branchPrefix) {
		return nil, "", err
	}
	parent, perr := env.LoadTable(ctx, p.table[:dot])
	if perr != nil {
		return nil, "", err
	}
	if p.branch == nil {
		branch = strings.TrimPrefix(p.table[dot+1:], branchPrefix)
	}
	return parent, branch, nil
}

// filter is the argument "where" as an expression, nil if there is none.
func (p *rewriteDataFiles) filter(env Env, tbl *table.Table) (iceberg.BooleanExpression, error) {
	if p.where == nil {
		return nil, nil
	}
	expr, err := filter.Parse(*p.where, tbl.Schema(), filter.Options{Now: env.Now(), Zone: env.Zone, Table: tbl.Identifier()})
	if err != nil {
		return nil, fmt.Errorf("%w: argument %q: %w", ErrArgument, "where", err)
	}
	return expr, nil
}

type rewritePlan struct {
	plan  *rewrite.Plan
	table string
	env   Env
}

// Steps lists the groups, the commits, and the files left alone with the
// reason.
func (p *rewritePlan) Steps() []Step {
	var steps []Step
	vectors := 0
	for i, g := range p.plan.Groups {
		steps = append(steps, Step{
			Action: ActionRewrite, Object: fmt.Sprintf("group %d", i+1), Partition: g.Partition, Reason: g.Reason,
			FilesIn: int64(len(g.Files)), BytesIn: g.Bytes, FilesOut: g.OutputFiles, BytesOut: g.Bytes,
		})
		vectors += g.DeletionVectors()
	}
	if n := p.plan.Commits(); n > 0 {
		reason := fmt.Sprintf("%d commits", n)
		if n == 1 {
			reason = "1 commit"
		}
		if vectors > 0 {
			reason += fmt.Sprintf("; %d deletion vectors of the replaced files go with them", vectors)
		}
		steps = append(steps, Step{Action: ActionCommit, Object: "branch " + p.plan.Branch + " of table " + p.table, Reason: reason})
		if p.plan.Options.RemoveDangling {
			steps = append(steps, Step{Action: ActionCommit, Object: "branch " + p.plan.Branch + " of table " + p.table, Reason: "removal of dangling deletes, if the rewrite leaves any"})
		}
	}
	for _, f := range p.plan.Skipped {
		steps = append(steps, Step{Action: ActionSkip, Object: f.Path(), Partition: f.Partition, FilesIn: 1, BytesIn: f.Size(), Reason: f.Reason})
	}
	if n := p.plan.Unmatched; n > 0 {
		steps = append(steps, Step{Action: ActionSkip, Object: "table " + p.table, FilesIn: n, Reason: "files that have no row for which the condition holds"})
	}
	if len(steps) == 0 {
		steps = append(steps, Step{Action: ActionSkip, Object: "table " + p.table, Reason: "it has no data files"})
	}
	return steps
}

// Execute rewrites and commits, and returns the row of counts.
func (p *rewritePlan) Execute(ctx context.Context) ([]Row, error) {
	r, err := p.plan.Execute(ctx, p.env.Env)
	if err != nil {
		return nil, err
	}
	return []Row{{int32(r.RewrittenFiles), int32(r.AddedFiles), r.RewrittenBytes, int32(r.FailedFiles), int32(r.RemovedDeletes)}}, nil
}
