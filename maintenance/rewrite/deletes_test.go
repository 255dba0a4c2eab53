package rewrite_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/rewrite"
)

// planDeletes plans the rewrite of a table's position delete files.
func planDeletes(t *testing.T, c *catalog.Catalog, name string, where iceberg.BooleanExpression, options map[string]string) (*rewrite.DeletePlan, error) {
	t.Helper()
	tbl, err := c.Load(context.Background(), strings.Split(name, "."))
	if err != nil {
		t.Fatal(err)
	}
	o, err := rewrite.ParseDeleteOptions(options, tbl.Metadata())
	if err != nil {
		return nil, err
	}
	return rewrite.NewDeletePlan(context.Background(), rewrite.DeleteRequest{Table: tbl, Where: where, Options: o})
}

func (g *ground) planDeletes(options map[string]string) *rewrite.DeletePlan {
	g.t.Helper()
	plan, err := planDeletes(g.t, g.c, strings.Join(g.ident, "."), nil, options)
	if err != nil {
		g.t.Fatal(err)
	}
	return plan
}

// rewriteDeletes executes a plan and says how many files became how many.
func (g *ground) rewriteDeletes(plan *rewrite.DeletePlan) string {
	g.t.Helper()
	r, err := plan.Execute(context.Background(), env(g.c))
	if err != nil {
		g.t.Fatal(err)
	}
	g.wantNoStrays()
	return fmt.Sprintf("%d → %d", r.RewrittenFiles, r.AddedFiles)
}

// deleteFiles are the live delete files with their data sequence numbers.
func (g *ground) deleteFiles() (lines []string) {
	g.t.Helper()
	for _, e := range liveDeletes(g.t, g.load()) {
		df := e.DataFile()
		one := maintenance.ReferencedFile(df) != ""
		if df.FileFormat() != iceberg.PuffinFile && df.ReferencedDataFile() != nil {
			g.t.Errorf("%q names its data file, which Spark does not write", df.FilePath())
		}
		lines = append(lines, fmt.Sprintf("%s of %d at %d, one file: %v", df.FileFormat(), df.Count(), e.SequenceNum(), one))
	}
	slices.Sort(lines)
	return lines
}

