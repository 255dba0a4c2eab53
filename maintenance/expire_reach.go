package maintenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance/manifest"
)

// unreachable finds the files of tbl's expired snapshots that no snapshot and
// no statistics entry which stays in after needs, in the order of their
// removal. after is tbl's metadata before the commit, or what was committed.
//
// Every manifest is read once and streamed. Memory grows with the files that
// go, not with those that stay, of which it holds 16 bytes each up to a bound.
//
// A missing manifest or manifest list is an error. Only when another expiry may
// be removing the same snapshots, shared, those of expired ones are passed over:
// that expiry removes what they name before it removes them.
func unreachable(ctx context.Context, env Env, tbl *table.Table, expired map[int64]bool, after table.Metadata, shared bool) ([]ExpiredFile, error) {
	store, err := tbl.FS(ctx)
	if err != nil {
		return nil, err
	}
	r := &reach{env: env, store: store, kept: map[string]bool{}, candidates: map[string]ExpiredFile{}}
	var gone, stay []table.Snapshot
	for _, s := range tbl.Metadata().Snapshots() {
		if expired[s.SnapshotID] {
			gone = append(gone, s)
		}
	}
	for _, s := range after.Snapshots() {
		if !expired[s.SnapshotID] {
			stay = append(stay, s)
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	r.keepMetadata(tbl, after, expired)
	retained, err := r.manifests(ctx, stay, false)
	if err != nil {
		return nil, err
	}
	for _, s := range stay {
		r.kept[fileKey(s.ManifestList)] = true
	}
	for _, m := range retained {
		r.kept[fileKey(m.FilePath())] = true
	}
	if err := r.addCandidates(ctx, gone, retained, shared); err != nil {
		return nil, err
	}
	r.addStatistics(tbl.Metadata(), expired)
	return r.files(), nil
}

// reach is the search for files that nothing retained needs.
type reach struct {
	env   Env
	store iceio.IO
	// kept are the files known to stay, by their keys.
	kept map[string]bool

	mu         sync.Mutex
	candidates map[string]ExpiredFile
}

// keepMetadata keeps what the table's metadata itself names.
func (r *reach) keepMetadata(tbl *table.Table, after table.Metadata, expired map[int64]bool) {
	r.kept[fileKey(tbl.MetadataLocation())] = true
	for entry := range after.PreviousFiles() {
		r.kept[fileKey(entry.MetadataFile)] = true
	}
	for s := range after.Statistics() {
		if !expired[s.SnapshotID] {
			r.kept[fileKey(s.StatisticsPath)] = true
		}
	}
	for s := range after.PartitionStatistics() {
		if !expired[s.SnapshotID] {
			r.kept[fileKey(s.StatisticsPath)] = true
		}
	}
}

// manifests reads the manifest lists of snapshots and returns each manifest
// once, by path. Those that are missing are an error unless the work is shared.
func (r *reach) manifests(ctx context.Context, snapshots []table.Snapshot, shared bool) ([]iceberg.ManifestFile, error) {
	var mu sync.Mutex
	byKey := map[string]iceberg.ManifestFile{}
	err := r.each(ctx, "reading manifest lists", len(snapshots), func(i int) error {
		list, err := snapshots[i].Manifests(r.store)
		if shared && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return unreadable("manifest list", snapshots[i].ManifestList, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, m := range list {
			byKey[fileKey(m.FilePath())] = m
		}
		return nil
	})
	all := make([]iceberg.ManifestFile, 0, len(byKey))
	for _, m := range byKey {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b iceberg.ManifestFile) int { return cmp.Compare(a.FilePath(), b.FilePath()) })
	return all, err
}

// addCandidates takes in the manifest lists, manifests and content files of
// expired snapshots that are not known to stay or named by retained manifests.
func (r *reach) addCandidates(ctx context.Context, gone []table.Snapshot, retained []iceberg.ManifestFile, shared bool) error {
	all, err := r.manifests(ctx, gone, shared)
	if err != nil {
		return err
	}
	for _, s := range gone {
		if s.ManifestList != "" {
			r.add(ExpiredFile{Kind: ManifestListFile, Path: s.ManifestList})
		}
	}
	own := slices.DeleteFunc(all, func(m iceberg.ManifestFile) bool { return r.kept[fileKey(m.FilePath())] })
	if len(own) == 0 {
		return nil
	}
	live := newFileSet(r.env.Limits.memory()/4, newScratchSpace(r.env.Limits))
	defer live.close()
	if err := r.readLive(ctx, retained, &live); err != nil {
		return err
	}
	var waiting gathering[liveFile]
	if live.spilled() {
		waiting.most = int(r.env.Limits.memory() / 4 / (2 * candidateBytes))
	}
	use := func(files []liveFile) error { return r.addUnless(&live, files) }
	if err := r.read(ctx, "reading expired manifests", own, shared, func(files []liveFile) error { return waiting.add(files, use) }); err != nil {
		return err
	}
	for _, m := range own {
		r.add(ExpiredFile{Kind: ManifestFile, Path: m.FilePath(), Bytes: m.Length()})
	}
	return use(waiting.items)
}

// readLive puts the files of manifests that stay into a set.
func (r *reach) readLive(ctx context.Context, retained []iceberg.ManifestFile, live *fileSet) error {
	err := r.read(ctx, "reading retained manifests", retained, false, func(files []liveFile) error {
		hashes := live.hashes(files)
		live.mu.Lock()
		defer live.mu.Unlock()
		for _, h := range hashes {
			if err := live.add(setFile{path: h}); err != nil {
				return err
			}
		}
		return nil
	})
	live.finish()
	return err
}

// addUnless takes in files that are not in a set.
func (r *reach) addUnless(live *fileSet, files []liveFile) error {
	probes := make([]probe, len(files))
	for i, h := range live.hashes(files) {
		probes[i] = probe{setFile: setFile{path: h}, known: true}
	}
	if err := live.find(probes); err != nil {
		return err
	}
	for i, f := range files {
		if !probes[i].same {
			r.add(ExpiredFile{Kind: kindOf(f.content), Path: f.path(), Bytes: f.bytes})
		}
	}
	return nil
}

// addStatistics takes in the statistics of expired snapshots.
func (r *reach) addStatistics(before table.Metadata, expired map[int64]bool) {
	for s := range before.Statistics() {
		if expired[s.SnapshotID] {
			r.add(ExpiredFile{Kind: StatisticsFile, Path: s.StatisticsPath, Bytes: s.FileSizeInBytes})
		}
	}
	for s := range before.PartitionStatistics() {
		if expired[s.SnapshotID] {
			r.add(ExpiredFile{Kind: StatisticsFile, Path: s.StatisticsPath, Bytes: s.FileSizeInBytes})
		}
	}
}

// add takes in a file that may go.
func (r *reach) add(f ExpiredFile) {
	key := fileKey(f.Path)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.kept[key] {
		r.candidates[key] = f
	}
}

// liveFile is a file that a manifest lists as there.
type liveFile struct {
	// folder ends with a slash; the path is folder and name.
	folder  string
	name    []byte
	content iceberg.ManifestEntryContent
	bytes   int64
}

func (f liveFile) path() string { return f.folder + string(f.name) }

// read streams the live entries of manifests to use, which is called by several
// goroutines at once. Manifests that are missing are an error unless the work is
// shared.
func (r *reach) read(ctx context.Context, phase string, manifests []iceberg.ManifestFile, shared bool, use func([]liveFile) error) error {
	var schemas manifest.Schemas
	return r.each(ctx, phase, len(manifests), func(i int) error {
		m := manifests[i]
		err := r.readManifest(ctx, &schemas, m, use)
		if shared && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return unreadable("manifest", m.FilePath(), err)
		}
		return nil
	})
}

// readBlocks reads leaves of a manifest.
func readBlocks(ctx context.Context, store iceio.IO, m iceberg.ManifestFile, schemas *manifest.Schemas, leaves []manifest.Leaf, use func(*manifest.Block) error) (err error) {
	in, err := store.Open(m.FilePath())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return manifest.Read(ctx, in, m, schemas, leaves, use)
}

func (r *reach) readManifest(ctx context.Context, schemas *manifest.Schemas, m iceberg.ManifestFile, use func([]liveFile) error) error {
	leaves := []manifest.Leaf{manifest.Whole(manifest.FilePath), manifest.Whole(manifest.FileSize)}
	return readBlocks(ctx, r.store, m, schemas, leaves, func(b *manifest.Block) error {
		status, content := b.Columns[manifest.Whole(manifest.Status)].(*manifest.Longs), b.Columns[manifest.Whole(manifest.Content)].(*manifest.Longs)
		paths, sizes := b.Columns[leaves[0]].(*manifest.Paths), b.Columns[leaves[1]].(*manifest.Longs)
		files := make([]liveFile, 0, b.Rows)
		var last string
		for i := range b.Rows {
			if s, _ := status.At(i); s == int64(iceberg.EntryStatusDELETED) {
				continue
			}
			folder, name := paths.At(i)
			kind, _ := content.At(i)
			size, _ := sizes.At(i)
			if last != string(folder) {
				last = string(folder)
			}
			files = append(files, liveFile{last, name, iceberg.ManifestEntryContent(kind), size})
		}
		return use(files)
	})
}

// each runs work for 0 to n-1, several at once, and stops at the first error.
func (r *reach) each(ctx context.Context, phase string, n int, work func(i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.env.Limits.reads())
	var mu sync.Mutex
	done := 0
	for i := range n {
		guard.Go(group, func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := work(i); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			r.env.Report(Update{Phase: phase, Done: done, Total: n})
			return nil
		})
	}
	return group.Wait()
}

