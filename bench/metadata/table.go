package main

import (
	"context"
	"iter"
	"runtime"
	"strconv"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/bench/internal/lake"
)

// layout says where a table is and of how many pieces.
type layout struct {
	folder                      string
	files, manifests, snapshots int
}

// write makes the table, unless it is there.
func (t layout) write(ctx context.Context) (made bool, err error) {
	to := &lake.Table{Folder: t.folder, Seed: uint64(t.files)}
	if there, err := to.Begin(nil); there || err != nil {
		return false, err
	}
	manifests := make([]lake.Manifest, t.manifests)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for m := range manifests {
		group.Go(func() (err error) {
			manifests[m], err = to.WriteManifest(ctx, m, t.snapshotOf(m), t.entries(m))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return false, err
	}
	if err := t.commitAll(to, manifests); err != nil {
		return false, err
	}
	return true, to.Finish()
}

// snapshotOf is the number of the snapshot, from 0, that adds manifest m.
func (t layout) snapshotOf(m int) int { return m * t.snapshots / t.manifests }

// entries are the files of manifest m. The files of one day are neighbours, as
// in a table that is written by the day.
func (t layout) entries(m int) iter.Seq[lake.Entry] {
	return func(yield func(lake.Entry) bool) {
		for i := m * t.files / t.manifests; i < (m+1)*t.files/t.manifests; i++ {
			if !yield(lake.Entry{File: i, Day: i * lake.Days / t.files, By: t.snapshotOf(m)}) {
				return
			}
		}
	}
}

// commitAll appends the manifests, one snapshot after the other.
func (t layout) commitAll(to *lake.Table, manifests []lake.Manifest) error {
	var listed []iceberg.ManifestFile
	totals := iceberg.Properties{}
	for s := range t.snapshots {
		var added []lake.Manifest
		for m, manifest := range manifests {
			if t.snapshotOf(m) == s {
				added = append(added, manifest)
				listed = append(listed, manifest.ManifestFile)
			}
		}
		var err error
		if listed, err = to.Commit(s, t.snapshot(s, added, totals), listed, true); err != nil {
			return err
		}
	}
	return nil
}

// snapshot is the append of some manifests. It adds them to the totals.
func (t layout) snapshot(s int, added []lake.Manifest, totals iceberg.Properties) table.Snapshot {
	summary := iceberg.Properties{"total-delete-files": "0", "total-position-deletes": "0", "total-equality-deletes": "0", "changed-partition-count": strconv.Itoa(lake.Days / t.snapshots)}
	add := func(what, size string, by int64) {
		before, _ := strconv.ParseInt(totals["total-"+what], 10, 64)
		totals["total-"+what] = strconv.FormatInt(before+by, 10)
		summary["total-"+what], summary["added-"+size] = totals["total-"+what], strconv.FormatInt(by, 10)
	}
	var files, records, bytes int64
	for _, m := range added {
		files += int64(m.AddedDataFiles())
		records += m.Records
		bytes += m.Bytes
	}
	add("data-files", "data-files", files)
	add("records", "records", records)
	add("files-size", "files-size", bytes)
	return table.Snapshot{
		TimestampMs: lake.DayStart(lake.FirstDay + (s+1)*lake.Days/t.snapshots).UnixMilli(),
		Summary:     &table.Summary{Operation: table.OpAppend, Properties: summary},
	}
}
