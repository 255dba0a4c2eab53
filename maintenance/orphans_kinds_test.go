package maintenance_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// TestOrphansKeepWhatMetadataNames is of field reports, 33: statistics, partition
// statistics, staged snapshots, branches, tags, the metadata log and the version
// hint are in use, wherever write.data.path and the object storage layout put
// files, and what lies beside them is not.
func TestOrphansKeepWhatMetadataNames(t *testing.T) {
	w := emptyWorld(t, 7)
	data := filepath.Join(t.TempDir(), "elsewhere")
	w.create(iceberg.Properties{"format-version": "2", table.WriteDataPathKey: "file://" + data, table.ObjectStoreEnabledKey: "true"}, iceberg.UnpartitionedSpec)
	for _, ids := range [][]int64{{1, 101}, {2}, {3}} {
		w.appendIDs(table.MainBranch, ids)
		w.addStatistics()
	}
	w.stage()
	w.apply("tag", table.NewSetSnapshotRefUpdate("v1", w.load().Metadata().Snapshots()[0].SnapshotID, table.TagRef, 0, 0, 0))
	w.remember(false)
	if !slices.ContainsFunc(slices.Collect(maps.Keys(w.referenced())), func(path string) bool { return strings.HasPrefix(path, data) }) {
		t.Fatal("no file is below write.data.path")
	}
	hint := w.put("metadata/version-hint.text")
	// Statistics that others have taken the place of are not named any more.
	litter := slices.Collect(maps.Keys(w.others))
	for _, name := range []string{"metadata/stray-m0.avro", "metadata/snap-1-1-x.avro", "metadata/stray.stats"} {
		litter = append(litter, w.put(name))
	}
	stray := filepath.Join(data, "0101/0011/1010/00011100/part=1/stray.parquet")
	if err := errors.Join(os.MkdirAll(filepath.Dir(stray), 0o755), os.WriteFile(stray, []byte("x"), 0o644)); err != nil {
		t.Fatal(err)
	}
	w.age(30 * 24 * time.Hour)
	old := time.Now().Add(-30 * 24 * time.Hour)
	if err := filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	}); err != nil {
		t.Fatal(err)
	}
	for location, want := range map[string][]string{"": litter, "file://" + data: {stray}} {
		plan, err := w.orphans(maintenance.OrphanOptions{Location: location})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		if got := pathsOfOrphans(plan.Files); !slices.Equal(got, want) {
			t.Errorf("below %q: orphans %q, want %q", location, got, want)
		}
		if _, err := plan.Execute(t.Context(), w.env); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(hint); err != nil {
		t.Error(err)
	}
	w.settleOthers()
	w.others[hint] = true
	w.checkAll()
}
