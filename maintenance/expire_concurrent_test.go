package maintenance

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// Of field reports, 6: whatever happens to refs and snapshots between planning
// and committing is seen.
func TestConcurrentChangesAreSeen(t *testing.T) {
	tests := []struct {
		name   string
		change func(l *ledger, first int64)
		// stays is a snapshot's rows that must read after the expiry.
		stays []int64
		main  []int64
	}{
		{"a tag on an expiring snapshot", func(l *ledger, first int64) { l.tag("late", first) }, []int64{1}, []int64{3}},
		{"a branch on an expiring snapshot that has moved on", func(l *ledger, first int64) {
			l.branch("late", first, 0, 0, 0)
			l.appendTo("late", 7)
		}, []int64{1, 7}, []int64{3}},
		{"an append", func(l *ledger, _ int64) { l.append(4) }, []int64{3, 4}, []int64{3, 4}},
		{"a rollback", func(l *ledger, first int64) { l.branch(table.MainBranch, first, 0, 0, 0) }, []int64{1}, []int64{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLedger(t, nil)
			first := current(l.append(1))
			l.append(2)
			l.overwrite(3)
			attempts := 0
			l.commit = func(_ context.Context, _ []table.Requirement, _ []table.Update, next func() error) error {
				if attempts++; attempts == 1 {
					test.change(l, first)
				}
				return next()
			}
			l.mustExpire(everything())
			if attempts != 2 {
				t.Errorf("%d attempts, want 2", attempts)
			}
			l.checkAll()
			tbl := l.load()
			if got := l.rows(tbl, 0); !slices.Equal(got, test.main) {
				t.Errorf("main: got %v, want %v", got, test.main)
			}
			head := tbl.SnapshotByName("late")
			if head == nil {
				head = tbl.CurrentSnapshot()
			}
			if got := l.rows(tbl, head.SnapshotID); !slices.Equal(got, test.stays) {
				t.Errorf("got rows %v, want %v", got, test.stays)
			}
		})
	}
}

// blind stands for a catalog that asks only the requirements of the
// specification and applies updates to whatever version is current.
func blind(l *ledger, before func()) {
	l.commit = func(ctx context.Context, reqs []table.Requirement, updates []table.Update, _ func() error) error {
		before()
		l.commit = nil
		var known []table.Requirement
		for _, r := range reqs {
			if u, ok := r.(unchanged); ok {
				r = u.Requirement
			}
			known = append(known, r)
		}
		if _, _, err := l.c.Iceberg().CommitTable(ctx, l.ident, known, updates); err != nil {
			return err
		}
		return errors.New("the answer was lost")
	}
}

func TestTagLostToABlindCatalogKeepsItsFiles(t *testing.T) {
	l := newLedger(t, nil)
	first := current(l.append(1))
	l.overwrite(2)
	files := l.files("*.parquet")
	blind(l, func() { l.tag("late", first) })
	_, err := l.expire(everything())
	if err == nil || !strings.Contains(err.Error(), `"late"`) || !strings.Contains(err.Error(), "no file has been deleted") {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(files, l.files("*.parquet")) {
		t.Error("files of the tagged snapshot are gone")
	}
}

// The commit is found when others have followed it: every version in between is
// looked at for lost tags.
func TestTagLostBeforeFurtherCommitsKeepsItsFiles(t *testing.T) {
	l := newLedger(t, nil)
	first := current(l.append(1))
	l.overwrite(2)
	files := l.files("*.parquet")
	blind(l, func() { l.tag("late", first) })
	commit := l.commit
	l.commit = func(ctx context.Context, reqs []table.Requirement, updates []table.Update, next func() error) error {
		err := commit(ctx, reqs, updates, next)
		l.apply(table.NewSetPropertiesUpdate(iceberg.Properties{"a": "b"}))
		return err
	}
	_, err := l.expire(everything())
	if err == nil || !strings.Contains(err.Error(), `"late"`) || !strings.Contains(err.Error(), "no file has been deleted") {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(files, l.files("*.parquet")) {
		t.Error("files of the tagged snapshot are gone")
	}
}

// A metadata log that is short has forgotten what others did since the table was
// read: whether a tag was lost cannot be told, and no file goes.
func TestForgottenVersionsKeepTheirFiles(t *testing.T) {
	l := newLedger(t, iceberg.Properties{"write.metadata.previous-versions-max": "1"})
	l.append(1)
	l.overwrite(2)
	files := l.files("*.parquet")
	blind(l, func() {
		for _, value := range []string{"b", "c"} {
			l.apply(table.NewSetPropertiesUpdate(iceberg.Properties{"a": value}))
		}
	})
	_, err := l.expire(everything())
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "no file has been deleted") || !strings.Contains(err.Error(), "remove_orphan_files") {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(files, l.files("*.parquet")) || len(files) != 2 {
		t.Errorf("%q of %q are left", l.files("*.parquet"), files)
	}
}

func TestPropertySetInABlindCatalogDoesNoHarm(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.overwrite(2)
	blind(l, func() { l.apply(table.NewSetPropertiesUpdate(iceberg.Properties{"a": "b"})) })
	if result := l.mustExpire(everything()); result.Removed[DataFile] != 1 {
		t.Errorf("got %+v", result)
	}
	l.checkAll()
}

// Another expiry comes first, and has removed what both of them are after: there
// is nothing left to do, which is no error.
func TestAnotherExpiryComesFirst(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.append(2)
	l.overwrite(3)
	l.commit = func(_ context.Context, _ []table.Requirement, _ []table.Update, next func() error) error {
		l.commit = nil
		l.mustExpire(everything())
		return next()
	}
	if result := l.mustExpire(everything()); result.Removed != [fileKinds]int64{} {
		t.Errorf("removed %v again", result.Removed)
	}
	l.checkAll()
	if got := len(l.files("*.parquet")); got != 1 {
		t.Errorf("%d data files are left, want 1", got)
	}
}

func TestGCDisabledAfterPlanning(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.overwrite(2)
	plan, err := PlanExpiry(context.Background(), l.env, l.ident, everything())
	if err != nil {
		t.Fatal(err)
	}
	l.apply(table.NewSetPropertiesUpdate(iceberg.Properties{"gc.enabled": "false"}))
	files := l.files("*.parquet")
	if _, err := plan.Execute(context.Background(), l.env); !errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(files, l.files("*.parquet")) {
		t.Error("files have gone")
	}
}

func TestCancelledAfterTheCommit(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.overwrite(2)
	ctx, cancel := context.WithCancel(context.Background())
	plan, err := PlanExpiry(ctx, l.env, l.ident, everything())
	if err != nil {
		t.Fatal(err)
	}
	l.commit = func(_ context.Context, _ []table.Requirement, _ []table.Update, next func() error) error {
		defer cancel()
		return next()
	}
	files := l.files("*.parquet")
	_, err = plan.Execute(ctx, l.env)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the snapshots are expired") {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(files, l.files("*.parquet")) {
		t.Error("files were deleted after the call was cancelled")
	}
	l.checkAll()
}
