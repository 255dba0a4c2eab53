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
	"github.com/firndb/firn/maintenance/filter"
	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/maintenance/sortorder"
	"github.com/firndb/firn/spelling"
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
		Doc: "Rewrites data files into fewer, better sized ones, with their deletes applied. The rows stay the same. " +
			"Parquet and Avro files are read, also in one table; new files are of the table's `write.format.default`, one of these two. " +
			"Groups of files that another writer changes meanwhile are planned anew and rewritten again, as often as the table property `commit.retry.num-retries` allows; the other groups are committed.",
		Params: []Param{
			Required(StringParam(&p.table, "table", "the table, or a branch of it as `table.branch_name`")),
			WithDefault(optionalString(&p.strategy, "strategy", "how files are put together: `binpack` fills files up to the target size in the order of the table; `sort` puts the rows of each group of files in order"), "`sort` if `sort_order` is given, else `binpack`"),
			WithDefault(optionalString(&p.sortOrder, "sort_order", "the order for strategy `sort`: columns or transforms of columns with their directions, `id DESC NULLS LAST, bucket(4, a.b), days(ts)`, or a curve over several columns, `zorder(a, b)` or `hilbert(a, b)`"), "the table's sort order"),
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
		option(rewrite.OptionPartialProgress, TypeBoolean, "false", "commit groups in batches as they are ready; a batch that cannot be committed is left out"),
		option(rewrite.OptionMaxCommits, TypeInt, "10", "the most batches, with partial progress"),
		option(rewrite.OptionMaxFailedCommits, TypeInt, "the most batches", "how many batches may fail before the call does"),
		option(rewrite.OptionStartingSequence, TypeBoolean, "true", "give new files the sequence number of the snapshot they were read from, so that equality deletes committed meanwhile apply to them"),
		option(rewrite.OptionCompressionFactor, TypeDouble, "1.0", "strategy `sort` only: how much larger the new files are expected to be than the old ones, from which follows how many there will be"),
		option(rewrite.OptionShufflePartitions, TypeInt, "1", "strategy `sort` only: into how many parts Spark cuts the sorting of each file; the files are the same with any"),
		option(rewrite.OptionVarLength, TypeInt, "8", "`zorder` only: how many bytes of a string or binary value count"),
		option(rewrite.OptionMaxOutputSize, TypeInt, "all", "`zorder` only: how many bytes of a row's place on the curve count"),
		option(rewrite.OptionRemoveDangling, TypeBoolean, "false", "at the end, remove delete files that apply to no data file"),
		option(rewrite.OptionDecodeAll, TypeBoolean, "false", "strategy `binpack` only: decode and encode all rows anew, for example to change the compression level; else pages move as they are where nothing about them must change. Spark does not have it"),
		option(rewrite.OptionCopyRowGroups, TypeLong, "16 MiB", "strategy `binpack` only: row groups of this size, compressed, stay as they are; smaller ones are merged into one of `write.parquet.row-group-size-bytes`. Spark does not have it"),
	}
}

// optionalString declares a parameter of type string bound to dst, which stays
// nil when the argument is absent or NULL.
func optionalString(dst **string, name, doc string) Param {
	return Param{Name: name, Type: TypeString, Doc: doc, set: setter(dst, pointer(toString))}
}

