package rewrite

import (
	"context"
	"fmt"
	"sync"

	iceio "github.com/apache/iceberg-go/io"

	"github.com/firndb/firn/maintenance"
)

// Result is what a rewrite did.
type Result struct {
	RewrittenFiles, AddedFiles int
	RewrittenBytes             int64
	// FailedFiles are files of groups that could not be written.
	FailedFiles    int
	RemovedDeletes int
	// MovedRows are rows of new files that were not decoded.
	MovedRows int64
	// FailedCommits are batches that conflicted with another writer and were
	// dropped; their groups are as they were.
	FailedCommits int
}

// Execute rewrites the groups and commits them: all in one commit, or with
// partial progress in batches as groups finish. Files that do not become part
// of the table are removed, unless the outcome of their commit is unknown.
//
// Groups whose files another writer has changed meanwhile are left out of the
// commit, planned anew and rewritten again, as often as the table's commit.retry
// properties allow (Spark gives up all groups of a commit then). Another failure
// ends the rewrite without partial progress. With it, a group that cannot be
// written counts as failed, a batch that cannot be committed is dropped, and the
// error says so only if there were more such batches than
// Options.MaxFailedCommits.
func (p *Plan) Execute(ctx context.Context, env maintenance.Env) (Result, error) {
	if len(p.Groups) == 0 {
		return Result{}, nil
	}
	env.Limits = withDefaults(env.Limits)
	env = maintenance.Begin(env, p.table, "rewrite_data_files")
	result, err := p.all(ctx, env)
	env.Run.End()
	return result, err
}

// all executes the plan until nothing is left of it to be done.
func (p *Plan) all(ctx context.Context, env maintenance.Env) (Result, error) {
	var result Result
	err := p.attempts(ctx, env, &result)
	if err != nil && result.RewrittenFiles > 0 {
		err = fmt.Errorf("%w; before that, %d files were rewritten and committed", err, result.RewrittenFiles)
	}
	if limit := int(p.Options.MaxFailedCommits); err == nil && p.Options.PartialProgress && result.FailedCommits > limit {
		err = fmt.Errorf("%w: %d commits of the rewrite failed, more than %q %d; what the others did is done", maintenance.ErrConflict, result.FailedCommits, OptionMaxFailedCommits, limit)
	}
	if err != nil || !p.Options.RemoveDangling {
		return result, err
	}
	removed, err := maintenance.RemoveDanglingDeletes(ctx, env, p.table.Identifier(), p.Branch)
	result.RemovedDeletes += removed
	return result, err
}

// attempts executes the plan, and plans of the groups that lost against other
// writers.
func (p *Plan) attempts(ctx context.Context, env maintenance.Env, result *Result) error {
	plan, tally := p, newTally(env, p.Files())
	for attempt := 1; len(plan.Groups) > 0; attempt++ {
		lost, err := plan.execute(ctx, env, tally, result)
		if err != nil || len(lost.groups) == 0 {
			return err
		}
		again, err := maintenance.TryAgain(ctx, env, plan.table.Properties(), attempt)
		if err != nil {
			return err
		}
		if !again && p.Options.PartialProgress {
			result.FailedCommits++
			return nil
		}
		if !again {
			return lostAlways(lost.cause, attempt)
		}
		if plan, err = p.again(ctx, env, lost.groups); err != nil {
			return err
		}
	}
	return nil
}

// lostAlways is the error of a job that has lost against other writers so often.
func lostAlways(cause error, attempts int) error {
	return fmt.Errorf("%w: during each of %d attempts; call again when there are fewer writers, or raise table property %q", cause, attempts, "commit.retry.num-retries")
}

// lost are groups whose files another writer has changed.
type lost struct {
	groups []Group
	cause  error
}

// execute executes the plan once and adds what was done to result.
func (p *Plan) execute(ctx context.Context, env maintenance.Env, tally *tally, result *Result) (lost, error) {
	if err := maintenance.CheckClock(env, p.table); err != nil {
		return lost{}, err
	}
	if err := p.checkScratch(env.Limits); err != nil {
		return lost{}, err
	}
	r, err := newRunner(ctx, p, env)
	if err != nil {
		return lost{}, err
	}
	tally.add(len(p.Groups), p.Bytes())
	x := &execution{plan: p, env: env, runner: r, fs: r.out.fs, tally: tally, result: result}
	r.progress, r.remove = tally.advance, x.remove
	err = x.run(ctx)
	return x.lost, err
}

