package maintenance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance/journal"
)

// leftovers are the files of runs on one table that the table may not need.
type leftovers struct {
	*settling
	// uuid is the table's.
	uuid string
	// before is when files of the runs were last modified.
	before time.Time
	ripe   []*journal.Entry
	// current are the names of metadata files that the table had when the files
	// were looked for.
	current map[string]bool
	// found are the files with names of the runs, and those of their commits.
	found []leftover
}

// leftover is a file of a run.
type leftover struct {
	run *journal.Entry
	// path is what the store is asked to remove, name its last part, by which
	// it is known: it has a UUID that nobody else's name has.
	path, name string
	// base, of a metadata file, is the version that it was made from.
	base  string
	bytes int64
	young bool
}

// remove looks for the files and removes those that nothing refers to. The files
// are listed before the table is read: one that a commit refers to which came
// before the listing is seen to be needed.
func (l *leftovers) remove(ctx context.Context) {
	if err := l.tryRemove(ctx); err != nil {
		for _, e := range l.ripe {
			if errors.Is(err, ErrRefused) || errors.Is(err, ErrUnsupported) {
				e.State = journal.Left
			}
			add(e, "files have not been looked for or removed: %v", err)
		}
	}
}

func (l *leftovers) tryRemove(ctx context.Context) error {
	tbl, err := l.env.Catalog.Load(ctx, l.ripe[0].Table)
	if err != nil {
		return err
	}
	if err := l.list(ctx, tbl); err != nil {
		return err
	}
	if tbl, err = l.env.Catalog.Load(ctx, l.ripe[0].Table); err != nil {
		return err
	}
	if tbl.Metadata().TableUUID().String() != l.uuid {
		return catalog.ErrNoSuchTable
	}
	var free []leftover
	if len(l.found) > 0 {
		needed, err := namesNeeded(ctx, l.env, tbl, l.found)
		if err != nil {
			return err
		}
		free = slices.DeleteFunc(slices.Clone(l.found), func(f leftover) bool { return needed[f.name] || f.base != "" && !unpublished(tbl, f.base) })
	}
	if len(free) > 0 {
		if err := checkCollectable(tbl); err != nil {
			return err
		}
		if err := l.checkPlaces(ctx, tbl); err != nil {
			return err
		}
	}
	return l.clear(ctx, tbl, free)
}

// places are where the runs' files are, none within another.
func (l *leftovers) places() []string {
	all := map[string]bool{}
	for _, e := range l.ripe {
		for _, p := range e.Places {
			all[literal(strings.TrimRight(p, "/"))] = true
		}
	}
	var roots []string
	for _, p := range slices.Sorted(maps.Keys(all)) {
		if !slices.ContainsFunc(roots, func(root string) bool { return within(p, root) }) {
			roots = append(roots, p)
		}
	}
	return roots
}

// checkPlaces refuses places where another table has files.
func (l *leftovers) checkPlaces(ctx context.Context, tbl *table.Table) error {
	rules, err := newPathRules(OrphanOptions{})
	if err != nil {
		return err
	}
	for _, place := range l.places() {
		if err := checkNeighbours(ctx, l.env, tbl, place, rules); err != nil {
			return err
		}
	}
	return nil
}

