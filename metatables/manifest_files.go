package metatables

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/manifest"
)

// ErrNoSuchSnapshot: the snapshot that a request asks for is not in the table.
var ErrNoSuchSnapshot = errors.New("no such snapshot")

// manifestRef is a manifest and the snapshot whose manifest list names it.
type manifestRef struct {
	iceberg.ManifestFile
	snapshot int64
}

// manifestsOfSnapshot streams the manifests of the snapshot that is asked for,
// in the order of its manifest list.
func manifestsOfSnapshot(ctx context.Context, s scan) iter.Seq2[manifestRef, error] {
	snapshot, err := wantedSnapshot(s)
	if err != nil {
		return failed[manifestRef](err)
	}
	if snapshot == nil {
		return failed[manifestRef](nil)
	}
	return readManifestLists(ctx, s, []table.Snapshot{*snapshot})
}

// manifestsOfAll streams the manifests of every snapshot of the table, each as
// often as snapshots name it.
func manifestsOfAll(ctx context.Context, s scan) iter.Seq2[manifestRef, error] {
	return readManifestLists(ctx, s, s.tbl.Metadata().Snapshots())
}

// wantedSnapshot is nil for a table that has no current snapshot.
func wantedSnapshot(s scan) (*table.Snapshot, error) {
	if s.snapshot == nil {
		return s.tbl.Metadata().CurrentSnapshot(), nil
	}
	snapshot := s.tbl.Metadata().SnapshotByID(*s.snapshot)
	if snapshot == nil {
		return nil, fmt.Errorf("%w: %d; table snapshots lists those there are", ErrNoSuchSnapshot, *s.snapshot)
	}
	return snapshot, nil
}

func readManifestLists(ctx context.Context, s scan, snapshots []table.Snapshot) iter.Seq2[manifestRef, error] {
	return inOrder(ctx, snapshots, func(ctx context.Context, snapshot table.Snapshot, emit func(manifestRef) error) error {
		manifests, err := s.store.manifests(ctx, snapshot)
		if err != nil {
			return err
		}
		for _, m := range manifests {
			if err := emit(manifestRef{m, snapshot.SnapshotID}); err != nil {
				return err
			}
		}
		return nil
	})
}

// entryFilter says which entries of which manifests are wanted.
type entryFilter struct {
	// all: of every snapshot's manifests, each manifest once.
	all bool
	// content is what manifests must hold; nil takes both kinds.
	content *iceberg.ManifestContent
	// deleted: entries of removed files too.
	deleted bool
}

// only is the filter for manifests of one kind of content.
func only(content iceberg.ManifestContent) *iceberg.ManifestContent { return &content }

// readEntries streams what each makes of the entries that a filter takes and
// the condition does not rule out. Manifests are read concurrently; each is
// called by one goroutine for a manifest, with blocks in their order. What it
// makes comes in the order of the manifest lists; release is for what is not
// handed on.
func readEntries[O any](ctx context.Context, s scan, filter entryFilter, condition matcher, release func(O), each func(b fileBatch, emit func(O) error) error) iter.Seq2[O, error] {
	manifests, err := distinctManifests(ctx, s, filter)
	if err != nil {
		return failed[O](err)
	}
	wanted := append([]manifest.Leaf{manifest.Whole(manifest.Status), manifest.Whole(manifest.Content)}, s.leaves...)
	leaves := inheritedLeaves(append(wanted, condition.leaves...))
	var kept []iceberg.ManifestFile
	for _, m := range manifests {
		if condition.manifest(m) {
			kept = append(kept, m)
		}
	}
	return piecesInOrder(ctx, enough(kept, filter, s.limit), 1, release, func(ctx context.Context, m iceberg.ManifestFile, emit func(O) error) error {
		r := entryReader{manifest: m, deleted: filter.deleted, condition: condition, nextRowID: m.FirstRowID()}
		if err := s.store.blocks(ctx, m, leaves, func(b *manifest.Block) error {
			batch, err := r.batch(b)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil || len(batch.rows) == 0 {
				return err
			}
			return each(batch, emit)
		}); err != nil {
			return fmt.Errorf("read manifest %q: %w", m.FilePath(), err)
		}
		return nil
	})
}

// inheritedLeaves adds what a first row id is made from, and normalizes.
func inheritedLeaves(leaves []manifest.Leaf) []manifest.Leaf {
	for _, l := range leaves {
		if l.Kind == manifest.FirstRowID {
			leaves = append(leaves, manifest.Whole(manifest.RecordCount))
			break
		}
	}
	return manifest.Normalize(leaves)
}

// enough are the first manifests that have limit rows among them, as far as
// manifest lists say how many they have; 0 is no limit.
func enough(manifests []iceberg.ManifestFile, filter entryFilter, limit int64) []iceberg.ManifestFile {
	for i, m := range manifests {
		if limit <= 0 {
			break
		}
		n, _ := entriesIn(m, filter)
		if limit -= n; limit <= 0 {
			return manifests[:i+1]
		}
	}
	return manifests
}

// distinctManifests lists the manifests that a filter takes. A manifest is
// known by its path, which is never written twice.
func distinctManifests(ctx context.Context, s scan, filter entryFilter) ([]iceberg.ManifestFile, error) {
	source := manifestsOfSnapshot(ctx, s)
	if filter.all {
		source = manifestsOfAll(ctx, s)
	}
	var manifests []iceberg.ManifestFile
	seen := map[string]bool{}
	for m, err := range source {
		if err != nil {
			return nil, err
		}
		if seen[m.FilePath()] || filter.content != nil && m.ManifestContent() != *filter.content {
			continue
		}
		seen[m.FilePath()] = true
		manifests = append(manifests, m.ManifestFile)
	}
	return manifests, nil
}

// entryCount counts the entries that a filter takes by what manifest lists say.
func entryCount(filter entryFilter) counter {
	return func(ctx context.Context, s scan) (n int64, ok bool, err error) {
		manifests, err := distinctManifests(ctx, s, filter)
		if err != nil {
			return 0, false, err
		}
		for _, m := range manifests {
			entries, ok := entriesIn(m, filter)
			if !ok {
				return 0, false, nil
			}
			n += entries
		}
		return n, true, nil
	}
}

// entriesIn is how many entries a filter takes of a manifest. Manifest lists of
// format version 1 may be silent.
func entriesIn(m iceberg.ManifestFile, filter entryFilter) (n int64, ok bool) {
	counts := []int32{m.AddedDataFiles(), m.ExistingDataFiles()}
	if filter.deleted {
		counts = append(counts, m.DeletedDataFiles())
	}
	for _, count := range counts {
		if count < 0 {
			return 0, false
		}
		n += int64(count)
	}
	return n, true
}

// failed is a stream of nothing but err, and of nothing if that is nil.
func failed[O any](err error) iter.Seq2[O, error] {
	return func(yield func(O, error) bool) {
		var none O
		if err != nil {
			yield(none, err)
		}
	}
}
