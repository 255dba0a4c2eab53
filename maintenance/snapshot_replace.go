package maintenance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

// Replace describes a snapshot of operation "replace", or "delete" if it has
// Converted: files taken out of a branch and others put in their place that hold
// the same rows.
type Replace struct {
	// Branch gets the snapshot.
	Branch string
	// Since is the snapshot that the job was planned on. What was committed
	// after it is checked against the job at every attempt.
	Since int64
	// Data are the data files taken out. All of them must be live in the base.
	Data []DataFileRef
	// Deletes are the keys ([DeleteFileKey]) of delete files taken out. All of
	// them must be live in the base.
	Deletes map[string]bool
	// KeepDangling leaves alone delete files that no data file can need any
	// more, for [RemoveDanglingDeletes] to take out. Deletion vectors of replaced
	// files go nevertheless.
	KeepDangling bool
	// Add are the new data files.
	Add []iceberg.DataFile
	// AddDeletes are new position delete files or deletion vectors, which delete
	// what those taken out did.
	AddDeletes []NewDeleteFile
	// Converted are the equality delete files among Deletes whose rows AddDeletes
	// delete of the data files that there were at Since; of these, Needed must be
	// live in the base.
	Converted []Converted
	Needed    []string
	// Sequence is the data sequence number of the new files; nil means that of
	// the new snapshot. With the sequence number of Since, equality deletes
	// committed meanwhile still apply to the new files.
	Sequence *int64
}

// NewDeleteFile is a delete file with the data sequence number that it gets:
// the greatest of those that it replaces, so that it applies to the same data
// files.
type NewDeleteFile struct {
	File     iceberg.DataFile
	Sequence int64
}

// DataFileRef is a data file to be replaced, with what is needed to tell which
// delete files apply to it.
type DataFileRef struct {
	Path      string
	SpecID    int32
	Partition string
}

// RefOf returns the reference to a data file.
func RefOf(df iceberg.DataFile) DataFileRef {
	return DataFileRef{Path: df.FilePath(), SpecID: df.SpecID(), Partition: PartitionKey(df)}
}

// Build is the [Build] function that makes the snapshot. It writes anew only
// the manifests that hold a file to be taken out. Its error wraps ErrConflict
// when something committed since the plan makes the replacement wrong.
func (r Replace) Build(env Env) Build {
	return func(ctx context.Context, base *table.Table) (*Change, error) {
		d, err := newSnapshotDraft(ctx, env, base, r.Branch)
		if err != nil {
			return nil, err
		}
		change, err := r.draft(ctx, d)
		if err != nil {
			d.discard(ctx)
			return nil, err
		}
		return change, nil
	}
}

func (r Replace) draft(ctx context.Context, d *snapshotDraft) (*Change, error) {
	manifests, err := d.parent.Manifests(d.fs)
	if err != nil {
		return nil, fmt.Errorf("read manifest list %q: %w", d.parent.ManifestList, err)
	}
	if err := r.validate(ctx, d, manifests); err != nil {
		return nil, err
	}
	added, addedDeletes, err := r.addFiles(d)
	if err != nil {
		return nil, err
	}
	data, deletes := splitByContent(manifests)
	data, err = r.takeOutData(ctx, d, data)
	if err != nil {
		return nil, err
	}
	deletes, err = r.takeOutDeletes(ctx, d, data, deletes)
	if err != nil {
		return nil, err
	}
	return r.assemble(ctx, d, [][]iceberg.ManifestFile{added, addedDeletes}, data, deletes)
}

// addFiles writes the manifests of the new data files and delete files.
func (r Replace) addFiles(d *snapshotDraft) (data, deletes []iceberg.ManifestFile, err error) {
	var files []newFile
	for _, df := range r.Add {
		files = append(files, newFile{df, r.Sequence})
	}
	if data, err = d.addFiles(iceberg.ManifestContentData, files); err != nil {
		return nil, nil, err
	}
	files = nil
	for i, del := range r.AddDeletes {
		if d.meta.Version() >= 3 && !IsDV(del.File) {
			return nil, nil, &Conflict{Deletes: r.Deletes, cause: fmt.Sprintf("the table has become one of version %d, which has deletion vectors only, while position delete files were written", d.meta.Version())}
		}
		files = append(files, newFile{del.File, &r.AddDeletes[i].Sequence})
	}
	deletes, err = d.addFiles(iceberg.ManifestContentDeletes, files)
	return data, deletes, err
}

// splitByContent turns manifests into data and delete manifests, in order.
func splitByContent(manifests []iceberg.ManifestFile) (data, deletes []filtered) {
	for _, m := range manifests {
		if m.ManifestContent() == iceberg.ManifestContentData {
			data = append(data, filtered{file: m})
		} else {
			deletes = append(deletes, filtered{file: m})
		}
	}
	return data, deletes
}

// paths are those of the data files taken out.
func (r Replace) paths() map[string]bool {
	paths := map[string]bool{}
	for _, f := range r.Data {
		paths[f.Path] = true
	}
	return paths
}

// takeOutData filters the data manifests. Every file must be found.
func (r Replace) takeOutData(ctx context.Context, d *snapshotDraft, manifests []filtered) ([]filtered, error) {
	paths, specs := r.paths(), map[int32]bool{}
	for _, f := range r.Data {
		specs[f.SpecID] = true
	}
	out, err := filterAll(ctx, d, manifests, func(m iceberg.ManifestFile) bool { return specs[m.PartitionSpecID()] },
		func(e iceberg.ManifestEntry) bool { return paths[e.DataFile().FilePath()] })
	if err != nil {
		return nil, err
	}
	for _, m := range out {
		for _, df := range m.removed {
			delete(paths, df.FilePath())
		}
	}
	if len(paths) > 0 {
		missing := slices.Sorted(maps.Keys(paths))
		return nil, &Conflict{Data: paths, cause: fmt.Sprintf("%d data files to be replaced are no longer part of branch %q, such as %q: another writer removed them", len(missing), r.Branch, missing[0])}
	}
	return out, nil
}

