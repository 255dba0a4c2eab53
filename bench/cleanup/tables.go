package main

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/bench/internal/lake"
)

// history is a table of many snapshots. The first appends all files, sorted by
// day; each later one rewrites one manifest, in turn, and replaces some files of
// it.
type history struct{ snapshots, manifests, files, replaced int }

func (h history) make(ctx context.Context, t *lake.Table) (string, error) {
	slots := make([][]lake.Entry, h.manifests)
	for m := range slots {
		for i := m * h.files / h.manifests; i < (m+1)*h.files/h.manifests; i++ {
			slots[m] = append(slots[m], lake.Entry{File: i, Day: i * lake.Days / h.files})
		}
	}
	first, err := writeAll(ctx, t, 0, slots)
	if err != nil {
		return "", err
	}
	listed, err := t.Commit(0, snapshotAt(0, table.OpAppend), first, false)
	if err != nil {
		return "", err
	}
	var gone []placed
	next := h.files
	for s := 1; s < h.snapshots; s++ {
		m := s % h.manifests
		before := slots[m]
		n := min(h.replaced, len(before))
		var after []lake.Entry
		for _, e := range before[:n] {
			gone = append(gone, placed{e.File, e.Day})
			after = append(after, lake.Entry{File: next, Day: e.Day, By: s})
			next++
		}
		slots[m] = append(slices.Clone(before[n:]), after...)
		manifest, err := t.WriteManifest(ctx, h.manifests+s, s, h.rewritten(before, n, after))
		if err != nil {
			return "", err
		}
		listed = append(slices.DeleteFunc(slices.Clone(listed), func(f iceberg.ManifestFile) bool { return f.FilePath() == listed[m].FilePath() }), manifest.ManifestFile)
		// The list stays in the order of the slots.
		last := len(listed) - 1
		listed = slices.Insert(slices.Clone(listed[:last]), m, listed[last])
		if listed, err = t.Commit(s, snapshotAt(s, table.OpOverwrite), listed, s == h.snapshots-1); err != nil {
			return "", err
		}
	}
	what := fmt.Sprintf("%d files in %d manifests, %d snapshots, %d files replaced", h.files, h.manifests, h.snapshots, len(gone))
	return what, touch(ctx, t, gone, time.Time{})
}

// rewritten are the entries of a manifest in place of another: n deleted, those
// that stay, and new ones.
func (h history) rewritten(before []lake.Entry, n int, after []lake.Entry) iter.Seq[lake.Entry] {
	return func(yield func(lake.Entry) bool) {
		for i, e := range slices.Concat(before, after) {
			e.Deleted = i < n
			if !yield(e) {
				return
			}
		}
	}
}

// mixture is a table each of whose manifests has files of all days.
type mixture struct{ files, manifests int }

func (x mixture) make(ctx context.Context, t *lake.Table) (string, error) {
	slots := make([][]lake.Entry, x.manifests)
	for i := range x.files {
		m := i % x.manifests
		slots[m] = append(slots[m], lake.Entry{File: i, Day: rand.New(rand.NewPCG(t.Seed, uint64(i))).IntN(lake.Days)})
	}
	return fmt.Sprintf("%d files in %d manifests", x.files, x.manifests), appendAll(ctx, t, slots)
}

// litter is a table whose files are there, empty, and others with them.
type litter struct{ files, manifests, orphans, young int }

func (l litter) make(ctx context.Context, t *lake.Table) (string, error) {
	slots := make([][]lake.Entry, l.manifests)
	var all []placed
	for i := range l.files + l.orphans {
		p := placed{i, i * lake.Days / (l.files + l.orphans)}
		// Every so often there is a file that no manifest names.
		if i*l.orphans/(l.files+l.orphans) == (i+1)*l.orphans/(l.files+l.orphans) {
			m := i * l.manifests / (l.files + l.orphans)
			slots[m] = append(slots[m], lake.Entry{File: p.file, Day: p.day})
		}
		all = append(all, p)
	}
	if err := appendAll(ctx, t, slots); err != nil {
		return "", err
	}
	if err := touch(ctx, t, all, time.Now().AddDate(0, 0, -30)); err != nil {
		return "", err
	}
	var young []placed
	for i := range l.young {
		young = append(young, placed{len(all) + i, i % lake.Days})
	}
	what := fmt.Sprintf("%d files in %d manifests, %d orphans, %d new files", l.files, l.manifests, l.orphans, l.young)
	return what, touch(ctx, t, young, time.Time{})
}

// appendAll makes one snapshot of the manifests.
func appendAll(ctx context.Context, t *lake.Table, slots [][]lake.Entry) error {
	manifests, err := writeAll(ctx, t, 0, slots)
	if err == nil {
		_, err = t.Commit(0, snapshotAt(0, table.OpAppend), manifests, true)
	}
	return err
}

// writeAll writes manifests of the snapshot with number s.
func writeAll(ctx context.Context, t *lake.Table, s int, slots [][]lake.Entry) ([]iceberg.ManifestFile, error) {
	manifests := make([]iceberg.ManifestFile, len(slots))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for m, entries := range slots {
		group.Go(func() error {
			written, err := t.WriteManifest(ctx, m, s, slices.Values(entries))
			manifests[m] = written.ManifestFile
			return err
		})
	}
	return manifests, group.Wait()
}

// snapshotAt is one of an operation, ten minutes after the one before.
func snapshotAt(s int, op table.Operation) table.Snapshot {
	at := lake.DayStart(lake.FirstDay + lake.Days).Add(time.Duration(s) * 10 * time.Minute)
	return table.Snapshot{TimestampMs: at.UnixMilli(), Summary: &table.Summary{Operation: op, Properties: iceberg.Properties{}}}
}