// Plan chooses the files.
func (p *rewriteDataFiles) Plan(ctx context.Context, env Env) (Plan, error) {
	order, err := orderOf(p.strategy, p.sortOrder)
	if err != nil {
		return nil, err
	}
	tbl, branch, err := p.load(ctx, env)
	if err != nil {
		return nil, err
	}
	strategy, bound := rewrite.BinPack, sortorder.Bound{}
	if order != nil {
		if strategy, bound, err = rewrite.Ordered(*order, tbl); err != nil {
			return nil, ofOrder(err, p.sortOrder)
		}
	}
	options, err := strategy.ParseOptions(p.options, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	where, err := whereFilter(env, tbl, p.where)
	if err != nil {
		return nil, err
	}
	plan, err := rewrite.NewPlan(ctx, rewrite.Request{Table: tbl, Branch: branch, Where: where, Options: options, Order: bound})
	if err != nil {
		return nil, err
	}
	return &rewritePlan{plan: plan, table: strings.Join(tbl.Identifier(), "."), env: env}, nil
}

// orderOf reads the arguments strategy and sort_order; nil means bin-packing, and
// an order of nothing that of the table.
func orderOf(strategy, sortOrder *string) (*sortorder.Order, error) {
	var order sortorder.Order
	if sortOrder != nil {
		var err error
		if order, err = sortorder.Parse(*sortOrder); err != nil {
			return nil, ofOrder(err, sortOrder)
		}
	}
	switch {
	case strategy == nil && sortOrder == nil:
		return nil, nil
	case strategy == nil || strings.EqualFold(*strategy, "sort"):
		return &order, nil
	case !strings.EqualFold(*strategy, "binpack"):
		return nil, fmt.Errorf("%w: there is no strategy %q; allowed are binpack and sort, the latter also for zorder and hilbert", ErrArgument, *strategy)
	case sortOrder != nil:
		return nil, fmt.Errorf("%w: argument %q cannot be given with strategy binpack", ErrArgument, "sort_order")
	}
	return nil, nil
}

// ofOrder says of an error that it is of the argument sort_order, if there is one.
func ofOrder(err error, sortOrder *string) error {
	if sortOrder == nil {
		return err
	}
	return fmt.Errorf("argument %q: %w", "sort_order", err)
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

// whereFilter is the argument "where" as an expression, nil if there is none.
func whereFilter(env Env, tbl *table.Table, where *string) (iceberg.BooleanExpression, error) {
	if where == nil {
		return nil, nil
	}
	expr, err := filter.Parse(*where, tbl.Schema(), filter.Options{Now: env.Now(), Zone: env.Zone, Table: tbl.Identifier()})
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
			Action: ActionRewrite, Object: fmt.Sprintf("group %d", i+1), Partition: g.Partition, Reason: g.Reason + how(g, p.plan),
			FilesIn: int64(len(g.Files)), BytesIn: g.Bytes, FilesOut: g.OutputFiles, BytesOut: g.Bytes,
		})
		vectors += g.DeletionVectors()
	}
	if n := p.plan.Commits(); n > 0 {
		reason := spelling.Count(n, "commit")
		if vectors > 0 {
			reason += fmt.Sprintf("; %d deletion vectors of the replaced files go with them", vectors)
		}
		steps = append(steps, Step{Action: ActionCommit, Object: "branch " + p.plan.Branch + " of table " + p.table, Reason: reason})
		if p.plan.Options.RemoveDangling {
			steps = append(steps, Step{Action: ActionCommit, Object: "branch " + p.plan.Branch + " of table " + p.table, Reason: "removal of dangling deletes, if the rewrite leaves any"})
		}
	}
	if order := p.plan.Unapplied(); order != "" {
		steps = append(steps, Step{Action: ActionSkip, Object: "sort order of table " + p.table, Reason: "binpack leaves rows in their places; with strategy => 'sort' they are put in the table's order, " + order})
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

// how says how a group is rewritten, if not as it is done mostly: in an order, or
// with rows that are decoded.
func how(g rewrite.Group, plan *rewrite.Plan) string {
	if order := plan.Order.String(); order != "" {
		return "; sorted by " + order
	}
	switch n := g.Decoded(plan.Options); n {
	case 0:
		return ""
	case len(g.Files):
		return "; all rows are decoded"
	default:
		return fmt.Sprintf("; the rows of %d files are decoded", n)
	}
}

// Execute rewrites and commits, and returns the row of counts.
func (p *rewritePlan) Execute(ctx context.Context) ([]Row, error) {
	r, err := p.plan.Execute(ctx, p.env.Env)
	if err != nil {
		return nil, err
	}
	if n := p.plan.Left; n > 0 {
		p.env.Warnf("%q is %d: %d files that are worth rewriting are left; another call goes on with them", rewrite.OptionMaxFiles, p.plan.Options.MaxFiles, n)
	}
	return []Row{{int32(r.RewrittenFiles), int32(r.AddedFiles), r.RewrittenBytes, int32(r.FailedFiles), int32(r.RemovedDeletes)}}, nil
}
