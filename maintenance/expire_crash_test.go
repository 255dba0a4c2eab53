package maintenance_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
	"github.com/firndb/firn/internal/lakefixture"
	"github.com/firndb/firn/maintenance"
)

// expireAll expires all that it may.
func expireAll(c *catalog.Catalog, ident []string) (maintenance.ExpiryResult, error) {
	env := maintenance.Env{Catalog: c, Now: time.Now, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	env.Limits.Concurrency = 1
	return expireAllIn(env, ident)
}

func expireAllIn(env maintenance.Env, ident []string) (maintenance.ExpiryResult, error) {
	old := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	plan, err := maintenance.PlanExpiry(context.Background(), env, ident, maintenance.ExpireOptions{OlderThan: &old})
	if err != nil {
		return maintenance.ExpiryResult{}, err
	}
	return plan.Execute(context.Background(), env)
}

// TestExpireSurvivesEveryFault fails each step of files and commits in turn.
// Whatever happens, all that stays in the table reads, and nothing referenced is
// gone; files may be left over only once the commit has been made.
func TestExpireSurvivesEveryFault(t *testing.T) {
	tests := []struct {
		name  string
		ident []string
		mode  faultio.Mode
	}{
		{"once", []string{"ops", "branches"}, faultio.Once},
		{"crash", []string{"ops", "branches"}, faultio.Crash},
		{"crash with deletes", []string{"analytics", "mor_upgraded"}, faultio.Crash},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			faultio.Sweep(t, test.mode, steps(), func(t *testing.T, f *faultio.Faults) {
				l := lakefixture.Open(t, f.Hooks())
				before, err := l.Catalog.Load(t.Context(), test.ident)
				if err != nil {
					t.Fatal(err)
				}
				_, err = expireAll(l.Catalog, test.ident)
				checkAfterFault(t, l, test.ident, before.MetadataLocation(), err)
			})
		})
	}
}

func checkAfterFault(t *testing.T, l *lakefixture.Lake, ident []string, before string, failure error) {
	t.Helper()
	tbl, err := l.Catalog.Load(t.Context(), ident)
	if err != nil {
		t.Fatal(err)
	}
	committed := tbl.MetadataLocation() != before
	for _, problem := range l.FileProblems(t, ident...) {
		if !committed || !strings.HasPrefix(problem, "left behind") {
			t.Error(problem)
		}
	}
	if committed {
		for _, s := range tbl.Metadata().Snapshots() {
			l.Rows(t, s.SnapshotID, ident...)
		}
	}
	if failure == nil && !committed {
		t.Error("the call says that it succeeded, but there was no commit")
	}
	if failure != nil && committed && !errors.Is(failure, faultio.ErrInjected) {
		t.Errorf("got %v", failure)
	}
	again, err := expireAll(reopened(t, l), ident)
	if err != nil {
		t.Fatalf("the second call: %v", err)
	}
	if committed && again.Snapshots != 0 {
		t.Errorf("the second call expired %d snapshots more", again.Snapshots)
	}
}

// reopened is the lake's catalog without the faults.
func reopened(t *testing.T, l *lakefixture.Lake) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), l.Config, catalog.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTwoTablesAtOnce is of field reports, 10: jobs share nothing.
func TestTwoTablesAtOnce(t *testing.T) {
	l := lakefixture.Open(t, catalog.Hooks{})
	idents := [][]string{{"ops", "chain"}, {"ops", "branches"}, {"ops", "many_manifests"}}
	errs := make(chan error)
	for _, ident := range idents {
		go func() {
			_, err := expireAll(l.Catalog, slices.Clone(ident))
			errs <- err
		}()
	}
	for range idents {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	for i, want := range []int{1, 9, 1} {
		tbl, err := l.Catalog.Load(t.Context(), idents[i])
		if err != nil {
			t.Fatal(err)
		}
		if got := len(tbl.Metadata().Snapshots()); got != want {
			t.Errorf("%v: %d snapshots, want %d", idents[i], got, want)
		}
		l.Check(t, idents[i]...)
	}
}

// steps are the kinds of steps that matter: a failing read is like a failing
// open of the same file, and dying before a removal is like dying after the one
// before it.
func steps() []faultio.Op {
	return []faultio.Op{faultio.Open, faultio.Removed, faultio.Commit, faultio.Committed}
}