// list finds the files whose names are of the runs, and the metadata files that
// their commits have written.
func (l *leftovers) list(ctx context.Context, tbl *table.Table) error {
	store, err := tbl.FS(ctx)
	if err != nil {
		return err
	}
	l.current = map[string]bool{}
	for _, path := range metadataVersions(tbl) {
		l.current[path[strings.LastIndexByte(path, '/')+1:]] = true
	}
	var mu sync.Mutex
	how := catalog.Listing{Parallel: l.env.Limits.reads(), Wait: l.env.wait}
	for _, place := range l.places() {
		err := catalog.List(ctx, store, place, how, func(objects []catalog.Object) error {
			mu.Lock()
			defer mu.Unlock()
			for _, o := range objects {
				if err := l.take(ctx, store, exact(place+"/"+o.Below), o); err != nil {
					return err
				}
			}
			return nil
		})
		if errors.Is(err, errors.ErrUnsupported) {
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// take notes a file if it is one of the runs'.
func (l *leftovers) take(ctx context.Context, store iceio.IO, path string, o catalog.Object) error {
	name := o.Below[strings.LastIndexByte(o.Below, '/')+1:]
	if e := l.owner(name); e != nil {
		return l.add(e, path, "", o.Stat)
	}
	if isMetadata(name) {
		return l.addVersion(ctx, store, path, o)
	}
	return nil
}

// owner is the run whose file has a name, nil if it is none's.
func (l *leftovers) owner(name string) *journal.Entry {
	for _, e := range l.ripe {
		for _, id := range e.Names {
			if strings.Contains(name, id) {
				return e
			}
		}
	}
	return nil
}

// add notes a file. One of unknown age counts as young.
func (l *leftovers) add(e *journal.Entry, path, base string, stat statFunc) error {
	bytes, modified, err := stat()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	l.found = append(l.found, leftover{
		run: e, path: path, name: path[strings.LastIndexByte(path, '/')+1:], base: base, bytes: bytes,
		young: modified.UnixMilli() <= 0 || !modified.Before(l.before),
	})
	return nil
}

// namesNeeded are those names of files that a table refers to, wherever it takes
// the files to be.
func namesNeeded(ctx context.Context, env Env, tbl *table.Table, files []leftover) (map[string]bool, error) {
	n := needed{names: map[string]bool{}}
	for _, f := range files {
		n.names[f.name] = false
	}
	meta := tbl.Metadata()
	for _, path := range metadataVersions(tbl) {
		n.add(path)
	}
	for s := range meta.Statistics() {
		n.add(s.StatisticsPath)
	}
	for s := range meta.PartitionStatistics() {
		n.add(s.StatisticsPath)
	}
	for _, s := range meta.Snapshots() {
		if s.ManifestList == "" {
			return nil, ErrUnsupported
		}
		n.add(s.ManifestList)
	}
	store, err := tbl.FS(ctx)
	if err != nil {
		return nil, err
	}
	r := &reach{env: env, store: store}
	manifests, err := r.manifests(ctx, meta.Snapshots(), false)
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		n.add(m.FilePath())
	}
	err = r.read(ctx, "reading manifests", manifests, false, func(files []liveFile) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, f := range files {
			n.add(string(f.name))
		}
		return nil
	})
	return n.names, err
}

// needed says of names whether they have been seen.
type needed struct{ names map[string]bool }

func (n needed) add(path string) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if _, asked := n.names[name]; asked {
		n.names[name] = true
	}
}

// clear removes the free files and says of each run what became of it.
func (l *leftovers) clear(ctx context.Context, tbl *table.Table, free []leftover) error {
	store, err := tbl.FS(ctx)
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range free {
		if !f.young {
			paths = append(paths, f.path)
		}
	}
	failed := map[string]bool{}
	for _, f := range l.env.removeFiles(ctx, store, paths, l.env.Limits.removals()).Failed {
		failed[f.Path] = true
		l.env.Logger().Warn("file of a run was not removed", "path", f.Path, "error", f.Err)
	}
	for _, e := range l.ripe {
		var removed, kept, young, bytes int64
		for _, f := range free {
			switch {
			case f.run != e:
			case f.young:
				young++
			case failed[f.path]:
				kept++
			default:
				removed++
				bytes += f.bytes
			}
		}
		add(e, "%d files removed, %d bytes", removed, bytes)
		if kept+young == 0 && len(e.Names) == 0 && e.Procedure == "expire_snapshots" {
			e.State = journal.Left
			add(e, "if its commit took place and had set files free, remove_orphan_files finds them")
			continue
		}
		if kept+young == 0 {
			e.State = journal.Settled
			continue
		}
		add(e, "%d files could not be removed and %d are not a day old; they are tried again", kept, young)
	}
	return nil
}
