package metatables

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
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
	return readManifestLists(ctx, s.tbl, []table.Snapshot{*snapshot})
}

// manifestsOfAll streams the manifests of every snapshot of the table, each as
// often as snapshots name it.
func manifestsOfAll(ctx context.Context, s scan) iter.Seq2[manifestRef, error] {
	return readManifestLists(ctx, s.tbl, s.tbl.Metadata().Snapshots())
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

func readManifestLists(ctx context.Context, tbl *table.Table, snapshots []table.Snapshot) iter.Seq2[manifestRef, error] {
	if len(snapshots) == 0 {
		return failed[manifestRef](nil)
	}
	fs, err := tbl.FS(ctx)
	if err != nil {
		return failed[manifestRef](fmt.Errorf("open the file system of the table: %w", err))
	}
	return inOrder(ctx, snapshots, func(_ context.Context, snapshot table.Snapshot, emit func(manifestRef) error) error {
		manifests, err := snapshot.Manifests(fs)
		if err != nil {
			return fmt.Errorf("read manifest list %q: %w", snapshot.ManifestList, err)
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

// readEntries streams manifest entries, decoding only the statistics that the
// scan's columns look at. Manifests are read concurrently; entries come in
// the order of the manifest lists.
func readEntries(ctx context.Context, s scan, filter entryFilter) iter.Seq2[iceberg.ManifestEntry, error] {
	manifests, err := distinctManifests(ctx, s, filter)
	if err != nil || len(manifests) == 0 {
		return failed[iceberg.ManifestEntry](err)
	}
	fs, err := s.tbl.FS(ctx)
	if err != nil {
		return failed[iceberg.ManifestEntry](fmt.Errorf("open the file system of the table: %w", err))
	}
	return inOrder(ctx, manifests, func(ctx context.Context, m iceberg.ManifestFile, emit func(iceberg.ManifestEntry) error) error {
		for entry, err := range entriesOf(fs, m, filter, s.stats) {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = emit(entry)
			}
			if err != nil {
				return fmt.Errorf("read manifest %q: %w", m.FilePath(), err)
			}
		}
		return nil
	})
}

func entriesOf(fs iceio.IO, m iceberg.ManifestFile, filter entryFilter, stats statistics) iter.Seq2[iceberg.ManifestEntry, error] {
	if stats == allStatistics {
		return m.Entries(fs, !filter.deleted)
	}
	projection := iceberg.ManifestEntryProjection{IncludePruningStats: stats == pruningStatistics}
	return iceberg.EntriesWithProjection(fs, m, !filter.deleted, projection)
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
// Those of format version 1 may be silent.
func entryCount(filter entryFilter) counter {
	return func(ctx context.Context, s scan) (n int64, ok bool, err error) {
		manifests, err := distinctManifests(ctx, s, filter)
		if err != nil {
			return 0, false, err
		}
		for _, m := range manifests {
			counts := []int32{m.AddedDataFiles(), m.ExistingDataFiles()}
			if filter.deleted {
				counts = append(counts, m.DeletedDataFiles())
			}
			for _, count := range counts {
				if count < 0 {
					return 0, false, nil
				}
				n += int64(count)
			}
		}
		return n, true, nil
	}
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
