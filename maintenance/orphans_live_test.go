package maintenance_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/chain"
	"github.com/firndb/firn/maintenance/journal"
)

// writing begins a run in a journal that has written a data file, a month ago.
func (w *world) writing(j *journal.Journal) (run *journal.Run, path string) {
	w.t.Helper()
	env := w.env
	env.Journal = j
	run = maintenance.Begin(env, w.load(), "rewrite_data_files").Run
	path = w.put("data/00000-0-" + run.DataName().String() + "-00001.parquet")
	old := time.Now().Add(-30 * 24 * time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		w.t.Fatal(err)
	}
	return run, path
}

// TestOrphansSpareRunsAtWork is of runs whose files are older than the cutoff: they
// go when the run has ended without them, be it this process's or another's.
func TestOrphansSpareRunsAtWork(t *testing.T) {
	for _, stream := range []bool{false, true} {
		w, old, _ := littered(t)
		records := t.TempDir()
		w.env.Journal = openJournal(records)
		defer w.env.Journal.Close()
		process := openJournal(records)
		defer process.Close()
		mine, first := w.writing(w.env.Journal)
		theirs, second := w.writing(process)
		find := func(want ...string) *maintenance.Orphans {
			t.Helper()
			plan, err := w.orphans(maintenance.OrphanOptions{Stream: stream})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(want)
			if got := pathsOfOrphans(plan.Files); !slices.Equal(got, want) || plan.Spared != int64(3-len(want)) {
				t.Errorf("orphans %q and %d spared, want %q", got, plan.Spared, want)
			}
			return plan
		}
		find(old)
		mine.End()
		find(old, first)
		theirs.End()
		plan := find(old, first, second)
		// A run that has begun since has written one of the files.
		name := strings.TrimSuffix(strings.TrimPrefix(second[strings.LastIndexByte(second, '/')+1:], "00000-0-"), "-00001.parquet")
		process.Settle(journal.Entry{ID: "again", State: journal.Running, Names: []string{name}})
		done, err := plan.Execute(t.Context(), w.env)
		if want := slices.Sorted(slices.Values([]string{old, first})); err != nil || !slices.Equal(pathsOfOrphans(done.Files), want) || done.Removed != 2 {
			t.Errorf("%+v were deleted (%v), want %q", done, err, want)
		}
		if _, err := os.Stat(second); err != nil {
			t.Error(err)
		}
	}
}

// TestMaintainSparesRunsAtWork has nothing but files of such a run, and one more.
func TestMaintainSparesRunsAtWork(t *testing.T) {
	w, old, _ := littered(t)
	w.env.Journal = openJournal(t.TempDir())
	defer w.env.Journal.Close()
	run, path := w.writing(w.env.Journal)
	defer run.End()
	for _, want := range []string{"1 orphan file below ", "no orphan files below "} {
		results, err := w.chain(t.Context(), chain.Request{Table: w.ident, Steps: []chain.Step{chain.RemoveOrphans}})
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0].Reason; !strings.HasPrefix(r, want) || !strings.HasSuffix(r, "; 1 file of calls that are still writing") {
			t.Errorf("got %q, want %s", r, want)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the other orphan is still there")
	}
}

// TestOrphansStayIfRunsCannotBeTold has a journal that a living process of another
// version writes.
func TestOrphansStayIfRunsCannotBeTold(t *testing.T) {
	w, old, _ := littered(t)
	records := t.TempDir()
	if err := os.WriteFile(filepath.Join(records, "x.journal"), []byte("firn-journal 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(records, "x.journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	w.env.Journal = openJournal(records)
	defer w.env.Journal.Close()
	if _, err := w.orphans(maintenance.OrphanOptions{}); !errors.Is(err, maintenance.ErrRefused) {
		t.Errorf("got %v", err)
	}
	results, err := w.chain(t.Context(), chain.Request{Table: w.ident, Steps: []chain.Step{chain.RemoveOrphans}})
	if err != nil || results[0].Action != chain.Skipped || !strings.Contains(results[0].Reason, "another format") {
		t.Errorf("got %+v, %v", results, err)
	}
	if _, err := os.Stat(old); err != nil {
		t.Error(err)
	}
}