// takeOutDeletes filters the delete manifests. Beside the files that r names,
// those that no data file can need any more go, which is told by their data
// sequence number being below that of every live data file
// (MergingSnapshotProducer.apply). Unlike Java, the new data files count: with
// the sequence number of the plan they still need equality deletes that were
// committed since.
func (r Replace) takeOutDeletes(ctx context.Context, d *snapshotDraft, data, manifests []filtered) ([]filtered, error) {
	oldest := d.meta.LastSequenceNumber()
	if r.Sequence != nil && len(r.Add) > 0 {
		oldest = min(oldest, *r.Sequence)
	}
	for _, m := range data {
		if seq := m.file.MinSequenceNum(); seq >= 0 {
			oldest = min(oldest, seq)
		}
	}
	replaced := r.paths()
	needless := func(e iceberg.ManifestEntry) bool {
		if seq := e.SequenceNum(); seq > 0 && seq < oldest && !r.KeepDangling {
			return true
		}
		df := e.DataFile()
		ref := df.ReferencedDataFile()
		return IsDV(df) && ref != nil && replaced[*ref]
	}
	candidates, err := r.deleteManifests(ctx, d, manifests)
	if err != nil {
		return nil, err
	}
	return filterAll(ctx, d, manifests, func(m iceberg.ManifestFile) bool { return candidates[m.FilePath()] },
		func(e iceberg.ManifestEntry) bool { return r.Deletes[DeleteFileKey(e.DataFile())] || needless(e) })
}

// deleteManifests says which delete manifests are looked at. When r names
// delete files, only the manifests that hold them, as Java does when it trusts
// the manifests that its files came from; else all.
func (r Replace) deleteManifests(ctx context.Context, d *snapshotDraft, manifests []filtered) (map[string]bool, error) {
	found := map[string]bool{}
	if len(r.Deletes) == 0 {
		for _, m := range manifests {
			found[m.file.FilePath()] = true
		}
		return found, nil
	}
	missing := maps.Clone(r.Deletes)
	for _, m := range manifests {
		err := manifestEntries(ctx, d.fs, m.file, false, func(e iceberg.ManifestEntry) (bool, error) {
			if key := DeleteFileKey(e.DataFile()); r.Deletes[key] {
				found[m.file.FilePath()] = true
				delete(missing, key)
			}
			return false, nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(missing) > 0 {
		keys := slices.Sorted(maps.Keys(missing))
		return nil, &Conflict{Deletes: missing, cause: fmt.Sprintf("%d delete files to be removed are no longer part of branch %q, such as %q: another writer replaced them", len(keys), r.Branch, keys[0])}
	}
	return found, nil
}

// filterAll filters the manifests that look admits and that have live files,
// several at a time, and keeps their order.
func filterAll(ctx context.Context, d *snapshotDraft, manifests []filtered, look func(iceberg.ManifestFile) bool, drop func(iceberg.ManifestEntry) bool) ([]filtered, error) {
	out := slices.Clone(manifests)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, d.env.Limits.Concurrency))
	var mu sync.Mutex
	for i, m := range manifests {
		if !look(m.file) || !(m.file.HasAddedFiles() || m.file.HasExistingFiles()) {
			continue
		}
		guard.Go(g, func() error {
			f, err := d.filterManifest(ctx, m.file, drop)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			out[i] = f
			return nil
		})
	}
	return out, g.Wait()
}

// assemble puts the manifests of the new snapshot in order: of data and of
// deletes, new files first, then the parent's manifests in theirs, without those
// that held no live file before, and small ones merged.
func (r Replace) assemble(ctx context.Context, d *snapshotDraft, added [][]iceberg.ManifestFile, data, deletes []filtered) (*Change, error) {
	s := newSummary()
	for _, df := range r.Add {
		s.add(d.meta, df)
	}
	for _, del := range r.AddDeletes {
		s.add(d.meta, del.File)
	}
	replaced := 0
	keep := func(from []filtered) (kept []iceberg.ManifestFile) {
		for _, m := range from {
			for _, df := range m.removed {
				s.remove(d.meta, df)
			}
			if len(m.removed) > 0 {
				replaced++
			} else if !m.file.HasAddedFiles() && !m.file.HasExistingFiles() {
				continue
			}
			kept = append(kept, m.file)
		}
		return kept
	}
	var manifests []iceberg.ManifestFile
	for i, list := range [][]iceberg.ManifestFile{keep(data), keep(deletes)} {
		merged, n, err := d.mergeManifests(ctx, slices.Concat(added[i], list))
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, merged...)
		replaced += n
	}
	if s.total.addedRecords > s.total.removedRecords {
		return nil, fmt.Errorf("%w: a replacement would add %d rows for %d", ErrCorrupt, s.total.addedRecords, s.total.removedRecords)
	}
	created := 0
	for _, m := range manifests {
		if m.SnapshotID() == d.id {
			created++
		}
	}
	return d.finish(ctx, r.operation(), manifests, s.build(d.meta, d.parent, created, len(manifests)-created, replaced))
}
