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

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
)

// scattered is a world with n appends to three partitions each and manifests of
// about so many bytes.
func scattered(t *testing.T, version string, n, target int) *world {
	t.Helper()
	w := emptyWorld(t, 1)
	w.create(iceberg.Properties{
		"format-version": version, "commit.manifest-merge.enabled": "false", "write.delete.mode": "merge-on-read",
		"commit.manifest.target-size-bytes": fmt.Sprint(target),
	}, byPart())
	for i := range int64(n) {
		w.appendIDs(table.MainBranch, []int64{i, 100 + i, 200 + i})
	}
	return w
}

func (w *world) planManifests(options maintenance.ManifestOptions) *maintenance.ManifestRewrite {
	w.t.Helper()
	plan, err := maintenance.PlanManifests(context.Background(), w.env, w.ident, options)
	if err != nil {
		w.t.Fatal(err)
	}
	return plan
}

func (w *world) manifests() []iceberg.ManifestFile {
	w.t.Helper()
	tbl := w.load()
	store, err := tbl.FS(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	manifests, err := tbl.CurrentSnapshot().Manifests(store)
	if err != nil {
		w.t.Fatal(err)
	}
	return manifests
}

// TestManifestsAreClusteredAndOfOneSize is of field reports, 101: however many
// there are to write, no more are open than memory allows.
func TestManifestsAreClusteredAndOfOneSize(t *testing.T) {
	for name, memory := range map[string]int64{"in one pass": 1 << 26, "one open at a time": 1} {
		t.Run(name, func(t *testing.T) {
			const target = 5600
			w := scattered(t, "3", 24, target)
			w.env.Limits.MemoryBytes = memory
			before := w.entries()
			plan := w.planManifests(maintenance.ManifestOptions{})
			result, err := plan.Execute(t.Context(), w.env)
			if err != nil {
				t.Fatal(err)
			}
			if after := w.entries(); !slices.Equal(before, after) {
				t.Errorf("the entries\n%s\nbecame\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
			manifests := w.manifests()
			if result.Rewritten != 24 || result.Added != len(manifests) || result.Added != int(plan.Groups[0].Out) || result.Added < 4 {
				t.Errorf("%+v, planned %d, there are %d", result, plan.Groups[0].Out, len(manifests))
			}
			for _, m := range manifests {
				p := m.Partitions()[0]
				if m.Length() > target*12/10 || len(*p.LowerBound) == 0 || (*p.UpperBound)[0]-(*p.LowerBound)[0] > 1 {
					t.Errorf("a manifest of %d bytes for partitions %v to %v", m.Length(), *p.LowerBound, *p.UpperBound)
				}
			}
			if again := w.planManifests(maintenance.ManifestOptions{}); !again.Empty() {
				t.Errorf("a second run would write %d", again.Groups[0].Out)
			}
			w.checkAll()
		})
	}
}

func TestManifestsOfOneSpecAndContent(t *testing.T) {
	// Field reports, 102: a manifest is of one spec.
	w := scattered(t, "2", 3, 1<<20)
	w.deleteEqualIDs(table.MainBranch, []int64{1})
	w.deleteEqualIDs(table.MainBranch, []int64{2})
	w.changeSpec()
	for i := range int64(3) {
		w.appendIDs(table.MainBranch, []int64{50 + i})
	}
	w.remember(false)
	before := w.entries()
	zero := 0
	for _, options := range []maintenance.ManifestOptions{{}, {SpecID: &zero}} {
		if _, err := w.planManifests(options).Execute(t.Context(), w.env); err != nil {
			t.Fatal(err)
		}
	}
	if after := w.entries(); !slices.Equal(before, after) {
		t.Errorf("the entries\n%s\nbecame\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	var got []string
	for _, m := range w.manifests() {
		got = append(got, fmt.Sprintf("%v %d %d", m.ManifestContent(), m.PartitionSpecID(), m.ExistingDataFiles()))
	}
	slices.Sort(got)
	if want := []string{"data 0 9", "data 1 3", "deletes 0 2"}; !slices.Equal(got, want) {
		t.Errorf("manifests %q, want %q", got, want)
	}
	w.settleOthers()
	w.checkAll()
}

// TestManifestsOfVoidFields is of field reports, 97: in version 1 a partition
// field that was dropped stays as one that is always null.
func TestManifestsOfVoidFields(t *testing.T) {
	w := scattered(t, "1", 3, 1<<20)
	w.change(table.MainBranch, "drop the field", func(tx *table.Transaction) error { return tx.UpdateSpec(false).RemoveField("part").Commit() })
	for i := range int64(3) {
		w.appendIDs(table.MainBranch, []int64{50 + i})
	}
	w.remember(false)
	if spec := w.load().Spec(); spec.NumFields() != 1 || spec.Field(0).Transform != (iceberg.VoidTransform{}) {
		t.Fatalf("the spec is %v", spec)
	}
	before := w.entries()
	spec := w.load().Spec()
	result, err := w.planManifests(maintenance.ManifestOptions{SortBy: []string{spec.Field(0).Name}}).Execute(t.Context(), w.env)
	if err != nil || result.Rewritten != 3 || result.Added != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	if after := w.entries(); !slices.Equal(before, after) {
		t.Errorf("the entries\n%s\nbecame\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	w.settleOthers()
	w.checkAll()
}

func TestManifestsAreChecked(t *testing.T) {
	w := scattered(t, "2", 2, 1<<20)
	nine := 9
	for want, options := range map[string]maintenance.ManifestOptions{
		`"spec_id" must be a partition spec of the table: it has no spec 9, but 0`: {SpecID: &nine},
		`"id" is not one of partition spec 0; allowed are part`:                    {SortBy: []string{"part", "id"}},
	} {
		_, err := maintenance.PlanManifests(t.Context(), w.env, w.ident, options)
		if !errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	w.apply("target", table.NewSetPropertiesUpdate(iceberg.Properties{"commit.manifest.target-size-bytes": "0"}))
	if _, err := maintenance.PlanManifests(t.Context(), w.env, w.ident, maintenance.ManifestOptions{}); !errors.Is(err, maintenance.ErrInvalid) {
		t.Errorf("a target of 0: %v", err)
	}
}

// TestManifestsAmongWriters wants appends kept, manifests planned anew that
// another writer took away, and nothing of the first attempt left.
func TestManifestsAmongWriters(t *testing.T) {
	for name, act := range map[string]func(w *world){
		"append":            func(w *world) { w.appendIDs(table.MainBranch, []int64{77}) },
		"another rewrite":   func(w *world) { w.rewriteOnce() },
		"new data files":    func(w *world) { _ = w.rewriteAll() },
		"both, then append": func(w *world) { w.rewriteOnce(); w.appendIDs(table.MainBranch, []int64{77}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := scattered(t, "2", 4, 1<<20)
			plan := w.planManifests(maintenance.ManifestOptions{})
			w.before = func() error {
				w.depth++
				act(w)
				w.depth--
				return nil
			}
			if _, err := plan.Execute(t.Context(), w.env); err != nil {
				t.Fatal(err)
			}
			w.checkAll()
			if again := w.planManifests(maintenance.ManifestOptions{}); name != "append" && !again.Empty() {
				t.Errorf("%d manifests are left to rewrite", len(again.Groups[0].Manifests))
			}
		})
	}
}

func (w *world) rewriteOnce() {
	if _, err := w.planManifests(maintenance.ManifestOptions{}).Execute(context.Background(), w.env); err != nil {
		w.t.Error(err)
	}
}

// TestManifestsSurviveEveryFault fails each step of files and commits in turn:
// the rows stay, and new manifests are left only by a crash, by a removal that
// failed or by a commit of unknown outcome.
func TestManifestsSurviveEveryFault(t *testing.T) {
	ident := []string{"analytics", "mor_upgraded"}
	for name, mode := range map[string]faultio.Mode{"once": faultio.Once, "crash": faultio.Crash} {
		t.Run(name, func(t *testing.T) {
			ops := []faultio.Op{faultio.Open, faultio.Create, faultio.Close, faultio.Closed, faultio.Removed, faultio.Commit, faultio.Committed}
			faultio.Sweep(t, mode, ops, func(t *testing.T, f *faultio.Faults) {
				lake := lakefixture.Open(t, f.Hooks())
				err := manifestsOf(lake.Catalog, ident)
				step, fired := f.Fired()
				if err != nil && (!fired || !errors.Is(err, faultio.ErrInjected)) {
					t.Errorf("got %v", err)
				}
				tolerant := mode == faultio.Crash || step.Op == faultio.Removed || errors.Is(err, maintenance.ErrCommitUnknown)
				for _, problem := range lake.Problems(t, ident...) {
					if !tolerant || !strings.HasPrefix(problem, "left behind") {
						t.Errorf("%s: %s", step, problem)
					}
				}
				if err := manifestsOf(reopened(t, lake), ident); err != nil {
					t.Errorf("%s: the second call: %v", step, err)
				}
			})
		})
	}
}

func manifestsOf(c *catalog.Catalog, ident table.Identifier) error {
	env := maintenance.Env{
		Catalog: c, Limits: maintenance.Limits{Concurrency: 1},
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	plan, err := maintenance.PlanManifests(context.Background(), env, ident, maintenance.ManifestOptions{})
	if err != nil {
		return err
	}
	_, err = plan.Execute(context.Background(), env)
	return err
}
