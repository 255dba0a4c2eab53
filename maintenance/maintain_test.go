package maintenance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/chain"
	"github.com/firndb/firn/maintenance/rewrite"
)

// threePartitions is a world whose table has two files in each of three partitions,
// every one in a snapshot of its own.
func threePartitions(t *testing.T, more iceberg.Properties) *world {
	t.Helper()
	w := emptyWorld(t, 1)
	props := iceberg.Properties{"format-version": "2", "write.delete.mode": "merge-on-read", "commit.manifest-merge.enabled": "false"}
	for key, value := range more {
		props[key] = value
	}
	w.create(props, byPart())
	for _, id := range []int64{1, 101, 201, 2, 102, 202} {
		w.appendIDs(table.MainBranch, []int64{id})
	}
	w.remember(false)
	w.settleOthers()
	return w
}

func (w *world) everyStep() chain.Request {
	old := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	return chain.Request{Table: w.ident, OlderThan: &old, Rewrite: map[string]string{rewrite.OptionMinInputFiles: "2"}}
}

func (w *world) chain(ctx context.Context, req chain.Request) ([]chain.Result, error) {
	plan, err := chain.New(ctx, w.env, req)
	if err != nil {
		return nil, err
	}
	return plan.Execute(ctx, w.env)
}

// actions are the results as "step action".
func actions(results []chain.Result) []string {
	var all []string
	for _, r := range results {
		all = append(all, fmt.Sprintf("%s %s", r.Step, r.Action))
	}
	return all
}

func wantActions(t *testing.T, results []chain.Result, want ...string) {
	t.Helper()
	if got := actions(results); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q\n%+v", got, want, results)
	}
}

// TestMaintainTellsItsSnapshots also looks at the steps of one that a request
// names.
func TestMaintainTellsItsSnapshots(t *testing.T) {
	w := threePartitions(t, nil)
	req := w.everyStep()
	req.Steps = []chain.Step{chain.ExpireSnapshots, chain.RewriteData}
	results, err := w.chain(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	wantActions(t, results, "rewrite_data_files done", "expire_snapshots done")
	if id := w.load().CurrentSnapshot().SnapshotID; results[0].SnapshotID != id || results[1].SnapshotID != 0 {
		t.Errorf("the snapshots are %d and %d, want %d and none", results[0].SnapshotID, results[1].SnapshotID, id)
	}
	w.checkAll()
}

// TestMaintainStopsWhenTimeIsOver lets time go by during the first commit, less than
// the library's tolerance of clocks, and lets another call do the rest.
func TestMaintainStopsWhenTimeIsOver(t *testing.T) {
	w := threePartitions(t, nil)
	var late time.Duration
	w.env.Now = func() time.Time { return time.Now().Add(late) }
	w.before = func() error { late += 50 * time.Second; return nil }
	req := w.everyStep()
	req.MaxDuration = 30 * time.Second
	results, err := w.chain(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	wantActions(t, results, "rewrite_data_files done", "remove_dangling_deletes skipped", "rewrite_position_delete_files skipped",
		"rewrite_manifests skipped", "expire_snapshots skipped", "remove_orphan_files skipped")
	if text := results[0].Text; !strings.HasPrefix(text, "2 files") || !strings.Contains(text, "left by max_duration: 2 groups") {
		t.Errorf("got %q", text)
	}
	if reason := results[4].Reason; !strings.Contains(reason, "max_duration 30s is over") {
		t.Errorf("got %q", reason)
	}
	w.checkAll()
	if results, err = w.chain(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if text := results[0].Text; !strings.HasPrefix(text, "4 files") || results[4].Action != chain.Done {
		t.Errorf("the second call: %+v", results)
	}
	w.checkAll()
}

// TestMaintainIsCancelled gives up at the second commit. What the first did stays,
// and the error says so.
func TestMaintainIsCancelled(t *testing.T) {
	w := threePartitions(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.before = func() error {
		w.before = func() error { cancel(); return context.Canceled }
		return nil
	}
	results, err := w.chain(ctx, w.everyStep())
	if !errors.Is(err, context.Canceled) && !errors.Is(err, maintenance.ErrCommitUnknown) {
		t.Errorf("got %v", err)
	}
	wantActions(t, results, "rewrite_data_files failed")
	if err == nil || !strings.Contains(err.Error(), "done before that: rewrite_data_files: 2 files of") {
		t.Errorf("got %v", err)
	}
	w.lost = errors.Is(err, maintenance.ErrCommitUnknown)
	w.checkAll()
	if _, err := w.chain(t.Context(), w.everyStep()); err != nil {
		t.Error(err)
	}
	w.checkAll()
}

// TestMaintainStopsAtAnUnknownOutcome deletes nothing after it.
func TestMaintainStopsAtAnUnknownOutcome(t *testing.T) {
	w := threePartitions(t, nil)
	w.before = func() error { return errLostQuestion }
	results, err := w.chain(t.Context(), w.everyStep())
	if !errors.Is(err, maintenance.ErrCommitUnknown) || len(results) != 0 {
		t.Errorf("got %v, %+v", err, results)
	}
	if n := len(w.load().Metadata().Snapshots()); n != 6 {
		t.Errorf("%d snapshots, want 6", n)
	}
	w.lost = true
	w.checkAll()
}

// TestMaintainGoesOnAfterALostRace lets another writer win against each commit of
// the rewrite.
func TestMaintainGoesOnAfterALostRace(t *testing.T) {
	w := threePartitions(t, iceberg.Properties{"commit.retry.num-retries": "0"})
	var race func() error
	races := 0
	race = func() error {
		w.appendIDs(table.MainBranch, []int64{3})
		if races++; races < 3 {
			w.before = race
		}
		return nil
	}
	w.before = race
	results, err := w.chain(t.Context(), w.everyStep())
	if err != nil {
		t.Fatal(err)
	}
	wantActions(t, results, "rewrite_data_files failed", "remove_dangling_deletes skipped", "rewrite_position_delete_files skipped",
		"rewrite_manifests skipped", "expire_snapshots done", "remove_orphan_files skipped")
	if text := results[0].Text; text != "3 commits lost against another writer" {
		t.Errorf("got %q", text)
	}
	w.checkAll()
}

// TestMaintainSkipsWhatTheTableRefuses leaves the files of a table alone that it
// may share with others.
func TestMaintainSkipsWhatTheTableRefuses(t *testing.T) {
	w := threePartitions(t, iceberg.Properties{"gc.enabled": "false"})
	w.age(oldEnough)
	results, err := w.chain(t.Context(), w.everyStep())
	if err != nil {
		t.Fatal(err)
	}
	wantActions(t, results, "rewrite_data_files done", "remove_dangling_deletes skipped", "rewrite_position_delete_files skipped",
		"rewrite_manifests skipped", "expire_snapshots skipped", "remove_orphan_files skipped")
	for _, r := range results[4:] {
		if !strings.Contains(r.Reason, "gc.enabled") {
			t.Errorf("%s: got %q", r.Step, r.Reason)
		}
	}
	w.checkAll()
}

// TestMaintainRefusesBounds has bounds that a request must not have.
func TestMaintainRefusesBounds(t *testing.T) {
	w := threePartitions(t, nil)
	for want, req := range map[string]chain.Request{
		`"max_bytes" must be at least 1`:   {Table: w.ident, MaxBytes: -1},
		`"max_duration" must be more than`: {Table: w.ident, MaxDuration: -1},
		`there is no step "vacuum"`:        {Table: w.ident, Steps: []chain.Step{"vacuum"}},
	} {
		if _, err := chain.New(t.Context(), w.env, req); !errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
