package rewrite_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
)

// TestRewriteSurvivesEveryFault fails each step of files and commits in turn.
// Whatever happens, the table reads the same rows and nothing referenced is
// gone. After a single failure nothing is left behind either, unless it is the
// removal that failed or nobody knows whether the commit took place.
func TestRewriteSurvivesEveryFault(t *testing.T) {
	sweepFaults(t, "analytics.mor_upgraded", (*lakefixture.Lake).Problems, func(c *catalog.Catalog, name string) error {
		_, err := rewriteTable(t, c, name, "", nil, all())
		return err
	})
}

// TestSortedRewriteSurvivesEveryFault does the same with rows that are spilled and
// sorted.
func TestSortedRewriteSurvivesEveryFault(t *testing.T) {
	sweepFaults(t, "analytics.mor_upgraded", (*lakefixture.Lake).Problems, func(c *catalog.Catalog, name string) error {
		_, err := planSorted(t, c, name, "zorder(id)", all()).Execute(t.Context(), tiny(t, c))
		return err
	})
}

// TestAvroRewriteSurvivesEveryFault does the same with Avro files, which the
// library does not read.
func TestAvroRewriteSurvivesEveryFault(t *testing.T) {
	problems := func(lake *lakefixture.Lake, t testing.TB, ident ...string) []string {
		found := lake.FileProblems(t, ident...)
		// The lake's catalog may have crashed.
		c, err := catalog.Open(t.Context(), lake.Config, catalog.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		files, _ := liveRows(t, c, ident)
		if rows := slices.Compact(sortedRows(files)); len(rows) != 38 {
			found = append(found, fmt.Sprintf("%d rows", len(rows)))
		}
		return found
	}
	sweepFaults(t, "ops.formats_avro", problems, func(c *catalog.Catalog, name string) error {
		_, err := planSorted(t, c, name, "id DESC", all()).Execute(t.Context(), tiny(t, c))
		return err
	})
}

func sweepFaults(t *testing.T, table string, problems func(lake *lakefixture.Lake, t testing.TB, ident ...string) []string, run func(c *catalog.Catalog, name string) error) {
	t.Helper()
	ident := strings.Split(table, ".")
	for name, mode := range map[string]faultio.Mode{"once": faultio.Once, "crash": faultio.Crash} {
		t.Run(name, func(t *testing.T) {
			ops := []faultio.Op{faultio.Create, faultio.Close, faultio.Closed, faultio.Remove, faultio.Commit, faultio.Committed}
			faultio.Sweep(t, mode, ops, func(t *testing.T, f *faultio.Faults) {
				lake := lakefixture.Open(t, f.Hooks())
				before, err := lake.Catalog.Load(t.Context(), ident)
				if err != nil {
					t.Fatal(err)
				}
				err = run(lake.Catalog, strings.Join(ident, "."))
				step, fired := f.Fired()
				tolerant := mode == faultio.Crash || step.Op == faultio.Remove || errors.Is(err, maintenance.ErrCommitUnknown)
				for _, problem := range problems(lake, t, ident...) {
					if !tolerant || !strings.HasPrefix(problem, "left behind") {
						t.Errorf("%s: %s", step, problem)
					}
				}
				now, lerr := lake.Catalog.Load(t.Context(), ident)
				if lerr != nil {
					t.Fatal(lerr)
				}
				if committed := now.MetadataLocation() != before.MetadataLocation(); err == nil && !committed {
					t.Errorf("%s: success without a commit", step)
				}
				if err != nil && fired && !errors.Is(err, faultio.ErrInjected) {
					t.Errorf("%s: got %v", step, err)
				}
				again, oerr := catalog.Open(t.Context(), lake.Config, catalog.Hooks{})
				if oerr != nil {
					t.Fatal(oerr)
				}
				if err := run(again, strings.Join(ident, ".")); err != nil {
					t.Errorf("%s: the second call: %v", step, err)
				}
				found := problems(lake, t, ident...)
				if slices.ContainsFunc(found, func(p string) bool { return !strings.HasPrefix(p, "left behind") }) {
					t.Errorf("%s: after the second call: %s", step, strings.Join(found, "; "))
				}
			})
		})
	}
}