func withDefaults(l maintenance.Limits) maintenance.Limits {
	d := maintenance.DefaultLimits()
	if l.Concurrency < 1 {
		l.Concurrency = d.Concurrency
	}
	if l.MemoryBytes < 1 {
		l.MemoryBytes = d.MemoryBytes
	}
	return l
}

// execution is one run of a plan.
type execution struct {
	plan   *Plan
	env    maintenance.Env
	runner *runner
	fs     iceio.IO
	tally  *tally

	mu     sync.Mutex
	result *Result
	lost   lost
}

// done is a group that is written and waits for its commit.
type done struct {
	group Group
	written
}

func (x *execution) run(ctx context.Context) error {
	b := batches[done]{
		options: x.plan.Options,
		write:   x.group,
		replace: func(batch []done) maintenance.Build { return x.replace(batch).Build(x.env) },
		commit: func(ctx context.Context, build maintenance.Build) error {
			_, err := maintenance.Commit(ctx, x.env, x.plan.table.Identifier(), build)
			return err
		},
		discard: x.discard, skipped: x.failed, dropped: x.dropped, count: x.count, finished: x.tally.finished,
		touched: touchedGroups, retired: x.retired,
	}
	return b.run(ctx, len(x.plan.Groups))
}

// group writes one group.
func (x *execution) group(ctx context.Context, index int) (done, error) {
	g := x.plan.Groups[index]
	w, err := x.runner.run(ctx, index, g)
	if err != nil {
		x.remove(ctx, w.paths)
		return done{}, fmt.Errorf("rewrite of %d files in partition %q: %w", len(g.Files), g.Partition, err)
	}
	return done{g, w}, nil
}

func (x *execution) failed(index int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	g := x.plan.Groups[index]
	x.result.FailedFiles += len(g.Files)
	x.env.Logger().Warn("group could not be rewritten", "partition", g.Partition, "files", len(g.Files), "error", err)
	x.env.Warnf("not done: %v; another call finds these files again", err)
}

func (x *execution) dropped(batch []done, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.result.FailedCommits++
	x.env.Logger().Warn("batch of groups could not be committed", "groups", len(batch), "error", err)
	x.env.Warnf("not committed: %d groups: %v; another call finds their files again", len(batch), err)
}

// retired takes note of groups that another writer has changed.
func (x *execution) retired(groups []done, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lost.cause = err
	for _, d := range groups {
		x.lost.groups = append(x.lost.groups, d.group)
	}
	x.env.Logger().Warn("groups were changed by another writer", "groups", len(groups), "error", err)
}

// replace is the snapshot that a batch makes.
func (x *execution) replace(batch []done) maintenance.Replace {
	// The last of several commits is for dangling deletes, where they count.
	keep := x.plan.Options.RemoveDangling && x.plan.Commits() > 1
	rep := maintenance.Replace{Branch: x.plan.Branch, Since: x.plan.SnapshotID, Deletes: map[string]bool{}, KeepDangling: keep}
	if x.plan.Options.StartingSequence && x.plan.table.Metadata().Version() > 1 {
		rep.Sequence = &x.plan.Sequence
	}
	for _, d := range batch {
		for _, f := range d.group.Files {
			rep.Data = append(rep.Data, maintenance.RefOf(f.Task.File))
		}
		for key := range d.group.vectors() {
			rep.Deletes[key] = true
		}
		rep.Add = append(rep.Add, d.files...)
	}
	return rep
}

func (x *execution) count(batch []done) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range batch {
		x.result.RewrittenFiles += len(d.group.Files)
		x.result.RewrittenBytes += d.group.Bytes
		x.result.AddedFiles += len(d.files)
		x.result.MovedRows += d.moved
		x.result.RemovedDeletes += d.group.DeletionVectors()
	}
}

// discard removes the files of groups that are certainly not part of the table.
func (x *execution) discard(ctx context.Context, batch []done) {
	for _, d := range batch {
		x.remove(ctx, d.paths)
	}
}

func (x *execution) remove(ctx context.Context, paths []string) {
	removal := maintenance.RemoveFiles(context.WithoutCancel(ctx), x.fs, paths, 0)
	for _, f := range removal.Failed {
		x.env.Run.LeaveBehind()
		x.env.Logger().Warn("data file could not be removed", "path", f.Path, "error", f.Err)
	}
}
