package maintenance_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// stage makes a snapshot on top of main that no ref leads to, as a writer does that
// audits before it publishes.
func (w *world) stage() {
	w.t.Helper()
	head := w.load().CurrentSnapshot().SnapshotID
	w.apply("begin staging", table.NewSetSnapshotRefUpdate("staging", head, table.BranchRef, 0, 0, 0))
	w.append("staging")
	w.apply("staged", table.NewRemoveSnapshotRefUpdate("staging"))
}

// cherryPick puts the files that a snapshot beside main added into main too.
func (w *world) cherryPick() {
	w.t.Helper()
	tbl := w.load()
	onMain := map[int64]bool{}
	for s := tbl.CurrentSnapshot(); s != nil; {
		onMain[s.SnapshotID] = true
		if s.ParentSnapshotID == nil {
			break
		}
		s = tbl.Metadata().SnapshotByID(*s.ParentSnapshotID)
	}
	beside := slices.DeleteFunc(slices.Clone(tbl.Metadata().Snapshots()), func(s table.Snapshot) bool {
		return onMain[s.SnapshotID] || s.Summary == nil || s.Summary.Operation != table.OpAppend
	})
	if len(beside) == 0 {
		return
	}
	source := pick(w.rng, beside...)
	files := w.addedBy(tbl, source)
	w.change(table.MainBranch, fmt.Sprintf("cherry-pick of %d files", len(files)), func(tx *table.Transaction) error {
		return tx.AddDataFiles(context.Background(), files, iceberg.Properties{"source-snapshot-id": fmt.Sprint(source.SnapshotID)})
	})
}

// addedBy are the data files that a snapshot added.
func (w *world) addedBy(tbl *table.Table, s table.Snapshot) []iceberg.DataFile {
	w.t.Helper()
	store, err := tbl.FS(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	manifests, err := s.Manifests(store)
	if err != nil {
		w.t.Fatal(err)
	}
	var files []iceberg.DataFile
	for _, m := range manifests {
		if m.ManifestContent() != iceberg.ManifestContentData {
			continue
		}
		for e, err := range m.Entries(store, true) {
			if err != nil {
				w.t.Fatal(err)
			}
			if e.Status() == iceberg.EntryStatusADDED && e.SnapshotID() == s.SnapshotID {
				files = append(files, e.DataFile())
			}
		}
	}
	return files
}

// addStatistics gives a snapshot statistics, which may take the place of others.
func (w *world) addStatistics() {
	w.t.Helper()
	before := w.referenced()
	id := w.snapshot()
	path := "file://" + w.put(fmt.Sprintf("metadata/%d-%d.stats", id, w.next))
	w.next++
	if w.rng.IntN(2) == 0 {
		w.apply("statistics", table.NewSetStatisticsUpdate(table.StatisticsFile{SnapshotID: id, StatisticsPath: path, FileSizeInBytes: 1, FileFooterSizeInBytes: 1, BlobMetadata: []table.BlobMetadata{}}))
	} else {
		w.apply("partition statistics", table.NewSetPartitionStatisticsUpdate(table.PartitionStatisticsFile{SnapshotID: id, StatisticsPath: path, FileSizeInBytes: 1}))
	}
	after := w.referenced()
	for old := range before {
		if !after[old] && strings.HasSuffix(old, ".stats") {
			w.others[old] = true
		}
	}
}
