package rewrite

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
)

// DeleteResult is what a rewrite of position delete files did. Bytes are those of
// files, or of deletion vectors in them.
type DeleteResult struct {
	RewrittenFiles, AddedFiles int
	RewrittenBytes, AddedBytes int64
	// FailedFiles are files of groups that could not be written, FailedCommits
	// batches that conflicted with another writer; with partial progress, neither
	// is an error.
	FailedFiles, FailedCommits int
}

// bytesPerPosition is what a deleted position is taken to need in memory, at most
// if positions lie together and about if they lie apart.
const bytesPerPosition = 8

// Execute writes the positions of the groups that are about live data files into
// new files and commits them: all in one commit, or with partial progress in
// batches as groups finish. Files that do not become part of the table are
// removed, unless the outcome of their commit is unknown. A group that does not
// fit into memory is refused before anything is written.
func (p *DeletePlan) Execute(ctx context.Context, env maintenance.Env) (DeleteResult, error) {
	if len(p.Groups) == 0 {
		return DeleteResult{}, nil
	}
	if err := maintenance.CheckClock(env, p.table); err != nil {
		return DeleteResult{}, err
	}
	env.Limits = withDefaults(env.Limits)
	atOnce := max(1, min(int(p.Options.ConcurrentGroups), env.Limits.Concurrency, len(p.Groups)))
	if err := p.checkMemory(env.Limits.MemoryBytes / int64(atOnce)); err != nil {
		return DeleteResult{}, err
	}
	env = maintenance.Begin(env, p.table, "rewrite_position_delete_files")
	result, err := p.execute(ctx, env, atOnce)
	env.Run.End()
	return result, err
}

func (p *DeletePlan) execute(ctx context.Context, env maintenance.Env, atOnce int) (DeleteResult, error) {
	w, err := newDeleteWriter(ctx, p.table, p.Options)
	if err != nil {
		return DeleteResult{}, err
	}
	w.output.run = env.Run.DataName()
	tally := newTally(env, p.Files())
	tally.add(len(p.Groups), p.Bytes())
	x := &deleteExecution{plan: p, env: env, writer: w, tally: tally}
	result, err := x.run(ctx, atOnce)
	if errors.Is(err, maintenance.ErrConflict) {
		err = fmt.Errorf("%w: call again, or set option %q, with which only the files in conflict are left out", err, OptionPartialProgress)
	}
	if err != nil && result.RewrittenFiles > 0 {
		err = fmt.Errorf("%w; before that, %d delete files were rewritten and committed", err, result.RewrittenFiles)
	}
	return result, err
}

// checkMemory refuses groups of more positions than fit.
func (p *DeletePlan) checkMemory(limit int64) error {
	for _, g := range p.Groups {
		if need := g.Rows * bytesPerPosition; need > limit {
			return fmt.Errorf("%w: the %d deletes of a group in partition %q are likely to need %d bytes of memory, %d more than it may have; allow more memory, or make groups smaller with option %q",
				maintenance.ErrRefused, g.Rows, g.Partition, need, need-limit, OptionMaxGroupSize)
		}
	}
	return nil
}

// deleteExecution is one run of a plan.
type deleteExecution struct {
	plan   *DeletePlan
	env    maintenance.Env
	writer *deleteWriter
	tally  *tally

	mu     sync.Mutex
	result DeleteResult
}

// writtenDeletes is a group that is written and waits for its commit.
type writtenDeletes struct {
	group    DeleteGroup
	files    []iceberg.DataFile
	paths    []string
	sequence int64
}

func (x *deleteExecution) run(ctx context.Context, atOnce int) (DeleteResult, error) {
	options := x.plan.Options
	options.ConcurrentGroups = int32(atOnce)
	b := batches[writtenDeletes]{
		options: options,
		write:   x.group,
		replace: func(batch []writtenDeletes) maintenance.Build { return x.replace(batch).Build(x.env) },
		commit: func(ctx context.Context, build maintenance.Build) error {
			_, err := maintenance.Commit(ctx, x.env, x.plan.table.Identifier(), build)
			return err
		},
		discard: x.discard, skipped: x.skipped, dropped: x.dropped, count: x.count, finished: x.tally.finished,
	}
	err := b.run(ctx, len(x.plan.Groups))
	return x.result, err
}

