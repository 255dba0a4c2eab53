package maintenance_test

import (
	"errors"
	"os"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
	"github.com/firndb/firn/maintenance"
)

// TestMaintainSurvivesEveryFault fails each commit and removal in turn through the
// whole chain, orphans included. Whatever happens, every snapshot that
// is there reads its rows and nothing that is referenced is gone. The same call,
// made again, succeeds; and when what is left over has become old, it goes too.
// With -every-step, every other step of files fails too, and every kind of table is taken.
func TestMaintainSurvivesEveryFault(t *testing.T) {
	for _, version := range []string{"1", "2", "3"} {
		for name, mode := range map[string]faultio.Mode{"once": faultio.Once, "crash": faultio.Crash} {
			if quick := version == "2" && mode == faultio.Once || version == "3" && mode == faultio.Crash; !quick && !*everyStep {
				continue
			}
			t.Run("version "+version+" "+name, func(t *testing.T) {
				t.Parallel()
				w := deletedFrom(t, version)
				w.put("data/orphan.parquet")
				w.age(oldEnough)
				backup := t.TempDir()
				copyTree(t, backup, w.dir)
				ops := []faultio.Op{faultio.Removed, faultio.Commit, faultio.Committed}
				if *everyStep {
					ops = nil
				}
				faultio.Sweep(t, mode, ops, func(t *testing.T, f *faultio.Faults) {
					w.t = t
					if err := os.RemoveAll(w.dir); err != nil {
						t.Fatal(err)
					}
					copyTree(t, w.dir, backup)
					w.open(catalog.Hooks{})
					w.age(oldEnough)
					w.maintainUnder(f)
				})
			})
		}
	}
}

func (w *world) maintainUnder(f *faultio.Faults) {
	w.t.Helper()
	w.open(f.Hooks())
	w.env.Limits.Concurrency, w.env.Committed = 1, nil
	w.main = w.rows[w.load().CurrentSnapshot().SnapshotID]
	results, err := w.chain(w.t.Context(), w.everyStep())
	if err != nil && !errors.Is(err, faultio.ErrInjected) && !errors.Is(err, maintenance.ErrConflict) {
		w.t.Errorf("%v\n%+v", err, results)
	}
	_, w.lost = f.Fired()
	w.open(catalog.Hooks{})
	w.checkAll()
	for range 2 {
		if results, err = w.chain(w.t.Context(), w.everyStep()); err != nil {
			w.t.Errorf("the next call: %v\n%+v", err, results)
		}
		w.checkAll()
		w.age(oldEnough)
	}
	if left := w.unreferenced(w.referenced()); len(left) > 0 {
		w.t.Errorf("left over at last: %q\n%+v", left, results)
	}
}