// files lists the candidates that are left by kind and path.
func (r *reach) files() []ExpiredFile {
	all := make([]ExpiredFile, 0, len(r.candidates))
	for _, f := range r.candidates {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b ExpiredFile) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Path, b.Path))
	})
	return all
}

// reads is how many metadata files are read at once.
func (l Limits) reads() int { return 4 * l.concurrency() }

// removals is how many files are removed at once.
func (l Limits) removals() int { return 8 * l.concurrency() }

func (l Limits) concurrency() int {
	if l.Concurrency > 0 {
		return l.Concurrency
	}
	return DefaultLimits().Concurrency
}

func kindOf(content iceberg.ManifestEntryContent) FileKind {
	switch content {
	case iceberg.EntryContentPosDeletes:
		return PositionDeleteFile
	case iceberg.EntryContentEqDeletes:
		return EqualityDeleteFile
	}
	return DataFile
}

// unreadable is the error for metadata without which nothing may be deleted.
func unreadable(what, path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s %q is missing: %w", ErrCorrupt, what, path, err)
	}
	return fmt.Errorf("read %s %q: %w", what, path, err)
}

// fileKey makes spellings of the same file equal. It only ever keeps files that
// a plain comparison would let go.
func fileKey(path string) string {
	scheme, rest, ok := strings.Cut(path, "://")
	if !ok {
		return strings.TrimPrefix(path, "file:")
	}
	switch scheme {
	case "s3a", "s3n":
		scheme = "s3"
	case "file":
		return rest
	}
	return scheme + "://" + rest
}
