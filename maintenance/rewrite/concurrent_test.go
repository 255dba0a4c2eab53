package rewrite_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// once is a table whose commits are not tried again, so that who loses is told.
func once() iceberg.Properties { return iceberg.Properties{"commit.retry.num-retries": "0"} }

// attempts are tables on which a rewrite that loses is over, and on which it is
// planned anew.
func attempts() map[string]iceberg.Properties {
	return map[string]iceberg.Properties{"once": once(), "again": nil}
}

// conflict executes a plan that must lose against what was committed since, unless
// it may try again.
func conflict(t *testing.T, g *ground, plan *rewrite.Plan) {
	t.Helper()
	_, err := plan.Execute(context.Background(), env(g.c))
	g.wantLost(err)
}

// wantLost wants the error of a job that lost, unless it may try again, which it
// reports.
func (g *ground) wantLost(err error) (again bool) {
	g.t.Helper()
	again = g.load().Properties()["commit.retry.num-retries"] == ""
	if again && err != nil || !again && !errors.Is(err, maintenance.ErrConflict) {
		g.t.Errorf("got %v; tried again: %v", err, again)
	}
	g.wantNoStrays()
	return again
}

func TestAppendDuringRewriteIsKept(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	g.append(1)
	g.append(2)
	plan := g.plan(all())
	g.append(3)
	if r := g.execute(plan); result(r) != "2 → 1" {
		t.Error(result(r))
	}
	g.wantIDs(1, 2, 3)
	g.wantNoStrays()
}

// The table moves between building the snapshot and committing it: the SQL
// catalog answers with a plain "requirement failed".
func TestStaleBaseIsTriedAgain(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	g.append(1)
	g.append(2)
	plan := g.plan(all())
	g.before = func() { g.append(3) }
	if r := g.execute(plan); result(r) != "2 → 1" {
		t.Error(result(r))
	}
	g.wantIDs(1, 2, 3)
	g.wantNoStrays()
}

// Field report 44: a DELETE racing a rewrite must not be undone. Validation
// runs from the planning snapshot, at every attempt.
func TestDeleteRacingRewriteIsNotRevived(t *testing.T) {
	for _, version := range []string{"2", "3"} {
		for name, props := range attempts() {
			t.Run("before the commit, version "+version+", "+name, func(t *testing.T) {
				g := newGround(t, version, nil, props)
				g.append(1, 2)
				g.append(3, 4)
				plan := g.plan(all())
				g.delete(2)
				conflict(t, g, plan)
				g.wantIDs(1, 3, 4)
			})
			t.Run("during the commit, version "+version+", "+name, func(t *testing.T) {
				g := newGround(t, version, nil, props)
				g.append(1, 2)
				g.append(3, 4)
				plan := g.plan(all())
				g.before = func() { g.delete(2) }
				// The commit itself is not tried again, if nothing is.
				conflict(t, g, plan)
				g.wantIDs(1, 3, 4)
			})
		}
	}
}

func TestDeleteElsewhereDoesNotConflict(t *testing.T) {
	g := newGround(t, "2", byPart(), nil)
	g.append(1, 2)
	g.append(3, 4)
	g.append(101, 102)
	plan := g.plan(map[string]string{rewrite.OptionMinInputFiles: "2"})
	g.delete(102)
	if r := g.execute(plan); result(r) != "2 → 1" {
		t.Error(result(r))
	}
	g.wantIDs(1, 2, 3, 4, 101)
}

// Field report 45: 1, 2, 3; delete 2 by equality during the rewrite; append 4;
// the rows must be 1, 3, 4: the delete applies to the new file, whose sequence
// number is that of the plan, and is not dropped as older than every data file.
func TestEqualityDeleteDuringRewriteStillApplies(t *testing.T) {
	for name, spec := range map[string]*iceberg.PartitionSpec{"unpartitioned": nil, "partitioned": byPart()} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, "2", spec, nil)
			g.append(1)
			g.append(2)
			g.append(3)
			plan := g.plan(all())
			g.deleteEqual(2)
			g.append(4)
			if r := g.execute(plan); result(r) != "3 → 1" {
				t.Error(result(r))
			}
			g.wantIDs(1, 3, 4)
			g.execute(g.plan(all()))
			g.wantIDs(1, 3, 4)
		})
	}
}

