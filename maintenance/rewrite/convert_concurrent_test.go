package rewrite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// convertLoses executes a plan that must lose against what was committed since,
// unless it may try again.
func convertLoses(t *testing.T, g *ground, plan *rewrite.ConvertPlan) {
	t.Helper()
	_, err := plan.Execute(context.Background(), env(g.c))
	if g.wantLost(err) && g.planConvert().Files() > 0 {
		t.Error("equality deletes are left")
	}
}

// eachAttempt runs a test with tables of both versions on which who loses is over,
// and on which it is planned anew.
func eachAttempt(t *testing.T, spec *iceberg.PartitionSpec, test func(t *testing.T, g *ground)) {
	for name, props := range attempts() {
		for _, version := range []string{"2", "3"} {
			t.Run(name+", version "+version, func(t *testing.T) { test(t, newGround(t, version, spec, props)) })
		}
	}
}

// Appends, later equality deletes and, in version 2, position deletes do not hinder
// a conversion, and stay.
func TestOthersDuringConvertAreKept(t *testing.T) {
	for _, version := range []string{"2", "3"} {
		for _, when := range []string{"before the commit", "during it"} {
			t.Run(when+", version "+version, func(t *testing.T) {
				g := newGround(t, version, nil, nil)
				g.append(1, 2, 3, 4)
				g.deleteEqual(2)
				plan, want := g.planConvert(), []int64{1, 2, 3}
				g.before = func() {
					g.append(2, 9)
					g.deleteEqual(4, 9)
					if version == "2" {
						g.delete(1)
						want = []int64{2, 3}
					}
				}
				if when == "before the commit" {
					g.before()
					g.before = nil
				}
				if got := g.convert(plan); got != "1 → 1" {
					t.Error(got)
				}
				g.wantIDs(want...)
				if n := g.planConvert().Files(); n != 1 {
					t.Errorf("%d equality delete files are left", n)
				}
			})
		}
	}
}

// A rewrite that was planned before an equality delete puts files in the place of
// others that are as old: with the delete gone, their rows would come back.
func TestRewriteDuringConvertRevivesNothing(t *testing.T) {
	for name, spec := range map[string]*iceberg.PartitionSpec{"unpartitioned": nil, "partitioned": byPart()} {
		t.Run(name, func(t *testing.T) {
			eachAttempt(t, spec, func(t *testing.T, g *ground) {
				g.append(1, 2)
				g.append(3)
				rewriting := g.plan(all())
				g.deleteEqual(2)
				plan := g.planConvert()
				g.execute(rewriting)
				g.wantIDs(1, 3)
				convertLoses(t, g, plan)
				g.wantIDs(1, 3)
			})
		})
	}
}

// A data file may also come with an old sequence number while all others stay.
func TestOldDataDuringConvert(t *testing.T) {
	for name, spec := range map[string]*iceberg.PartitionSpec{"unpartitioned": nil, "partitioned": byPart()} {
		t.Run(name, func(t *testing.T) {
			eachAttempt(t, spec, func(t *testing.T, g *ground) {
				g.append(1, 2)
				before := g.dataPaths()
				g.deleteEqual(2)
				plan := g.planConvert()
				g.append(2)
				g.wantIDs(1, 2)
				late := slices.DeleteFunc(g.dataFiles(), func(df iceberg.DataFile) bool { return slices.Contains(before, df.FilePath()) })
				old := int64(1)
				again := maintenance.Replace{
					Branch: table.MainBranch, Since: g.load().CurrentSnapshot().SnapshotID, Sequence: &old,
					Data: []maintenance.DataFileRef{maintenance.RefOf(late[0])}, Add: late, KeepDangling: true,
				}
				if _, err := maintenance.Commit(t.Context(), env(g.c), g.ident, again.Build(env(g.c))); err != nil {
					t.Fatal(err)
				}
				g.wantIDs(1)
				convertLoses(t, g, plan)
				g.wantIDs(1)
			})
		})
	}
}

