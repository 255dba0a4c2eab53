package chain

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/maintenance/sortorder"
	"github.com/firndb/firn/spelling"
)

// RewriteOptionKeys lists the options of a rewrite of data files that a request
// may have. Of the others, the chain itself bounds the work, commits part by part
// and removes dangling deletes, and with all files rewritten every time it would
// never end.
func RewriteOptionKeys() []string {
	return []string{
		rewrite.OptionTargetFileSize, rewrite.OptionMinFileSize, rewrite.OptionMaxFileSize, rewrite.OptionMinInputFiles,
		rewrite.OptionMaxGroupSize, rewrite.OptionMaxGroupFiles, rewrite.OptionDeleteFiles, rewrite.OptionDeleteRatio,
		rewrite.OptionJobOrder, rewrite.OptionOutputSpec, rewrite.OptionConcurrentGroups, rewrite.OptionStartingSequence,
		rewrite.OptionDecodeAll, rewrite.OptionCopyRowGroups,
		rewrite.OptionCompressionFactor, rewrite.OptionShufflePartitions, rewrite.OptionVarLength, rewrite.OptionMaxOutputSize,
	}
}

// order is how the rows of new data files are put in order.
func (r Request) order(tbl *table.Table) (rewrite.Strategy, sortorder.Bound, error) {
	switch {
	case r.BinPack, r.Order == nil && tbl.SortOrder().IsUnsorted():
		return rewrite.BinPack, sortorder.Bound{}, nil
	case r.Order == nil:
		return rewrite.Ordered(sortorder.Order{}, tbl)
	}
	return rewrite.Ordered(*r.Order, tbl)
}

// planData plans the rewrite of main's data files.
func planData(ctx context.Context, tbl *table.Table, req Request, room int64) (job, error) {
	strategy, order, err := req.order(tbl)
	if err != nil {
		return nil, err
	}
	options, err := strategy.ParseOptions(req.Rewrite, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	plan, err := rewrite.NewPlan(ctx, rewrite.Request{Table: tbl, Where: req.Where, Options: partOptions(options, req.MaxBytes), Order: order})
	if err != nil {
		return nil, err
	}
	how := ""
	if text := order.String(); text != "" {
		how = "sorted by " + text
	}
	j := &rewriteJob[rewrite.Group]{
		how:      how,
		maxBytes: req.MaxBytes,
		view: func(g rewrite.Group) view {
			return view{files: len(g.Files), bytes: g.Bytes, filesOut: g.OutputFiles, reason: g.Reason}
		},
		none: func() string { return noData(plan) },
		part: func(ctx context.Context, env maintenance.Env, groups []rewrite.Group) (tally, error) {
			part := *plan
			part.Groups = groups
			r, err := part.Execute(ctx, env)
			return tally{files: r.RewrittenFiles, added: r.AddedFiles, bytes: r.RewrittenBytes, failedFiles: r.FailedFiles, failedCommits: r.FailedCommits}, err
		},
	}
	return j.choose(plan.Groups, room), nil
}

// noData says why no data file is rewritten.
func noData(plan *rewrite.Plan) string {
	var size int64
	for _, f := range plan.Skipped {
		size += f.Size()
	}
	switch {
	case len(plan.Skipped) > 0:
		return fmt.Sprintf("%s of %s: none is worth it, such as: %s", spelling.Count(len(plan.Skipped), "data file"), bytes(size), plan.Skipped[0].Reason)
	case plan.Unmatched > 0:
		return spelling.Count(plan.Unmatched, "data file") + ": no row of them can match the condition"
	}
	return "the table has no data files"
}