func liveDeletes(t *testing.T, tbl *table.Table) (entries []iceberg.ManifestEntry) {
	t.Helper()
	fs, err := tbl.FS(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := tbl.CurrentSnapshot().Manifests(fs)
	if err != nil {
		t.Fatal(err)
	}
	err = maintenance.LiveEntries(context.Background(), fs, manifests, iceberg.ManifestContentDeletes, true, func(e iceberg.ManifestEntry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// threeDeletes has rows 1, 2, 4, 6, in two files with deletes of three commits.
func threeDeletes(t *testing.T, version string, props iceberg.Properties) *ground {
	t.Helper()
	g := newGround(t, version, nil, props)
	g.append(1, 2, 3, 4)
	g.append(5, 6, 7, 8)
	g.delete(3, 5)
	g.delete(7)
	g.delete(8)
	return g
}

func wantFiles(t *testing.T, g *ground, want ...string) {
	t.Helper()
	if got := g.deleteFiles(); !slices.Equal(got, want) {
		t.Errorf("delete files %q, want %q", got, want)
	}
}

func TestDeletesByFile(t *testing.T) {
	g := threeDeletes(t, "2", nil)
	if got := g.rewriteDeletes(g.planDeletes(map[string]string{"min-input-files": "2"})); !strings.HasSuffix(got, "→ 2") {
		t.Error(got)
	}
	// 5, 7 and 8 are in one file, with the greatest sequence number of all.
	wantFiles(t, g, "PARQUET of 1 at 5, one file: true", "PARQUET of 3 at 5, one file: true")
	g.wantIDs(1, 2, 4, 6)
	if again := g.planDeletes(map[string]string{"min-input-files": "2"}); again.Files() != 0 {
		t.Errorf("the second run selects %d files", again.Files())
	}
	g.delete(1)
	if got := g.rewriteDeletes(g.planDeletes(all())); got != "3 → 2" {
		t.Error(got)
	}
	g.wantIDs(2, 4, 6)
}

func TestDeletesByPartition(t *testing.T) {
	g := threeDeletes(t, "2", iceberg.Properties{"write.delete.granularity": "partition"})
	plan := g.planDeletes(map[string]string{"min-input-files": "2"})
	if got := g.rewriteDeletes(plan); !strings.HasSuffix(got, "→ 1") {
		t.Error(got)
	}
	wantFiles(t, g, "PARQUET of 4 at 5, one file: false")
	g.wantIDs(1, 2, 4, 6)
	if again := g.planDeletes(map[string]string{"min-input-files": "2"}); again.Files() != 0 {
		t.Errorf("the second run selects %d files", again.Files())
	}
}

func TestGranularityIsChecked(t *testing.T) {
	g := threeDeletes(t, "2", iceberg.Properties{"write.delete.granularity": "row"})
	if _, err := planDeletes(t, g.c, "ns.t", nil, nil); !errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), "write.delete.granularity") {
		t.Errorf("got %v", err)
	}
}

// A data file that is gone takes its deletes along, all of them.
func TestDanglingPositionsGo(t *testing.T) {
	g := newGround(t, "2", byPart(), nil)
	g.append(1, 2, 101, 102)
	g.delete(1, 101)
	g.append(3, 103)
	g.delete(3, 103)
	g.change(func(tx *table.Transaction) error {
		return tx.Delete(context.Background(), iceberg.EqualTo(iceberg.Reference("part"), int32(1)), nil)
	})
	before := g.ids()
	if got := g.rewriteDeletes(g.planDeletes(all())); got != "2 → 1" {
		t.Error(got)
	}
	if !slices.Equal(g.ids(), before) || !slices.Equal(before, []int64{2}) {
		t.Errorf("rows %v were %v", g.ids(), before)
	}
	for _, e := range liveDeletes(t, g.load()) {
		if part := e.DataFile().Partition()[1000]; part != int32(0) {
			t.Errorf("a delete file of partition %v is left", part)
		}
	}
}

func TestDeletesBecomeVectors(t *testing.T) {
	g := threeDeletes(t, "2", nil)
	g.upgrade()
	// The library's vector lacks what the delete files say of its data file, which
	// readers look at no longer; nor may the rewrite.
	g.delete(1)
	before := g.ids()
	if got := g.rewriteDeletes(g.planDeletes(map[string]string{"min-input-files": "2"})); !strings.HasSuffix(got, "→ 2") {
		t.Error(got)
	}
	g.wantIDs(before...)
	for _, line := range g.deleteFiles() {
		if !strings.HasPrefix(line, "PUFFIN") {
			t.Error(line)
		}
	}
	if again := g.planDeletes(all()); again.Files() != 0 {
		t.Errorf("the second run selects %d files", again.Files())
	}
	g.delete(2)
	if before = before[1:]; !slices.Equal(g.ids(), before) {
		t.Errorf("rows %v, want %v", g.ids(), before)
	}
}

func (g *ground) upgrade() {
	g.t.Helper()
	g.change(func(tx *table.Transaction) error { return tx.UpgradeFormatVersion(3) })
}

func TestDeletesOfWhere(t *testing.T) {
	g := newGround(t, "2", byPart(), nil)
	g.append(1, 2, 101, 102, 201, 202)
	g.delete(1, 101, 201)
	for name, tc := range map[string]struct {
		where iceberg.BooleanExpression
		files int
	}{
		"one partition":   {iceberg.EqualTo(iceberg.Reference("part"), int32(1)), 1},
		"other column":    {iceberg.EqualTo(iceberg.Reference("id"), int64(5)), 3},
		"both":            {iceberg.NewAnd(iceberg.GreaterThan(iceberg.Reference("part"), int32(0)), iceberg.EqualTo(iceberg.Reference("id"), int64(5))), 2},
		"either":          {iceberg.NewOr(iceberg.GreaterThan(iceberg.Reference("part"), int32(0)), iceberg.EqualTo(iceberg.Reference("id"), int64(5))), 3},
		"not":             {iceberg.NewNot(iceberg.IsIn(iceberg.Reference("PART"), int32(0), int32(1))), 1},
		"null":            {iceberg.IsNull(iceberg.Reference("part")), 0},
		"no partition":    {iceberg.EqualTo(iceberg.Reference("part"), int32(9)), 0},
		"never":           {iceberg.AlwaysFalse{}, 0},
		"every partition": {iceberg.NotNull(iceberg.Reference("part")), 3},
	} {
		plan, err := planDeletes(t, g.c, "ns.t", tc.where, all())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if plan.Files() != tc.files || plan.Unmatched != int64(3-tc.files) {
			t.Errorf("%s: %d files, %d unmatched", name, plan.Files(), plan.Unmatched)
		}
	}
}

func TestDeletesThatDoNotFitAreRefused(t *testing.T) {
	g := threeDeletes(t, "2", nil)
	e := env(g.c)
	e.Limits.MemoryBytes = 1
	if _, err := g.planDeletes(all()).Execute(context.Background(), e); !errors.Is(err, maintenance.ErrRefused) {
		t.Errorf("got %v", err)
	}
	g.wantNoStrays()
}

func TestCancelledDeleteRewriteLeavesNothing(t *testing.T) {
	g := threeDeletes(t, "2", nil)
	plan := g.planDeletes(all())
	ctx, cancel := context.WithCancel(context.Background())
	e := env(g.c)
	e.Progress = func(maintenance.Update) { cancel() }
	if _, err := plan.Execute(ctx, e); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	g.wantNoStrays()
	g.wantIDs(1, 2, 4, 6)
}
