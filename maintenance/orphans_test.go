package maintenance_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
	"github.com/firndb/firn/maintenance"
)

// littered is a world with a table that has two snapshots, a staged one and a
// tag, all a month old, and old and new files that nothing refers to.
func littered(t *testing.T) (w *world, old, young string) {
	t.Helper()
	w = emptyWorld(t, 1)
	w.create(iceberg.Properties{"format-version": "2"}, byPart())
	w.appendIDs(table.MainBranch, []int64{1, 101})
	first := w.snapshot()
	w.appendIDs(table.MainBranch, []int64{2})
	w.apply("tag", table.NewSetSnapshotRefUpdate("v1", first, table.TagRef, 0, 0, 0))
	w.remember(false)
	old, young = w.put("data/old.parquet"), w.put("data/young.parquet")
	w.put("data/_part=1/hidden.parquet")
	w.put("data/.tmp/hidden.parquet")
	w.age(30 * 24 * time.Hour)
	if err := os.Chtimes(young, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	return w, old, young
}

// put makes a file below the table's location.
func (w *world) put(name string) string {
	w.t.Helper()
	path := filepath.Join(strings.TrimPrefix(w.load().Location(), "file://"), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// age makes every file so old.
func (w *world) age(by time.Duration) {
	w.t.Helper()
	at := time.Now().Add(-by)
	err := filepath.WalkDir(strings.TrimPrefix(w.load().Location(), "file://"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chtimes(path, at, at)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) orphans(options maintenance.OrphanOptions) (*maintenance.Orphans, error) {
	return maintenance.PlanOrphans(context.Background(), w.env, w.ident, options)
}

func pathsOfOrphans(files []maintenance.OrphanFile) []string {
	var paths []string
	for _, f := range files {
		paths = append(paths, strings.TrimPrefix(f.Path, "file://"))
	}
	return paths
}

// TestOrphansAreOldAndUnreferenced is of field reports, 29, 30 and 39.
func TestOrphansAreOldAndUnreferenced(t *testing.T) {
	w, old, young := littered(t)
	plan, err := w.orphans(maintenance.OrphanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := pathsOfOrphans(plan.Files); !slices.Equal(got, []string{old}) {
		t.Errorf("orphans %q, want %q", got, old)
	}
	done, err := plan.Execute(t.Context(), w.env)
	if err != nil || !slices.Equal(done.Files, plan.Files) || done.Removed != 1 || done.Bytes != 1 || done.Failed != 0 {
		t.Errorf("%+v were deleted (%v), planned %v", done, err, plan.Files)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old file: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
	w.settleOthers()
	w.checkAll()
	if again, err := w.orphans(maintenance.OrphanOptions{}); err != nil || len(again.Files) > 0 {
		t.Errorf("a second run finds %v (%v)", again, err)
	}
}

// TestOrphansOfOtherTables is of field reports, 25 and 26: a location that is
// shared, by the catalog or by what lies there, is refused; a name that is the
// beginning of another is not.
func TestOrphansOfOtherTables(t *testing.T) {
	w, _, _ := littered(t)
	location := w.load().Location()
	add := func(name, location string) {
		t.Helper()
		schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64})
		if _, err := w.c.Iceberg().CreateTable(t.Context(), table.Identifier{"ns", name}, schema, icecat.WithLocation(location)); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(what string) {
		t.Helper()
		if plan, err := w.orphans(maintenance.OrphanOptions{}); !errors.Is(err, maintenance.ErrRefused) {
			t.Errorf("%s: got %v, %v", what, plan, err)
		}
	}
	add("t_2", location+"_2")
	if _, err := w.orphans(maintenance.OrphanOptions{}); err != nil {
		t.Errorf("a longer name: %v", err)
	}
	for what, at := range map[string]string{"the same": location, "below": location + "/data/inner", "above": location[:strings.LastIndexByte(location, '/')]} {
		add("other", at)
		refused(what)
		if err := w.c.Iceberg().DropTable(t.Context(), table.Identifier{"ns", "other"}); err != nil {
			t.Fatal(err)
		}
		if what != "above" {
			refused(what + ", dropped")
			_ = os.RemoveAll(filepath.Join(strings.TrimPrefix(location, "file://"), "data/inner"))
		}
		w.removeForeign(location)
	}
}

// removeForeign removes metadata files that the table does not name.
func (w *world) removeForeign(location string) {
	w.t.Helper()
	known := w.referenced()
	found, err := filepath.Glob(filepath.Join(strings.TrimPrefix(location, "file://"), "metadata", "*.metadata.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range found {
		if !known[path] {
			_ = os.Remove(path)
		}
	}
}

// TestOrphansCommittedMeanwhile is of field reports, 31: what a slow writer
// commits between the listing and the deletion stays.
func TestOrphansCommittedMeanwhile(t *testing.T) {
	w, old, _ := littered(t)
	w.appendIDs(table.MainBranch, []int64{50})
	late := w.load()
	w.apply("roll back", table.NewSetSnapshotRefUpdate(table.MainBranch, *late.CurrentSnapshot().ParentSnapshotID, table.BranchRef, 0, 0, 0))
	plan, err := w.orphans(maintenance.OrphanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The plan is made to name a file that the table has by now.
	for path := range w.referenced() {
		plan.Files = append(plan.Files, maintenance.OrphanFile{Path: "file://" + path})
	}
	w.appendIDs(table.MainBranch, []int64{51})
	done, err := plan.Execute(t.Context(), w.env)
	if got := pathsOfOrphans(done.Files); err != nil || !slices.Equal(got, []string{old}) {
		t.Errorf("%q were deleted (%v), want %q", got, err, old)
	}
	w.settleOthers()
	w.checkAll()
}

// TestOrphansAreRefused is of field reports, 30 and 43.
func TestOrphansAreRefused(t *testing.T) {
	w, _, _ := littered(t)
	recent := time.Now().Add(-23 * time.Hour)
	for what, options := range map[string]maintenance.OrphanOptions{
		"older_than":           {OlderThan: &recent},
		"location":             {Location: w.load().Location() + "/nope"},
		"prefix_mismatch_mode": {Mismatch: "some"},
	} {
		if _, err := w.orphans(options); !errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := w.orphans(maintenance.OrphanOptions{Tag: true}); !errors.Is(err, maintenance.ErrUnsupported) || !strings.Contains(err.Error(), `"mode" can be tag`) {
		t.Errorf("local files have no tags: %v", err)
	}
	w.apply("gc", table.NewSetPropertiesUpdate(iceberg.Properties{"gc.enabled": "false"}))
	if _, err := w.orphans(maintenance.OrphanOptions{}); !errors.Is(err, maintenance.ErrRefused) || !strings.Contains(err.Error(), "gc.enabled") {
		t.Errorf("got %v", err)
	}
}

// TestOrphansSurviveEveryFault fails each step in turn: nothing referenced goes,
// and the next call removes what is left.
func TestOrphansSurviveEveryFault(t *testing.T) {
	for name, mode := range map[string]faultio.Mode{"once": faultio.Once, "crash": faultio.Crash} {
		t.Run(name, func(t *testing.T) {
			ops := []faultio.Op{faultio.Open, faultio.List, faultio.Remove, faultio.Removed}
			faultio.Sweep(t, mode, ops, func(t *testing.T, f *faultio.Faults) {
				w, old, young := littered(t)
				w.open(f.Hooks())
				plan, err := w.orphans(maintenance.OrphanOptions{})
				if err == nil {
					_, err = plan.Execute(t.Context(), w.env)
				}
				if err != nil && !errors.Is(err, faultio.ErrInjected) {
					t.Error(err)
				}
				w.open(catalog.Hooks{})
				if plan, err = w.orphans(maintenance.OrphanOptions{}); err == nil {
					_, err = plan.Execute(t.Context(), w.env)
				}
				if _, there := os.Stat(old); err != nil || there == nil {
					t.Errorf("the second call: %v, %v", err, there)
				}
				if _, err := os.Stat(young); err != nil {
					t.Error(err)
				}
				w.settleOthers()
				w.checkAll()
			})
		})
	}
}
