package maintenance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance/journal"
)

// removedAtOnce is how many orphans are removed before the next are looked at.
const removedAtOnce = 64 * catalog.MostBulk

// OrphanResult is what a removal of orphan files did.
type OrphanResult struct {
	// Files are those of the plan's Files that were still orphans.
	Files []OrphanFile
	// Removed is how many files were still orphans and are gone, Tagged how many have
	// the tag instead, since this call or an earlier one, Bytes how long they are
	// together, Failed how many could not be removed or tagged.
	Removed, Tagged, Bytes, Failed int64
}

// Execute removes the files, or tags them, but for those that the table, read anew,
// refers to by now, or that a run in the journal is writing. A file that cannot be is a
// warning and does not stop the others. It may be called once; a plan that is not
// executed is closed.
func (p *Orphans) Execute(ctx context.Context, env Env) (result OrphanResult, err error) {
	defer func() { err = errors.Join(err, p.Close()) }()
	if p.Count == 0 && len(p.Files) == 0 {
		return result, nil
	}
	live, err := env.liveRuns()
	if err != nil {
		return result, err
	}
	tbl, err := env.Catalog.Load(ctx, p.Table)
	if err != nil {
		return result, err
	}
	r, err := p.newRemoval(ctx, env, tbl)
	if err != nil {
		return result, p.untouched(err)
	}
	defer r.close()
	r.live = live
	files, err := r.unused(p.Files)
	if err == nil {
		err = r.conflict()
	}
	if err != nil {
		return result, p.untouched(err)
	}
	if p.spill != nil {
		err = p.spill.chunks(removedAtOnce, r.check)
	} else {
		err = r.remove(files)
	}
	if err != nil {
		return result, fmt.Errorf("table %q: some of %d orphan files have been %s: %w", strings.Join(p.Table, "."), p.Count, p.done(), err)
	}
	r.failed.warn(env, p.done(), "orphan files, which the next call finds again")
	result = OrphanResult{Files: files, Removed: r.removed, Bytes: r.bytes, Failed: int64(r.failed.n)}
	if p.Options.Tag {
		result.Removed, result.Tagged = 0, r.removed
	}
	return result, nil
}

// untouched is an error before any file is removed or tagged.
func (p *Orphans) untouched(err error) error {
	return fmt.Errorf("table %q: %w; nothing has been %s", strings.Join(p.Table, "."), err, p.done())
}

// Close gives up a plan that will not be executed.
func (p *Orphans) Close() error {
	if p.spill != nil {
		p.spill.file.close()
		p.spill = nil
	}
	return nil
}

// orphanRemoval removes the files of a plan, or tags them.
type orphanRemoval struct {
	ctx     context.Context
	env     Env
	plan    *Orphans
	store   iceio.IO
	deletes int
	// used are the files that the table refers to, if it has changed.
	used *usedFiles
	// live are in the names of files that are being written.
	live journal.Names
	done int
	// removed is how many files are gone, or have the tag.
	removed, bytes int64
	failed         failures
}

func (p *Orphans) newRemoval(ctx context.Context, env Env, tbl *table.Table) (r *orphanRemoval, err error) {
	r = &orphanRemoval{ctx: ctx, env: env, plan: p, deletes: p.Options.Deletes}
	if r.deletes == 0 {
		r.deletes = env.Limits.removals()
	}
	if r.store, err = tbl.FS(ctx); err != nil || p.Base != "" && tbl.MetadataLocation() == p.Base && !p.Options.Neighbours {
		return r, err
	}
	if err := checkCollectable(tbl); err != nil {
		return nil, err
	}
	rules, err := newPathRules(p.Options)
	if err != nil {
		return nil, err
	}
	tables := []*table.Table{tbl}
	if p.Options.Neighbours {
		if tables, err = p.tables(ctx, env, tbl, rules); err != nil || slices.Equal(versions(tables), p.bases) {
			return r, err
		}
	}
	r.used, err = referencedFiles(ctx, env, tables, rules)
	return r, err
}

func (r *orphanRemoval) close() {
	if r.used != nil {
		r.used.close()
	}
}

func (r *orphanRemoval) conflict() error {
	if r.used == nil {
		return nil
	}
	return r.used.conflict()
}

// unused are the files that the table does not refer to and nobody writes.
func (r *orphanRemoval) unused(files []OrphanFile) ([]OrphanFile, error) {
	if len(r.live) > 0 {
		files = slices.DeleteFunc(slices.Clone(files), func(f OrphanFile) bool { return r.live.In(f.Path) })
	}
	if r.used == nil {
		return files, nil
	}
	candidates, bytes := make([]candidate, len(files)), make(map[string]int64, len(files))
	for i, f := range files {
		candidates[i], bytes[f.Path] = newCandidate(f.Path, nil), f.Bytes
	}
	free, err := r.used.orphans(candidates)
	left := make([]OrphanFile, len(free))
	for i, c := range free {
		left[i] = OrphanFile{Path: c.path(), Bytes: bytes[c.path()]}
	}
	return left, err
}

// check removes those of the files that are unused.
func (r *orphanRemoval) check(files []OrphanFile) error {
	files, err := r.unused(files)
	if err == nil {
		err = r.conflict()
	}
	if err != nil {
		return err
	}
	return r.remove(files)
}

// remove removes files that are unused, or tags them.
func (r *orphanRemoval) remove(files []OrphanFile) error {
	for from := 0; from < len(files); from += removedAtOnce {
		var paths []string
		bytes := map[string]int64{}
		for _, f := range files[from:min(from+removedAtOnce, len(files))] {
			path := exact(f.Path)
			paths = append(paths, path)
			bytes[path] = f.Bytes
		}
		removal, err := r.apply(paths)
		if err != nil {
			return err
		}
		for _, path := range removal.Removed {
			r.removed++
			r.bytes += bytes[path]
		}
		r.failed.add(removal.Failed)
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.done += len(paths)
		r.env.Report(Update{Phase: PhaseRemove, Done: r.done, Total: int(r.plan.Count), Files: int(r.plan.Count)})
	}
	return nil
}

func (r *orphanRemoval) apply(paths []string) (Removal, error) {
	if r.plan.Options.Tag {
		return r.env.tagFiles(r.ctx, catalog.TaggerOf(r.store), paths, r.deletes)
	}
	return r.env.removeFiles(r.ctx, r.store, paths, r.deletes), nil
}
