package rewrite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/table/dv"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/datafile"
)

// ConvertResult is what a conversion of equality delete files did.
type ConvertResult struct {
	// ConvertedFiles are equality delete files that are no longer part of the table,
	// AddedFiles the position delete files and deletion vectors in their place.
	ConvertedFiles, AddedFiles int
}

// Execute looks for the rows that the equality deletes delete, writes their
// positions into new files and commits those in the place of the equality delete
// files, all in one commit. Files that do not become part of the table are
// removed, unless the outcome of the commit is unknown. A conversion that loses
// against another writer is planned anew, as often as the table's commit.retry
// properties allow.
func (p *ConvertPlan) Execute(ctx context.Context, env maintenance.Env) (ConvertResult, error) {
	if len(p.Groups) == 0 {
		return ConvertResult{}, nil
	}
	env.Limits = withDefaults(env.Limits)
	env = maintenance.Begin(env, p.request.Table, "convert_equality_deletes")
	result, err := p.attempts(ctx, env)
	env.Run.End()
	return result, err
}

func (p *ConvertPlan) attempts(ctx context.Context, env maintenance.Env) (ConvertResult, error) {
	plan, tally := p, newTally(env, p.Files())
	for attempt := 1; len(plan.Groups) > 0; attempt++ {
		result, err := plan.execute(ctx, env, tally)
		var conflict *maintenance.Conflict
		if !errors.As(err, &conflict) {
			return result, err
		}
		again, failed := maintenance.TryAgain(ctx, env, plan.request.Table.Properties(), attempt)
		if failed != nil {
			return ConvertResult{}, failed
		}
		if !again {
			return ConvertResult{}, lostAlways(err, attempt)
		}
		req := p.request
		if req.Table, err = env.Catalog.Load(ctx, p.request.Table.Identifier()); err != nil {
			return ConvertResult{}, err
		}
		if plan, err = NewConvertPlan(ctx, req); err != nil {
			return ConvertResult{}, err
		}
	}
	return ConvertResult{}, nil
}

// execute executes the plan once.
func (p *ConvertPlan) execute(ctx context.Context, env maintenance.Env, tally *tally) (ConvertResult, error) {
	tbl := p.request.Table
	if err := maintenance.CheckClock(env, tbl); err != nil {
		return ConvertResult{}, err
	}
	w, err := newDeleteWriter(ctx, tbl, p.request.Options)
	if err != nil {
		return ConvertResult{}, err
	}
	options := p.request.Options
	options.ConcurrentGroups = max(1, min(options.ConcurrentGroups, int32(min(env.Limits.Concurrency, len(p.Groups)))))
	w.output.run = env.Run.DataName()
	// A quarter for keys of equality deletes and one for deletion vectors.
	share := env.Limits.MemoryBytes / 4 / int64(options.ConcurrentGroups)
	w.held = max(1, share)
	x := &conversion{plan: p, env: env, writer: w, tally: tally, slots: make(chan struct{}, env.Limits.Concurrency)}
	x.reading = datafile.Options{FilesAtOnce: readAtOnce, BufferBytes: env.Limits.MemoryBytes / int64(env.Limits.Concurrency) / 32, KeyBytes: max(1, share)}
	tally.add(len(p.Groups), p.Bytes())
	b := batches[converted]{
		options: options, write: x.group,
		replace: func(groups []converted) maintenance.Build { return x.replace(groups).Build(env) },
		commit: func(ctx context.Context, build maintenance.Build) error {
			_, err := maintenance.Commit(ctx, env, tbl.Identifier(), build)
			return err
		},
		discard: x.discard, count: x.count, finished: tally.finished,
	}
	err = b.run(ctx, len(p.Groups))
	return x.result, err
}

// conversion is one run of a plan.
type conversion struct {
	plan    *ConvertPlan
	env     maintenance.Env
	writer  *deleteWriter
	reading datafile.Options
	tally   *tally
	// slots bounds how many data files are looked at at once over all groups.
	slots  chan struct{}
	result ConvertResult
}

// converted is a group that is written and waits for the commit.
type converted struct {
	group ConvertGroup
	files []iceberg.DataFile
	paths []string
	// targets are the data files that files are about, and superseded the keys of the
	// delete files of these alone that they take the place of.
	targets    []string
	superseded []string
	sequence   int64
}

