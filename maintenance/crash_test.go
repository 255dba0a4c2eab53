package maintenance_test

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/journal"
	"github.com/firndb/firn/maintenance/rewrite"
)

var everyStep = flag.Bool("every-step", false, "fail every read and write of TestRewriteThenExpireSurvivesEveryFault, too")

// TestRewriteThenExpireSurvivesEveryFault fails each step of files and commits
// in turn through a rewrite and the expiry of what it replaced.
// Whatever happens, every snapshot that is there reads its rows and nothing that
// is referenced is gone; files are left over only by a crash, by a removal that
// failed, by a commit of unknown outcome and by an expiry that did not get to
// them; and the same calls, made again, succeed. By default it takes the steps
// that differ in their effects, and two of the tables; with -every-step all.
func TestRewriteThenExpireSurvivesEveryFault(t *testing.T) {
	for _, version := range []string{"1", "2", "3"} {
		for name, mode := range map[string]faultio.Mode{"once": faultio.Once, "crash": faultio.Crash} {
			if quick := version == "2" && mode == faultio.Crash || version == "3" && mode == faultio.Once; !quick && !*everyStep {
				continue
			}
			t.Run("version "+version+" "+name, func(t *testing.T) {
				t.Parallel()
				w := deletedFrom(t, version)
				backup := t.TempDir()
				copyTree(t, backup, w.dir)
				ops := steps()
				if *everyStep {
					ops = nil
				}
				faultio.Sweep(t, mode, ops, func(t *testing.T, f *faultio.Faults) {
					w.t = t
					if err := os.RemoveAll(w.dir); err != nil {
						t.Fatal(err)
					}
					copyTree(t, w.dir, backup)
					w.sweepOnce(f, mode)
				})
			})
		}
	}
}

// deletedFrom is a world whose table has several files and, where the version
// has them, deletes of each kind, and a tag.
func deletedFrom(t *testing.T, version string) *world {
	t.Helper()
	w := emptyWorld(t, 1)
	props := iceberg.Properties{"format-version": version, "write.delete.mode": "merge-on-read", "write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "3"}
	if version == "1" {
		props["write.delete.mode"] = "copy-on-write"
	}
	w.create(props, byPart())
	w.appendIDs(table.MainBranch, []int64{1, 2, 101})
	w.apply("tag", table.NewSetSnapshotRefUpdate("v1", w.load().CurrentSnapshot().SnapshotID, table.TagRef, 0, 0, 0))
	w.appendIDs(table.MainBranch, []int64{3, 4, 102})
	w.deleteIDs(table.MainBranch, []int64{2, 102})
	w.deleteEqualIDs(table.MainBranch, []int64{3})
	w.appendIDs(table.MainBranch, []int64{5})
	w.remember(false)
	w.settleOthers()
	return w
}

func (w *world) sweepOnce(f *faultio.Faults, mode faultio.Mode) {
	w.t.Helper()
	records := w.t.TempDir()
	process := openJournal(records)
	if mode == faultio.Crash {
		f.Failing = func() { process.Close() }
	}
	w.open(f.Hooks())
	w.env.Limits.Concurrency, w.env.Journal = 1, process
	others := maps.Clone(w.others)
	before := len(w.load().Metadata().Snapshots())
	err := w.rewriteAll()
	if err == nil {
		err = w.expireAllButHeads()
	}
	step, fired := f.Fired()
	if err != nil && !errors.Is(err, faultio.ErrInjected) {
		w.t.Errorf("%v", err)
	}
	expired := len(w.load().Metadata().Snapshots()) < before
	w.lost = fired && (mode == faultio.Crash || expired || step.Op == faultio.Remove || step.Op == faultio.Removed || errors.Is(err, maintenance.ErrCommitUnknown))
	w.open(catalog.Hooks{})
	w.checkAll()
	process.Close()
	w.settled(records)
	// Old metadata files go between the commit and what the commit set free.
	if began := step.Op != faultio.Committed && !strings.HasSuffix(step.Path, ".metadata.json"); mode == faultio.Crash && expired && !began {
		w.removeAbandoned()
	}
	w.checkTidy(others)
	if err := w.rewriteAll(); err != nil {
		w.t.Errorf("the second rewrite: %v", err)
	}
	if err := w.expireAllButHeads(); err != nil {
		w.t.Errorf("the second expiry: %v", err)
	}
	w.checkAll()
	if n := len(w.load().Metadata().Snapshots()); n != 2 {
		w.t.Errorf("%d snapshots are left, want main's and the tag's", n)
	}
}

// settled settles what the journal of a dead process has, a day later.
func (w *world) settled(records string) {
	next := openJournal(records)
	defer next.Close()
	env := w.env
	env.Journal, env.Now = next, func() time.Time { return time.Now().Add(25 * time.Hour) }
	maintenance.Settle(context.Background(), env, only{w.c})
}

// removeAbandoned removes what the journal leaves to it: files that an expiry had
// set free when it was killed, before it could say so.
func (w *world) removeAbandoned() {
	w.t.Helper()
	env := w.env
	env.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	old := time.Now().Add(time.Minute)
	plan, err := maintenance.PlanOrphans(context.Background(), env, w.ident, maintenance.OrphanOptions{OlderThan: &old})
	if err == nil {
		_, err = plan.Execute(context.Background(), env)
	}
	if err != nil {
		w.t.Error(err)
	}
}

// checkTidy wants all rows to be there and no file to be left over.
func (w *world) checkTidy(others map[string]bool) {
	w.t.Helper()
	w.lost, w.others = false, others
	w.checkAll()
}

// only is a set of one catalog.
type only struct{ *catalog.Catalog }

func (o only) Get(context.Context, string) (*catalog.Catalog, error) { return o.Catalog, nil }

func openJournal(dir string) *journal.Journal {
	return journal.Open(dir, time.Now, slog.New(slog.DiscardHandler))
}

func (w *world) rewriteAll() error {
	plan, err := w.planRewrite(table.MainBranch, nil, map[string]string{
		rewrite.OptionRewriteAll: "true", rewrite.OptionRemoveDangling: "true", rewrite.OptionConcurrentGroups: "1",
	})
	if err != nil {
		return err
	}
	_, err = plan.Execute(context.Background(), w.env)
	w.remember(true)
	return err
}

func (w *world) expireAllButHeads() error {
	_, err := expireAllIn(w.env, w.ident)
	return err
}

func copyTree(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