// The other way round the rewrite loses: the new position deletes are of its time.
func TestConvertDuringRewriteRevivesNothing(t *testing.T) {
	eachAttempt(t, nil, func(t *testing.T, g *ground) {
		g.append(1, 2)
		g.append(3)
		rewriting := g.plan(all())
		g.deleteEqual(2)
		g.convertAll("1 → 1")
		conflict(t, g, rewriting)
		g.wantIDs(1, 3)
	})
}

// A data file that a conversion has looked at may go meanwhile.
func TestDataFileGoneDuringConvert(t *testing.T) {
	eachAttempt(t, nil, func(t *testing.T, g *ground) {
		g.append(1, 2)
		g.append(3)
		g.deleteEqual(2)
		plan := g.planConvert()
		g.append(4)
		g.execute(g.plan(map[string]string{rewrite.OptionRewriteAll: "true", rewrite.OptionStartingSequence: "false"}))
		if len(liveDeletes(t, g.load())) == 0 {
			// The rewrite took the delete out, as nothing needs it.
			if _, err := plan.Execute(t.Context(), env(g.c)); err != nil && !errors.Is(err, maintenance.ErrConflict) {
				t.Error(err)
			}
		} else {
			convertLoses(t, g, plan)
		}
		g.wantIDs(1, 3, 4)
		for _, e := range liveDeletes(t, g.load()) {
			if e.DataFile().ContentType() == iceberg.EntryContentPosDeletes {
				t.Errorf("%q dangles", e.DataFile().FilePath())
			}
		}
	})
}

// A file whose rows are all gone is taken out by its own deletion; the equality
// delete stays, as it is newer than other files.
func TestDataFileDeletedDuringConvert(t *testing.T) {
	eachAttempt(t, byPart(), func(t *testing.T, g *ground) {
		g.append(1, 2, 101, 102)
		g.deleteEqual(2, 102)
		plan := g.planConvert()
		g.change(func(tx *table.Transaction) error {
			return tx.Delete(t.Context(), iceberg.EqualTo(iceberg.Reference("part"), int32(1)), nil)
		})
		convertLoses(t, g, plan)
		g.wantIDs(1)
	})
}

func TestTwoConverts(t *testing.T) {
	eachAttempt(t, nil, func(t *testing.T, g *ground) {
		g.append(1, 2, 3)
		g.deleteEqual(2)
		first, second := g.planConvert(), g.planConvert()
		g.convert(first)
		convertLoses(t, g, second)
		g.wantIDs(1, 3)
	})
}

// A data file must not get two vectors: who is late loses, whether the other one is
// a writer, a conversion or a rewrite of position deletes, whose vectors have the
// sequence numbers of older deletes.
func TestVectorDuringConvert(t *testing.T) {
	for name, props := range attempts() {
		for _, other := range []string{"delete", "rewrite"} {
			t.Run(name+", "+other, func(t *testing.T) {
				g := newGround(t, "2", nil, props)
				g.append(1, 2, 3, 4)
				g.append(5, 6)
				g.delete(3, 5)
				g.deleteEqual(2)
				g.upgrade()
				plan, deletes := g.planConvert(), g.planDeletes(all())
				if other == "delete" {
					g.delete(4)
				} else {
					g.rewriteDeletes(deletes)
				}
				before := g.ids()
				convertLoses(t, g, plan)
				g.wantIDs(before...)
				wantOneVectorEach(t, g)
			})
		}
	}
	g := newGround(t, "2", nil, nil)
	g.append(1, 2, 3, 4)
	g.append(5, 6)
	g.delete(3, 5)
	g.deleteEqual(2)
	g.upgrade()
	deletes := g.planDeletes(all())
	g.convertAll("1 → 1")
	conflictOfDeletes(t, g, deletes)
	g.wantIDs(1, 4, 6)
	wantOneVectorEach(t, g)
}