// group converts one group.
func (x *conversion) group(ctx context.Context, index int) (converted, error) {
	g := x.plan.Groups[index]
	out := converted{group: g}
	if len(g.Data) == 0 {
		return out, nil
	}
	sink, err := x.writer.sink(ctx, fmt.Sprintf("00000-%d", index), g.Data[0].Task.File, 0)
	if err != nil {
		return out, err
	}
	defer sink.abort()
	deleted, err := x.convert(ctx, g, sink, &out)
	out.files, out.paths = sink.written()
	if err == nil {
		err = checkCount(out.files, deleted)
	}
	if err != nil {
		x.remove(ctx, out.paths)
		return out, fmt.Errorf("conversion of equality deletes of %d data files in partition %q: %w", len(g.Data), g.Partition, err)
	}
	return out, nil
}

// convert looks at a group's data files, several at once, and writes what it finds
// in the order of their paths. It returns how many positions that is.
func (x *conversion) convert(ctx context.Context, g ConvertGroup, sink deleteSink, out *converted) (int64, error) {
	files := slices.SortedFunc(slices.Values(g.Data), func(a, b File) int { return strings.Compare(a.Path(), b.Path()) })
	reader := x.reader(files)
	var deleted int64
	for some := range slices.Chunk(files, cap(x.slots)) {
		found := make([]*dv.RoaringPositionBitmap, len(some))
		eg, gctx := errgroup.WithContext(ctx)
		for i, f := range some {
			guard.Go(eg, func() (err error) {
				select {
				case x.slots <- struct{}{}:
					defer func() { <-x.slots }()
				case <-gctx.Done():
					return gctx.Err()
				}
				found[i], err = reader.find(gctx, f)
				return err
			})
		}
		if err := eg.Wait(); err != nil {
			return 0, err
		}
		for i, f := range some {
			if !found[i].IsEmpty() {
				if err := sink.add(ctx, f.Path(), found[i]); err != nil {
					return 0, err
				}
				deleted += found[i].Cardinality()
				x.plan.note(f, out)
			}
			x.tally.advance(f.Size())
		}
	}
	return deleted, sink.finish(ctx)
}

// note takes note of a data file with new position deletes. They get the greatest
// sequence number of the deletes that they have the rows of. In version 3 these are
// all of the file's, and those that are about this file alone go.
func (p *ConvertPlan) note(f File, out *converted) {
	out.targets = append(out.targets, f.Path())
	had := f.Task.EqualityDeleteFiles
	if p.vectors() {
		old := slices.Concat(f.Task.DeletionVectorFiles, f.Task.DeleteFiles)
		had = slices.Concat(had, old)
		for _, d := range old {
			if maintenance.ReferencedFile(d) == f.Path() {
				out.superseded = append(out.superseded, maintenance.DeleteFileKey(d))
			}
		}
	}
	for _, d := range had {
		out.sequence = max(out.sequence, p.sequences[maintenance.DeleteFileKey(d)])
	}
}

// vectors says that positions are written as deletion vectors.
func (p *ConvertPlan) vectors() bool { return p.request.Table.Metadata().Version() >= 3 }

// replace is the snapshot of all groups.
func (x *conversion) replace(groups []converted) maintenance.Replace {
	rep := maintenance.Replace{
		Branch: table.MainBranch, Since: x.plan.SnapshotID, Deletes: map[string]bool{}, KeepDangling: true,
	}
	for _, c := range groups {
		for _, f := range c.group.Files {
			rep.Deletes[maintenance.DeleteFileKey(f.File)] = true
			rep.Converted = append(rep.Converted, maintenance.Converted{SpecID: f.File.SpecID(), Partition: maintenance.PartitionKey(f.File), Sequence: f.Sequence})
		}
		for _, key := range c.superseded {
			rep.Deletes[key] = true
		}
		rep.Needed = append(rep.Needed, c.targets...)
		for _, df := range c.files {
			rep.AddDeletes = append(rep.AddDeletes, maintenance.NewDeleteFile{File: df, Sequence: c.sequence})
		}
	}
	return rep
}

func (x *conversion) count(groups []converted) {
	for _, c := range groups {
		x.result.ConvertedFiles += len(c.group.Files)
		x.result.AddedFiles += len(c.files)
	}
}

func (x *conversion) discard(ctx context.Context, groups []converted) {
	for _, c := range groups {
		x.remove(ctx, c.paths)
	}
}

func (x *conversion) remove(ctx context.Context, paths []string) {
	removeDeletes(ctx, x.env, x.writer.fs, paths)
}
