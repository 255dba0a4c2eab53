package maintenance

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// Execute writes the new manifests and commits a snapshot of operation replace
// that has them in place of the old (Java's BaseRewriteManifests). What other
// writers commit meanwhile stays; if they took away a manifest that was to be
// rewritten, the plan is made anew. When nothing has been committed the new
// manifests are removed.
//
// The error wraps ErrConflict, ErrCommitUnknown or ErrRefused as [Commit]'s does.
func (p *ManifestRewrite) Execute(ctx context.Context, env Env) (ManifestResult, error) {
	if p.Empty() {
		return ManifestResult{}, nil
	}
	env = begin(env, "rewrite_manifests")
	result, err := p.execute(ctx, env)
	env.Run.End()
	return result, err
}

func (p *ManifestRewrite) execute(ctx context.Context, env Env) (ManifestResult, error) {
	r := &manifestJob{env: env, plan: p}
	_, err := Commit(ctx, env, p.Table, r.build)
	switch {
	case err == nil && r.committed:
		return r.result(), nil
	case !errors.Is(err, ErrCommitUnknown):
		r.discard(ctx)
	}
	if err != nil {
		err = fmt.Errorf("rewrite manifests: %w", err)
	}
	return ManifestResult{}, err
}

// manifestJob is the execution of a plan over all attempts to commit it.
type manifestJob struct {
	env  Env
	plan *ManifestRewrite
	// writer has written the manifests, nil before. Its snapshot id is that of
	// every attempt, because the manifests have it.
	writer *snapshotDraft
	added  []iceberg.ManifestFile
	// committed says that the last attempt was one to commit.
	committed bool
}

func (r *manifestJob) result() ManifestResult {
	return ManifestResult{Rewritten: len(r.plan.replaced()), Added: len(r.added)}
}

// replaced are the paths of the manifests that go.
func (p *ManifestRewrite) replaced() map[string]bool {
	paths := map[string]bool{}
	for _, g := range p.Groups {
		for _, m := range g.Manifests {
			paths[m.FilePath()] = true
		}
	}
	return paths
}

// build is one attempt. The manifests are written by the first, and again only
// if the plan no longer holds.
func (r *manifestJob) build(ctx context.Context, base *table.Table) (*Change, error) {
	r.committed = false
	describe(r.env, base)
	d, err := newSnapshotDraft(ctx, r.env, base, table.MainBranch)
	if err != nil {
		return nil, err
	}
	manifests, err := d.parent.Manifests(d.fs)
	if err != nil {
		return nil, unreadable("manifest list", d.parent.ManifestList, err)
	}
	kept, holds := r.keep(manifests)
	if !holds {
		r.discard(ctx)
		plan, err := planManifests(ctx, r.env, base, r.plan.Options)
		if err != nil {
			return nil, fmt.Errorf("table %q has changed: %w", strings.Join(base.Identifier(), "."), err)
		}
		if r.plan = plan; plan.Empty() {
			return nil, nil
		}
		kept, _ = r.keep(manifests)
	}
	if r.writer == nil {
		if err := r.write(ctx, d); err != nil {
			return nil, err
		}
		if d, err = newSnapshotDraft(ctx, r.env, base, table.MainBranch); err != nil {
			return nil, err
		}
	}
	d.id = r.writer.id
	change, err := r.finish(ctx, d, kept)
	if err != nil {
		d.discard(ctx)
		return nil, err
	}
	r.committed = true
	return change, nil
}

// keep are the manifests that stay; holds says whether all that go are there.
func (r *manifestJob) keep(manifests []iceberg.ManifestFile) (kept []iceberg.ManifestFile, holds bool) {
	gone := r.plan.replaced()
	for _, m := range manifests {
		if gone[m.FilePath()] {
			delete(gone, m.FilePath())
		} else {
			kept = append(kept, m)
		}
	}
	return kept, len(gone) == 0
}

// write writes the new manifests through d, which is for nothing else.
func (r *manifestJob) write(ctx context.Context, d *snapshotDraft) error {
	r.writer = d
	progress := Update{Phase: PhaseManifests, Files: len(r.plan.replaced())}
	for _, g := range r.plan.Groups {
		progress.Total += int(g.Out)
	}
	r.env.Report(progress)
	wrote := func(n int) {
		progress.Done += n
		r.env.Report(progress)
	}
	for _, g := range r.plan.Groups {
		files, err := d.writeManifests(ctx, g, wrote)
		if err != nil {
			return err
		}
		r.added = append(r.added, files...)
	}
	return nil
}

// discard removes what has been written, which nothing refers to.
func (r *manifestJob) discard(ctx context.Context) {
	if r.writer != nil {
		r.writer.discard(ctx)
	}
	r.writer, r.added = nil, nil
}

// finish makes the change of an attempt; the new manifests go first.
func (r *manifestJob) finish(ctx context.Context, d *snapshotDraft, kept []iceberg.ManifestFile) (*Change, error) {
	summary := newSummary().build(d.meta, d.parent, len(r.added), len(kept), len(r.plan.replaced()))
	var entries int64
	for _, g := range r.plan.Groups {
		entries += g.Entries
	}
	summary["entries-processed"] = strconv.FormatInt(entries, 10)
	return d.finish(ctx, table.OpReplace, append(append([]iceberg.ManifestFile{}, r.added...), kept...), summary)
}
