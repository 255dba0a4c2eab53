package chain

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
	"github.com/firndb/firn/spelling"
)

const noDeletes = "the table has no delete files"

// hasDeletes says whether the summary of main's snapshot admits delete files.
func hasDeletes(meta table.Metadata) bool {
	head := meta.CurrentSnapshot()
	return head != nil && (head.Summary == nil || head.Summary.Properties["total-delete-files"] != "0")
}

// nothing is a job without anything to do.
type nothing struct{ reason string }

func (n nothing) outlook() Outlook { return Outlook{Reason: n.reason} }

func (nothing) run(context.Context, maintenance.Env, func() bool) (outcome, error) {
	return outcome{}, nil
}

// danglingJob takes delete files out of main that apply to no data file.
type danglingJob struct {
	table table.Identifier
	files int
	size  int64
}

func planDangling(ctx context.Context, tbl *table.Table) (job, error) {
	if !hasDeletes(tbl.Metadata()) {
		return nothing{noDeletes}, nil
	}
	files, err := maintenance.DanglingDeletes(ctx, tbl, table.MainBranch)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nothing{"every delete file may apply to a data file"}, nil
	}
	j := &danglingJob{table: tbl.Identifier(), files: len(files)}
	for _, df := range files {
		j.size += maintenance.ContentSize(df)
	}
	return j, nil
}

func (j *danglingJob) outlook() Outlook {
	return Outlook{Run: true, FilesIn: int64(j.files), BytesIn: j.size, Reason: spelling.Count(j.files, "delete file") + " without a data file to apply to"}
}

func (j *danglingJob) run(ctx context.Context, env maintenance.Env, _ func() bool) (outcome, error) {
	n, err := maintenance.RemoveDanglingDeletes(ctx, env, j.table, table.MainBranch)
	if err != nil {
		return outcome{}, err
	}
	return outcome{text: spelling.Count(n, "delete file") + " taken out"}, nil
}

// planDeletes plans the rewrite of main's position delete files.
func planDeletes(ctx context.Context, tbl *table.Table, req Request, room int64) (job, error) {
	if !hasDeletes(tbl.Metadata()) {
		return nothing{noDeletes}, nil
	}
	options, err := rewrite.ParseDeleteOptions(nil, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	plan, err := rewrite.NewDeletePlan(ctx, rewrite.DeleteRequest{Table: tbl, Where: req.Where, Options: partOptions(options, req.MaxBytes)})
	if err != nil {
		return nil, err
	}
	j := &rewriteJob[rewrite.DeleteGroup]{
		maxBytes: req.MaxBytes,
		view: func(g rewrite.DeleteGroup) view {
			return view{files: len(g.Files), bytes: g.Bytes, filesOut: g.OutputFiles, reason: g.Reason}
		},
		none: func() string { return noPositionDeletes(plan) },
		part: func(ctx context.Context, env maintenance.Env, groups []rewrite.DeleteGroup) (tally, error) {
			part := *plan
			part.Groups = groups
			r, err := part.Execute(ctx, env)
			return tally{files: r.RewrittenFiles, added: r.AddedFiles, bytes: r.RewrittenBytes, failedFiles: r.FailedFiles, failedCommits: r.FailedCommits}, err
		},
	}
	return j.choose(plan.Groups, room), nil
}

// noPositionDeletes says why no delete file is rewritten.
func noPositionDeletes(plan *rewrite.DeletePlan) string {
	switch {
	case len(plan.Skipped) > 0:
		return fmt.Sprintf("%s: none is worth it, such as: %s", spelling.Count(len(plan.Skipped), "position delete file"), plan.Skipped[0].Reason)
	case plan.Unmatched > 0:
		return spelling.Count(plan.Unmatched, "position delete file") + ": no row of their partitions can match the condition"
	}
	return "the table has no position delete files"
}