// Without the starting sequence number the delete would be lost, so the rewrite
// loses.
func TestEqualityDeleteConflictsWithoutStartingSequence(t *testing.T) {
	for _, props := range attempts() {
		g := newGround(t, "2", nil, props)
		g.append(1)
		g.append(2)
		plan := g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionStartingSequence: "false"})
		g.deleteEqual(2)
		conflict(t, g, plan)
		g.wantIDs(1)
	}
}

// Files written under another spec than an equality delete's partition are out
// of its reach: the rewrite must lose, where Java ignores the delete.
func TestEqualityDeleteConflictsWhenSpecChanges(t *testing.T) {
	for _, props := range attempts() {
		g := newGround(t, "2", byPart(), props)
		g.change(func(tx *table.Transaction) error {
			return tx.UpdateSpec(false).AddField("id", iceberg.BucketTransform{NumBuckets: 4}, "bucket").Commit()
		})
		g.append(1)
		g.append(2)
		plan := g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionOutputSpec: "0"})
		g.deleteEqual(2)
		conflict(t, g, plan)
		g.wantIDs(1)
	}
}

// An equality delete of a partition does not reach rows of another spec. If it
// is committed while they are moved into that partition, with the sequence number
// of the plan, it would reach them afterwards: rows that everybody has seen after
// the delete would be lost.
func TestEqualityDeleteDoesNotReachRowsThatMove(t *testing.T) {
	for _, sequence := range []string{"true", "false"} {
		g := newGround(t, "2", nil, once())
		g.append(1, 3)
		g.append(2)
		g.change(func(tx *table.Transaction) error {
			return tx.UpdateSpec(false).AddField("part", iceberg.IdentityTransform{}, "part").Commit()
		})
		g.append(4)
		plan := g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionStartingSequence: sequence})
		g.deleteEqual(1)
		g.wantIDs(1, 2, 3, 4)
		conflict(t, g, plan)
		g.wantIDs(1, 2, 3, 4)
		g.execute(g.plan(all()))
		g.wantIDs(1, 2, 3, 4)
	}
}