func wantOneVectorEach(t *testing.T, g *ground) {
	t.Helper()
	seen := map[string]bool{}
	for _, e := range liveDeletes(t, g.load()) {
		if path := maintenance.ReferencedFile(e.DataFile()); maintenance.IsDV(e.DataFile()) {
			if seen[path] {
				t.Errorf("%q has two vectors", path)
			}
			seen[path] = true
		}
	}
}

// In version 3, position delete files must not be added: the conversion is planned
// anew, and writes vectors.
func TestUpgradeDuringConvert(t *testing.T) {
	for _, props := range attempts() {
		g := newGround(t, "2", nil, props)
		g.append(1, 2, 3)
		g.deleteEqual(2)
		plan := g.planConvert()
		g.upgrade()
		g.append(9)
		convertLoses(t, g, plan)
		g.wantIDs(1, 3, 9)
	}
}

func TestBranchRolledBackDuringConvert(t *testing.T) {
	eachAttempt(t, nil, func(t *testing.T, g *ground) {
		g.append(1, 2)
		before := g.load().CurrentSnapshot().SnapshotID
		g.deleteEqual(2)
		plan := g.planConvert()
		g.change(func(tx *table.Transaction) error { return tx.RollbackToSnapshot(before) })
		convertLoses(t, g, plan)
		g.wantIDs(1, 2)
	})
}

func TestUnknownOutcomeOfConvertKeepsFiles(t *testing.T) {
	g := newGround(t, "2", nil, iceberg.Properties{"commit.status-check.num-retries": "0"})
	g.append(1, 2)
	g.deleteEqual(2)
	plan := g.planConvert()
	g.deny = func() error { return errors.New("the line is dead") }
	if _, err := plan.Execute(t.Context(), env(g.c)); !errors.Is(err, maintenance.ErrCommitUnknown) {
		t.Errorf("got %v", err)
	}
	if len(g.strays()) == 0 {
		t.Error("files were removed although they may be part of the table")
	}
	g.wantIDs(1)
}

// Promise P5: whatever is committed between the plan of a conversion and its commit
// is neither lost nor revived, and rows keep their lineage.
func TestConvertAmongWriters(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			var spec *iceberg.PartitionSpec
			if seed%3 > 0 {
				spec = byPart()
			}
			g := newGround(t, fmt.Sprint(2+seed%2), spec, nil)
			w := &writers{g: g, rng: rand.New(rand.NewPCG(seed, 7)), rows: map[int64]string{}, next: 300}
			for i := range int64(4) {
				w.add(i, 100+i, 200+i)
			}
			for round := range 4 {
				rewriting := g.plan(all())
				w.act()
				w.act()
				plan := g.planConvert()
				if w.rng.IntN(2) == 0 {
					g.execute(rewriting)
				}
				left := w.rng.IntN(3)
				g.before = func() { w.between(&left) }
				got := g.convert(plan)
				g.before = nil
				w.check(fmt.Sprintf("round %d, %s", round, got))
			}
		})
	}
}

// TestConvertSurvivesEveryFault fails each step of files and commits in turn, with
// position deletes and with vectors.
func TestConvertSurvivesEveryFault(t *testing.T) {
	for name, version := range map[string]int{"analytics.events_eq": 2, "analytics.events_eq_flat": 3} {
		t.Run(name, func(t *testing.T) {
			sweepFaults(t, name, (*lakefixture.Lake).Problems, func(c *catalog.Catalog, name string) error {
				tbl, err := c.Load(t.Context(), strings.Split(name, "."))
				if err != nil {
					return err
				}
				if tbl.Metadata().Version() < version {
					if _, _, err := c.Commit(t.Context(), tbl.Identifier(), nil, []table.Update{table.NewUpgradeFormatVersionUpdate(version)}); err != nil {
						return err
					}
				}
				var where iceberg.BooleanExpression
				if version == 2 {
					where = iceberg.EqualTo(iceberg.Reference("category"), "a")
				}
				plan, err := planConvert(t, c, name, where)
				if err != nil {
					return err
				}
				_, err = plan.Execute(t.Context(), env(c))
				return err
			})
		})
	}
}
