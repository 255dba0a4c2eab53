package maintenance_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// remember takes down the rows of new snapshots. Those of a replacement, and of all
// that Firn makes, must be its parent's.
func (w *world) remember(ours bool) {
	w.t.Helper()
	tbl := w.load()
	for _, s := range tbl.Metadata().Snapshots() {
		if _, known := w.rows[s.SnapshotID]; known {
			continue
		}
		w.rows[s.SnapshotID] = w.read(tbl, s.SnapshotID)
		if s.Summary == nil || s.Summary.Operation != table.OpReplace && s.Summary.Properties["engine-name"] != "firn" {
			continue
		}
		if !ours && w.depth == 0 {
			w.t.Errorf("another writer made the replacement %d", s.SnapshotID)
		}
		parent, known := w.rows[*s.ParentSnapshotID]
		if !known && w.main != nil {
			parent, known = w.main, true
		}
		if !known || !slices.Equal(parent, w.rows[s.SnapshotID]) {
			w.t.Errorf("snapshot %d replaced files, and the rows\n%s\nbecame\n%s", s.SnapshotID, strings.Join(parent, "; "), strings.Join(w.rows[s.SnapshotID], "; "))
		}
	}
}

// read are the rows of a snapshot, sorted, in version 3 with row ids and the
// sequence numbers of their updates.
func (w *world) read(tbl *table.Table, snapshot int64) []string {
	w.t.Helper()
	opts := []table.ScanOption{table.WithSnapshotID(snapshot)}
	if w.version == 3 {
		opts = append(opts, table.WithRowLineage())
	}
	_, batches, err := tbl.Scan(opts...).ToArrowRecords(context.Background())
	if err != nil {
		w.t.Fatalf("read snapshot %d: %v", snapshot, err)
	}
	rows := []string{}
	for b, err := range batches {
		if err != nil {
			w.t.Fatalf("read snapshot %d: %v", snapshot, err)
		}
		for i := range int(b.NumRows()) {
			var row []string
			for _, column := range b.Columns() {
				row = append(row, column.ValueStr(i))
			}
			rows = append(rows, strings.Join(row, " "))
		}
		b.Release()
	}
	slices.Sort(rows)
	return rows
}

// checkAll reads every snapshot and looks for every file.
func (w *world) checkAll() {
	w.t.Helper()
	w.remember(true)
	tbl := w.load()
	for _, s := range tbl.Metadata().Snapshots() {
		if now := w.read(tbl, s.SnapshotID); !slices.Equal(now, w.rows[s.SnapshotID]) {
			w.t.Errorf("snapshot %d had the rows\n%s\nand has\n%s", s.SnapshotID, strings.Join(w.rows[s.SnapshotID], "; "), strings.Join(now, "; "))
		}
	}
	w.checkFiles()
}

// checkFiles wants every referenced file to exist and no file of Firn's to be
// left over.
func (w *world) checkFiles() {
	w.t.Helper()
	referenced := w.referenced()
	for path := range referenced {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			w.t.Errorf("referenced and gone: %s", path)
		}
	}
	if w.depth > 0 {
		return // a call that is under way has files that it will commit
	}
	for _, path := range w.unreferenced(referenced) {
		if !w.others[path] && !w.lost {
			w.t.Errorf("left over: %s", path)
		}
		w.others[path] = true
	}
}

// settleOthers takes what is unreferenced now for the work of others. Snapshots
// of ours that go because of a writer leave nothing: no writer expires.
func (w *world) settleOthers() {
	w.t.Helper()
	if w.depth > 0 {
		return
	}
	for _, path := range w.unreferenced(w.referenced()) {
		w.others[path] = true
	}
}

// referenced are the paths that the table's metadata names.
func (w *world) referenced() map[string]bool {
	w.t.Helper()
	tbl := w.load()
	store, err := tbl.FS(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	known := map[string]bool{}
	add := func(path string) bool {
		path = strings.TrimPrefix(path, "file://")
		again := known[path]
		known[path] = true
		return again
	}
	add(tbl.MetadataLocation())
	for e := range tbl.Metadata().PreviousFiles() {
		add(e.MetadataFile)
	}
	for s := range tbl.Metadata().Statistics() {
		add(s.StatisticsPath)
	}
	for s := range tbl.Metadata().PartitionStatistics() {
		add(s.StatisticsPath)
	}
	for _, s := range tbl.Metadata().Snapshots() {
		add(s.ManifestList)
		manifests, err := s.Manifests(store)
		if err != nil {
			w.t.Fatalf("snapshot %d: %v", s.SnapshotID, err)
		}
		for _, m := range manifests {
			if add(m.FilePath()) {
				continue
			}
			for e, err := range iceberg.EntriesWithProjection(store, m, true, iceberg.ManifestEntryProjection{}) {
				if err != nil {
					w.t.Fatalf("snapshot %d: %v", s.SnapshotID, err)
				}
				add(e.DataFile().FilePath())
			}
		}
	}
	return known
}

// unreferenced are the table's other files but for versions of its metadata, of
// which the library leaves some when it loses a race.
func (w *world) unreferenced(referenced map[string]bool) []string {
	w.t.Helper()
	var found []string
	err := filepath.WalkDir(strings.TrimPrefix(w.load().Location(), "file://"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !referenced[path] && !strings.HasSuffix(path, ".metadata.json") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}
