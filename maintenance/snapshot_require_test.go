package maintenance_test

import (
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// What takes a draft's sequence number, row ids or format version away without
// moving its branch is a refusal, after which the snapshot is made anew.
func TestDraftsAreRefusedForWhatTheyWereDraftedOn(t *testing.T) {
	upgrade := func(to int) func(w *world) {
		return func(w *world) { w.apply("upgrade", table.NewUpgradeFormatVersionUpdate(to)) }
	}
	side := func(w *world) { w.appendIDs("side", []int64{77}) }
	for _, test := range []struct {
		name, version string
		change        func(w *world)
		becomes       int
	}{
		{"upgrade", "2", upgrade(3), 3},
		{"upgrade of version 1", "1", upgrade(2), 2},
		{"another branch", "2", side, 2},
		{"another branch of version 3", "3", side, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := emptyWorld(t, 1)
			w.create(iceberg.Properties{"format-version": test.version}, byPart())
			w.appendIDs(table.MainBranch, []int64{1, 101})
			w.appendIDs(table.MainBranch, []int64{2, 102})
			head := w.load().CurrentSnapshot().SnapshotID
			w.apply("branch", table.NewSetSnapshotRefUpdate("side", head, table.BranchRef, 0, 0, 0))
			w.remember(false)
			plan := w.planManifests(maintenance.ManifestOptions{})
			w.before = func() error {
				w.depth++
				test.change(w)
				w.depth--
				return nil
			}
			if result, err := plan.Execute(t.Context(), w.env); err != nil || result.Rewritten == 0 {
				t.Errorf("%+v, %v", result, err)
			}
			if got := w.load().Metadata().Version(); got != test.becomes {
				t.Errorf("version %d", got)
			}
			w.checkAll()
			if again := w.planManifests(maintenance.ManifestOptions{}); !again.Empty() {
				t.Error("there is more to rewrite")
			}
		})
	}
}