// group rewrites one group.
func (x *deleteExecution) group(ctx context.Context, index int) (writtenDeletes, error) {
	g := x.plan.Groups[index]
	out := writtenDeletes{group: g}
	for _, f := range g.Files {
		out.sequence = max(out.sequence, f.Sequence)
	}
	deleted, err := x.read(ctx, g)
	if err == nil {
		out.files, out.paths, err = x.writer.write(ctx, fmt.Sprintf("00000-%d", index), g, deleted)
	}
	if err == nil {
		err = checkPositions(out.files, deleted)
	}
	if err != nil {
		x.remove(ctx, out.paths)
		return out, fmt.Errorf("rewrite of %d delete files in partition %q: %w", len(g.Files), g.Partition, err)
	}
	return out, nil
}

// read reads the positions of a group that do not dangle. A deletion vector goes
// before position delete files: it has their positions, and readers look at it
// alone.
func (x *deleteExecution) read(ctx context.Context, g DeleteGroup) (positions, error) {
	deleted := positions{}
	hasVector := map[string]bool{}
	for _, vectors := range []bool{true, false} {
		for _, f := range g.Files {
			if maintenance.IsDV(f.File) != vectors {
				continue
			}
			found, err := datafile.Positions(ctx, x.writer.fs, x.plan.table.Metadata(), f.File, func(path string) bool {
				return !hasVector[path] && x.plan.live.reached(path, f.Sequence)
			})
			if err != nil {
				return nil, err
			}
			for path, bitmap := range found {
				if deleted[path] == nil {
					deleted[path] = bitmap
				} else {
					deleted[path].Or(bitmap)
				}
			}
			x.tally.advance(f.Size())
		}
		if vectors {
			for path := range deleted {
				hasVector[path] = true
			}
		}
	}
	return deleted, nil
}

// checkPositions compares the positions written with those read.
func checkPositions(files []iceberg.DataFile, deleted positions) error {
	var in int64
	for _, bitmap := range deleted {
		in += bitmap.Cardinality()
	}
	return checkCount(files, in)
}

// checkCount compares how many positions files have with how many they should.
func checkCount(files []iceberg.DataFile, want int64) error {
	var out int64
	for _, df := range files {
		out += df.Count()
	}
	if want != out {
		return fmt.Errorf("%w: %d rows are deleted but %d positions written", maintenance.ErrCorrupt, want, out)
	}
	return nil
}

// replace is the snapshot that a batch makes.
func (x *deleteExecution) replace(batch []writtenDeletes) maintenance.Replace {
	rep := maintenance.Replace{
		Branch: table.MainBranch, Since: x.plan.SnapshotID, Deletes: map[string]bool{},
		// What dangles may be of a group that is yet to be committed.
		KeepDangling: x.plan.Commits() > 1,
	}
	for _, d := range batch {
		for _, f := range d.group.Files {
			rep.Deletes[maintenance.DeleteFileKey(f.File)] = true
		}
		for _, df := range d.files {
			rep.AddDeletes = append(rep.AddDeletes, maintenance.NewDeleteFile{File: df, Sequence: d.sequence})
		}
	}
	return rep
}

func (x *deleteExecution) count(batch []writtenDeletes) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range batch {
		x.result.RewrittenFiles += len(d.group.Files)
		x.result.RewrittenBytes += d.group.Bytes
		x.result.AddedFiles += len(d.files)
		for _, df := range d.files {
			x.result.AddedBytes += maintenance.ContentSize(df)
		}
	}
}

func (x *deleteExecution) skipped(index int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	g := x.plan.Groups[index]
	x.result.FailedFiles += len(g.Files)
	x.env.Logger().Warn("group of delete files could not be rewritten", "partition", g.Partition, "files", len(g.Files), "error", err)
	x.env.Warnf("not done: %v; another call finds these files again", err)
}

func (x *deleteExecution) dropped(batch []writtenDeletes, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.result.FailedCommits++
	x.env.Logger().Warn("batch of groups of delete files could not be committed", "groups", len(batch), "error", err)
	x.env.Warnf("not committed: %d groups: %v; another call finds their files again", len(batch), err)
}

func (x *deleteExecution) discard(ctx context.Context, batch []writtenDeletes) {
	for _, d := range batch {
		x.remove(ctx, d.paths)
	}
}

func (x *deleteExecution) remove(ctx context.Context, paths []string) {
	removeDeletes(ctx, x.env, x.writer.fs, paths)
}

// removeDeletes removes new delete files that did not become part of the table.
func removeDeletes(ctx context.Context, env maintenance.Env, fs iceio.IO, paths []string) {
	removal := maintenance.RemoveFiles(context.WithoutCancel(ctx), fs, paths, 0)
	for _, f := range removal.Failed {
		env.Run.LeaveBehind()
		env.Logger().Warn("delete file could not be removed", "path", f.Path, "error", f.Err)
	}
}
