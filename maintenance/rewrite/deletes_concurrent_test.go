package rewrite_test

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// conflictOfDeletes executes a plan that must lose against what was committed
// since.
func conflictOfDeletes(t *testing.T, g *ground, plan *rewrite.DeletePlan) {
	t.Helper()
	if _, err := plan.Execute(context.Background(), env(g.c)); !errors.Is(err, maintenance.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	g.wantNoStrays()
}

func TestDeleteDuringDeleteRewriteIsKept(t *testing.T) {
	for _, when := range []string{"before the commit", "during it"} {
		t.Run(when, func(t *testing.T) {
			g := threeDeletes(t, "2", nil)
			plan := g.planDeletes(all())
			if when == "during it" {
				g.before = func() { g.delete(1); g.append(9) }
			} else {
				g.delete(1)
				g.append(9)
			}
			g.rewriteDeletes(plan)
			g.wantIDs(2, 4, 6, 9)
		})
	}
}

// A data file whose deletes are rewritten may go meanwhile: its deletes dangle.
func TestDataRewriteDuringDeleteRewrite(t *testing.T) {
	g := threeDeletes(t, "2", nil)
	plan := g.planDeletes(all())
	g.append(9)
	g.execute(g.plan(all()))
	if len(liveDeletes(t, g.load())) == 0 {
		conflictOfDeletes(t, g, plan)
	} else {
		g.rewriteDeletes(plan)
	}
	g.wantIDs(1, 2, 4, 6, 9)
}

func TestTwoDeleteRewrites(t *testing.T) {
	g := threeDeletes(t, "2", nil)
	first, second := g.planDeletes(all()), g.planDeletes(all())
	g.rewriteDeletes(first)
	conflictOfDeletes(t, g, second)
	g.wantIDs(1, 2, 4, 6)
}

// A data file must not get two vectors: who is late loses.
func TestVectorDuringDeleteRewrite(t *testing.T) {
	g := threeDeletes(t, "2", nil)
	g.upgrade()
	plan := g.planDeletes(all())
	g.delete(1)
	before := g.ids()
	conflictOfDeletes(t, g, plan)
	g.wantIDs(before...)
}

// In version 3, position delete files must not be added.
func TestUpgradeDuringDeleteRewrite(t *testing.T) {
	g := threeDeletes(t, "2", nil)
	plan := g.planDeletes(all())
	g.upgrade()
	g.append(9)
	conflictOfDeletes(t, g, plan)
	g.wantIDs(1, 2, 4, 6, 9)
}

func TestUnknownOutcomeKeepsDeleteFiles(t *testing.T) {
	g := threeDeletes(t, "2", iceberg.Properties{"commit.status-check.num-retries": "0"})
	plan := g.planDeletes(all())
	g.deny = func() error { return errors.New("the line is dead") }
	_, err := plan.Execute(context.Background(), env(g.c))
	if !errors.Is(err, maintenance.ErrCommitUnknown) {
		t.Errorf("got %v", err)
	}
	if len(g.strays()) == 0 {
		t.Error("files were removed although they may be part of the table")
	}
	g.wantIDs(1, 2, 4, 6)
}

// Of partitions that are committed one by one, those in conflict are left out.
func TestPartialProgressOfDeletes(t *testing.T) {
	g := newGround(t, "2", byPart(), nil)
	g.append(1, 2, 101, 102, 201, 202)
	g.delete(1, 101, 201)
	plan := g.planDeletes(map[string]string{"rewrite-all": "true", "partial-progress.enabled": "true"})
	if plan.Commits() != 3 {
		t.Fatalf("%d commits", plan.Commits())
	}
	again := g.planDeletes(map[string]string{"rewrite-all": "true"})
	again.Groups = again.Groups[:1]
	g.rewriteDeletes(again)
	r, err := plan.Execute(context.Background(), env(g.c))
	if err != nil || r.RewrittenFiles != 2 || r.AddedFiles != 2 || r.FailedCommits != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	g.wantNoStrays()
	g.wantIDs(2, 102, 202)
}

// TestDeleteRewriteSurvivesEveryFault fails each step of files and commits in
// turn, in the rewrite to deletion vectors and in that of position deletes.
func TestDeleteRewriteSurvivesEveryFault(t *testing.T) {
	for _, name := range []string{"analytics.mor_upgraded", "analytics.events_eq"} {
		t.Run(name, func(t *testing.T) {
			sweepFaults(t, name, (*lakefixture.Lake).Problems, func(c *catalog.Catalog, name string) error {
				plan, err := planDeletes(t, c, name, nil, all())
				if err != nil {
					return err
				}
				_, err = plan.Execute(t.Context(), env(c))
				return err
			})
		})
	}
}