// An expiry removes the spec of the new files as unused just before they are
// committed, and moves no branch: the snapshot could not be read.
func TestOutputSpecRemovedDuringCommit(t *testing.T) {
	g := newGround(t, "2", byPart(), nil)
	g.change(func(tx *table.Transaction) error { return tx.UpdateSpec(false).RemoveField("part").Commit() })
	g.append(1)
	g.append(2)
	plan := g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionOutputSpec: "0"})
	g.before = func() {
		late := time.Now().Add(time.Hour)
		expiry, err := maintenance.PlanExpiry(t.Context(), env(g.c), g.ident, maintenance.ExpireOptions{OlderThan: &late, CleanMetadata: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := expiry.Execute(t.Context(), env(g.c)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := plan.Execute(context.Background(), env(g.c))
	g.wantIDs(1, 2)
	if g.load().Metadata().PartitionSpecByID(0) != nil {
		t.Fatal("the spec has not been removed; the trap is not set")
	}
	if !errors.Is(err, maintenance.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	g.wantNoStrays()
}

// A user whom a writer has beaten learns what to do.
func TestConflictSaysWhatToDo(t *testing.T) {
	g := newGround(t, "2", nil, once())
	g.append(1, 2)
	g.append(3)
	plan := g.plan(all())
	g.delete(2)
	_, err := plan.Execute(context.Background(), env(g.c))
	if err == nil || !strings.Contains(err.Error(), "call again") || !strings.Contains(err.Error(), "commit.retry.num-retries") {
		t.Errorf("got %v", err)
	}
}

// Nothing is written for a table that cannot be committed to.
func TestClockBehindTheTable(t *testing.T) {
	g := newGround(t, "2", nil, nil)
	g.append(1)
	g.append(2)
	plan := g.plan(all())
	slow := env(g.c)
	slow.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	if _, err := plan.Execute(context.Background(), slow); !errors.Is(err, maintenance.ErrRefused) || !strings.Contains(err.Error(), "clock") {
		t.Errorf("got %v", err)
	}
	g.wantNoStrays()
}

// Two rewrites of the same files: one wins.
func TestRewriteOfRewrittenFilesConflicts(t *testing.T) {
	for name, props := range attempts() {
		g := newGround(t, "2", nil, props)
		g.append(1)
		g.append(2)
		first, second := g.plan(all()), g.plan(all())
		g.execute(first)
		conflict(t, g, second)
		g.wantIDs(1, 2)
		if n := len(g.load().Metadata().Snapshots()); n != 3 {
			t.Errorf("%s: %d snapshots", name, n)
		}
	}
}

// Field report 57: a conflict retires only the groups that it concerns; those are
// planned anew.
func TestConflictRetiresOnlyItsGroups(t *testing.T) {
	for name, partial := range map[string]string{"in one commit": "false", "with partial progress": "true"} {
		for again, props := range attempts() {
			t.Run(name+", "+again, func(t *testing.T) {
				g := newGround(t, "2", byPart(), props)
				for _, part := range []int64{0, 100, 200} {
					g.append(part + 1)
					g.append(part + 2)
				}
				options := map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionPartialProgress: partial}
				plan := g.plan(options)
				g.delete(102)
				r, err := plan.Execute(context.Background(), env(g.c))
				want, failed := "4 → 2", props != nil && partial == "true"
				if props == nil {
					// Of the partition, the file with the deleted row has gone.
					want = "5 → 3"
				}
				if result(r) != want || (r.FailedCommits > 0) != failed {
					t.Errorf("%s, %d failed commits", result(r), r.FailedCommits)
				}
				if lost := props != nil && partial == "false"; lost != errors.Is(err, maintenance.ErrConflict) || !lost && err != nil {
					t.Errorf("got %v", err)
				}
				g.wantIDs(1, 2, 101, 201, 202)
				g.wantNoStrays()
			})
		}
	}
}

// Failed commits are an error if there are more than may be.
func TestTooManyFailedCommits(t *testing.T) {
	g := newGround(t, "2", byPart(), once())
	g.append(1, 201)
	g.append(2, 202)
	plan := g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionPartialProgress: "true", rewrite.OptionMaxFailedCommits: "0"})
	g.deleteEqual(201)
	g.delete(201)
	if _, err := plan.Execute(context.Background(), env(g.c)); !errors.Is(err, maintenance.ErrConflict) {
		t.Errorf("got %v, want more failed commits than allowed", err)
	}
	g.wantIDs(1, 2, 202)
}

func TestBranchRolledBackConflicts(t *testing.T) {
	g := newGround(t, "2", nil, once())
	g.append(1)
	before := g.load().CurrentSnapshot().SnapshotID
	g.append(2)
	plan := g.plan(all())
	g.change(func(tx *table.Transaction) error { return tx.RollbackToSnapshot(before) })
	conflict(t, g, plan)
	g.wantIDs(1)
}

// KILL arrives while one group is being committed and another is being read:
// that nobody knows the outcome of the commit must not be lost among the errors
// of the other group (promise P3).
func TestUnknownOutcomeIsNotLostAmongErrors(t *testing.T) {
	g := newGround(t, "2", byPart(), nil)
	g.append(1, 101, 201, 301)
	g.append(2, 102, 202, 302)
	plan := g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionPartialProgress: "true"})
	ctx, cancel := context.WithCancel(context.Background())
	killed := env(g.c)
	killed.Wait = func(context.Context, time.Duration) error { return nil }
	g.deny = func() error {
		cancel()
		return context.Canceled
	}
	_, err := plan.Execute(ctx, killed)
	if !errors.Is(err, maintenance.ErrCommitUnknown) {
		t.Errorf("got %v", err)
	}
	g.wantIDs(1, 2, 101, 102, 201, 202, 301, 302)
}

func TestCancelledRewriteLeavesNothing(t *testing.T) {
	g := newGround(t, "2", byPart(), nil)
	g.append(1, 101, 201)
	g.append(2, 102, 202)
	plan := g.plan(all())
	ctx, cancel := context.WithCancel(context.Background())
	cancelling := env(g.c)
	cancelling.Progress = func(maintenance.Update) { cancel() }
	if _, err := plan.Execute(ctx, cancelling); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancellation", err)
	}
	g.wantIDs(1, 2, 101, 102, 201, 202)
	g.wantNoStrays()
}
