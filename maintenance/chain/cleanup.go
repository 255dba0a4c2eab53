package chain

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/spelling"
)

// expiryJob expires snapshots.
type expiryJob struct {
	plan *maintenance.Expiry
	all  int
}

func planExpiry(ctx context.Context, env maintenance.Env, tbl *table.Table, req Request) (job, error) {
	plan, err := maintenance.PlanExpiry(ctx, env, tbl.Identifier(), maintenance.ExpireOptions{OlderThan: req.OlderThan, RetainLast: req.RetainLast})
	return &expiryJob{plan, len(tbl.Metadata().Snapshots())}, err
}

func (j *expiryJob) outlook() Outlook {
	old := fmt.Sprintf("%s; those before %s are old", spelling.Count(j.all, "snapshot"), j.plan.OlderThan.Format(time.RFC3339Nano))
	if j.plan.Empty() {
		return Outlook{Reason: "none to expire of " + old}
	}
	o := Outlook{Run: true, Reason: fmt.Sprintf("%d to expire of %s", len(j.plan.Snapshots), old)}
	if n := len(j.plan.Refs); n > 0 {
		o.Reason = fmt.Sprintf("%s, and %s too old", o.Reason, spelling.Count(n, "branch or tag"))
	}
	o.FilesIn = int64(len(j.plan.Files))
	for _, f := range j.plan.Files {
		o.BytesIn += f.Bytes
	}
	return o
}

func (j *expiryJob) run(ctx context.Context, env maintenance.Env, _ func() bool) (outcome, error) {
	r, err := j.plan.Execute(ctx, env)
	if err != nil && r.Snapshots == 0 {
		return outcome{}, err
	}
	var files, size int64
	for _, kind := range maintenance.FileKinds() {
		files += r.Removed[kind]
		size += r.RemovedBytes[kind]
	}
	return outcome{
		text:   fmt.Sprintf("%s expired, %s of %s deleted", spelling.Count(r.Snapshots, "snapshot"), spelling.Count(files, "file"), bytes(size)),
		failed: undeleted(len(r.Failed)),
	}, err
}

// undeleted says how many files could not be deleted, nothing if none.
func undeleted[N int | int64](n N) string {
	if n == 0 {
		return ""
	}
	return spelling.Count(n, "file") + " could not be deleted, as the log says; nothing refers to them"
}

// orphanJob removes files that nothing refers to, by the defaults of
// maintenance.PlanOrphans. However many there are, they take little memory.
type orphanJob struct{ plan *maintenance.Orphans }

func planOrphans(ctx context.Context, env maintenance.Env, tbl *table.Table) (job, error) {
	plan, err := maintenance.PlanOrphans(ctx, env, tbl.Identifier(), maintenance.OrphanOptions{Stream: true})
	return &orphanJob{plan}, err
}

func (j *orphanJob) outlook() Outlook {
	where := fmt.Sprintf("below %s, last modified before %s", j.plan.Location, j.plan.OlderThan.Format(time.RFC3339Nano))
	if j.plan.Spared > 0 {
		where += fmt.Sprintf("; %s of calls that are still writing", spelling.Count(j.plan.Spared, "file"))
	}
	if j.plan.Count == 0 {
		return Outlook{Reason: "no orphan files " + where}
	}
	return Outlook{Run: true, FilesIn: j.plan.Count, BytesIn: j.plan.Bytes, Reason: spelling.Count(j.plan.Count, "orphan file") + " " + where}
}

func (j *orphanJob) run(ctx context.Context, env maintenance.Env, _ func() bool) (outcome, error) {
	r, err := j.plan.Execute(ctx, env)
	if err != nil {
		return outcome{}, err
	}
	return outcome{text: fmt.Sprintf("%s of %s deleted", spelling.Count(r.Removed, "file"), bytes(r.Bytes)), failed: undeleted(r.Failed)}, nil
}

// Close gives back scratch space.
func (j *orphanJob) Close() error { return j.plan.Close() }
