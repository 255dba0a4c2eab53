package maintenance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	icecat "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	"github.com/apache/iceberg-go/table"
)

// tagging returns a Build that tags the current snapshot and, as if it were an
// attempt's manifest, leaves a file of its own for each attempt.
func tagging(l *ledger, name string, written *[]string) Build {
	return func(_ context.Context, base *table.Table) (*Change, error) {
		current := base.CurrentSnapshot().SnapshotID
		path := l.scratch(fmt.Sprintf("attempt-%d", len(*written)))
		*written = append(*written, path)
		return &Change{
			Requirements: []table.Requirement{table.AssertRefSnapshotID(table.MainBranch, &current)},
			Updates:      []table.Update{table.NewSetSnapshotRefUpdate(name, current, table.TagRef, 0, 0, 0)},
			Applied:      func(tbl *table.Table) bool { return tbl.SnapshotByName(name) != nil },
			Written:      []string{path},
		}, nil
	}
}

func TestCommitOutcomes(t *testing.T) {
	unavailable := fmt.Errorf("%w: 503", rest.ErrCommitStateUnknown)
	tests := []struct {
		name string
		// commit is the catalog's behaviour at the given attempt, from 1.
		commit   func(l *ledger, attempt int, cancel func(), next func() error) error
		wantErr  error
		applied  bool
		attempts int
		// kept says which attempts' files must still be there.
		kept []int
	}{
		{
			name:    "accepted at once",
			commit:  func(_ *ledger, _ int, _ func(), next func() error) error { return next() },
			applied: true, attempts: 1, kept: []int{1},
		},
		{
			name: "stale base is built anew",
			commit: func(l *ledger, attempt int, _ func(), next func() error) error {
				if attempt <= 2 {
					l.append(int64(attempt))
				}
				return next()
			},
			applied: true, attempts: 3, kept: []int{3},
		},
		{
			name: "refused every time",
			commit: func(*ledger, int, func(), func() error) error {
				return fmt.Errorf("%w: pointer moved", table.ErrCommitFailed)
			},
			wantErr: ErrConflict, attempts: 5,
		},
		{
			name: "response lost after success",
			commit: func(_ *ledger, _ int, _ func(), next func() error) error {
				return errors.Join(next(), errors.New("connection reset by peer"))
			},
			applied: true, attempts: 1, kept: []int{1},
		},
		{
			name: "5xx after success",
			commit: func(_ *ledger, _ int, _ func(), next func() error) error {
				return errors.Join(next(), unavailable)
			},
			applied: true, attempts: 1, kept: []int{1},
		},
		{
			name:    "5xx without success",
			commit:  func(*ledger, int, func(), func() error) error { return unavailable },
			wantErr: ErrCommitUnknown, attempts: 1, kept: []int{1},
		},
		{
			name: "5xx whose text speaks of a requirement",
			commit: func(*ledger, int, func(), func() error) error {
				return fmt.Errorf("%w: requirement failed: who knows", rest.ErrCommitStateUnknown)
			},
			wantErr: ErrCommitUnknown, attempts: 1, kept: []int{1},
		},
		{
			name: "refused because an earlier sending of the same succeeded",
			commit: func(_ *ledger, _ int, _ func(), next func() error) error {
				return errors.Join(next(), fmt.Errorf("%w: conflict", table.ErrCommitFailed))
			},
			applied: true, attempts: 1, kept: []int{1},
		},
		{
			name: "cancelled while committing, and committed",
			commit: func(_ *ledger, _ int, cancel func(), next func() error) error {
				err := next()
				cancel()
				return errors.Join(err, context.Canceled)
			},
			applied: true, attempts: 1, kept: []int{1},
		},
		{
			name: "cancelled while committing, and not seen",
			commit: func(_ *ledger, _ int, cancel func(), _ func() error) error {
				cancel()
				return context.Canceled
			},
			wantErr: ErrCommitUnknown, attempts: 1, kept: []int{1},
		},
		{
			name: "cancelled after a refusal",
			commit: func(_ *ledger, _ int, cancel func(), _ func() error) error {
				cancel()
				return fmt.Errorf("%w: conflict", table.ErrCommitFailed)
			},
			wantErr: context.Canceled, attempts: 1,
		},
		{
			name: "rejected for good",
			commit: func(*ledger, int, func(), func() error) error {
				return fmt.Errorf("%w: not allowed", rest.ErrForbidden)
			},
			wantErr: rest.ErrForbidden, attempts: 1,
		},
		{
			name:    "an error nobody knows",
			commit:  func(*ledger, int, func(), func() error) error { return errors.New("disk I/O error") },
			wantErr: ErrCommitUnknown, attempts: 1, kept: []int{1},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLedger(t, nil)
			l.append(100)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			attempts := 0
			l.commit = func(_ context.Context, _ []table.Requirement, _ []table.Update, next func() error) error {
				attempts++
				return test.commit(l, attempts, cancel, next)
			}
			var written []string
			committed, err := Commit(ctx, l.env, l.ident, tagging(l, "v1", &written))
			if !errors.Is(err, test.wantErr) || (err == nil) != (test.wantErr == nil) {
				t.Fatalf("error: got %v, want %v", err, test.wantErr)
			}
			if err == nil && committed.SnapshotByName("v1") == nil {
				t.Error("the returned table lacks the tag")
			}
			if got := l.load().SnapshotByName("v1") != nil; got != test.applied {
				t.Errorf("tag in the table: got %v, want %v", got, test.applied)
			}
			if attempts != test.attempts {
				t.Errorf("attempts: got %d, want %d", attempts, test.attempts)
			}
			for i, path := range written {
				if got, want := exists(path), slices.Contains(test.kept, i+1); got != want {
					t.Errorf("file of attempt %d is there: got %v, want %v", i+1, got, want)
				}
			}
		})
	}
}

func TestCommitUnknownNamesTheSnapshot(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.commit = func(context.Context, []table.Requirement, []table.Update, func() error) error {
		return errors.New("i/o timeout")
	}
	_, err := Commit(context.Background(), l.env, l.ident, func(context.Context, *table.Table) (*Change, error) {
		return &Change{SnapshotID: 4711}, nil
	})
	if !errors.Is(err, ErrCommitUnknown) || !strings.Contains(err.Error(), "snapshot 4711") || !strings.Contains(err.Error(), "i/o timeout") {
		t.Errorf("got %v", err)
	}
	if len(l.waits) != 3 {
		t.Errorf("the table was looked at again after waits %v, want 3 of them", l.waits)
	}
}

func TestCommitFindsAChangeThatLandsLate(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	var land func() error
	l.commit = func(_ context.Context, _ []table.Requirement, _ []table.Update, next func() error) error {
		land = next
		return errors.New("i/o timeout")
	}
	wait := l.env.Wait
	l.env.Wait = func(ctx context.Context, d time.Duration) error {
		if land != nil {
			if err := land(); err != nil {
				t.Error(err)
			}
			land = nil
		}
		return wait(ctx, d)
	}
	var written []string
	committed, err := Commit(context.Background(), l.env, l.ident, tagging(l, "v1", &written))
	if err != nil {
		t.Fatal(err)
	}
	if committed.SnapshotByName("v1") == nil || !exists(written[0]) {
		t.Error("the late change was not recognised")
	}
}

func TestCommitIsUnknownWhileTheTableCannotBeRead(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.commit = func(context.Context, []table.Requirement, []table.Update, func() error) error {
		if err := os.Rename(l.dir+"/wh", l.dir+"/gone"); err != nil {
			t.Error(err)
		}
		return fmt.Errorf("%w: conflict", table.ErrCommitFailed)
	}
	var written []string
	_, err := Commit(context.Background(), l.env, l.ident, tagging(l, "v1", &written))
	if !errors.Is(err, ErrCommitUnknown) {
		t.Errorf("got %v", err)
	}
}

func TestCommitWaitsLongerEachTime(t *testing.T) {
	l := newLedger(t, iceberg.Properties{
		"commit.retry.num-retries": "5", "commit.retry.min-wait-ms": "100", "commit.retry.max-wait-ms": "500",
	})
	l.append(1)
	l.commit = func(context.Context, []table.Requirement, []table.Update, func() error) error {
		return table.ErrCommitFailed
	}
	var written []string
	_, err := Commit(context.Background(), l.env, l.ident, tagging(l, "v1", &written))
	if !errors.Is(err, ErrConflict) {
		t.Fatal(err)
	}
	if len(l.waits) != 5 {
		t.Fatalf("waits: %v", l.waits)
	}
	for i, least := range []time.Duration{100, 200, 400, 500, 500} {
		least *= time.Millisecond
		if l.waits[i] < least || l.waits[i] > least+least/10 {
			t.Errorf("wait %d: got %v, want about %v", i, l.waits[i], least)
		}
	}
}

func TestCommitStopsAtTheTotalTimeout(t *testing.T) {
	l := newLedger(t, iceberg.Properties{"commit.retry.num-retries": "50", "commit.retry.total-timeout-ms": "1000"})
	l.append(1)
	clock := time.Now()
	l.env.Now = func() time.Time { return clock }
	attempts := 0
	l.commit = func(context.Context, []table.Requirement, []table.Update, func() error) error {
		attempts++
		clock = clock.Add(300 * time.Millisecond)
		return table.ErrCommitFailed
	}
	var written []string
	if _, err := Commit(context.Background(), l.env, l.ident, tagging(l, "v1", &written)); !errors.Is(err, ErrConflict) {
		t.Fatal(err)
	}
	if attempts != 3 {
		t.Errorf("attempts: got %d, want 3 within a second", attempts)
	}
}

func TestCommitOfNothing(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.commit = func(context.Context, []table.Requirement, []table.Update, func() error) error {
		t.Error("the catalog was asked to commit")
		return nil
	}
	before := l.load().MetadataLocation()
	tbl, err := Commit(context.Background(), l.env, l.ident, func(context.Context, *table.Table) (*Change, error) { return nil, nil })
	if err != nil || tbl.MetadataLocation() != before {
		t.Errorf("got %v, %v", tbl, err)
	}
}

func TestStaleBaseIsRecognised(t *testing.T) {
	l := newLedger(t, nil)
	old := l.append(1).CurrentSnapshot().SnapshotID
	l.append(2)
	_, _, err := l.c.Iceberg().CommitTable(context.Background(), l.ident,
		[]table.Requirement{table.AssertRefSnapshotID(table.MainBranch, &old)},
		[]table.Update{table.NewSetPropertiesUpdate(iceberg.Properties{"a": "b"})})
	if err == nil || errors.Is(err, table.ErrCommitFailed) {
		t.Fatalf("the SQL catalog now answers a stale base with %v: simplify requirementFailed", err)
	}
	if got := outcomeOf(err); got != outcomeRefused {
		t.Errorf("%v: got outcome %v", err, got)
	}
	if got := outcomeOf(icecat.ErrNoSuchTable); got != outcomeRejected {
		t.Errorf("no such table: got outcome %v", got)
	}
}

func TestOldMetadataFilesAreRemoved(t *testing.T) {
	for _, enabled := range []string{"true", "false"} {
		t.Run(enabled, func(t *testing.T) {
			l := newLedger(t, iceberg.Properties{
				table.MetadataPreviousVersionsMaxKey: "2", table.MetadataDeleteAfterCommitEnabledKey: enabled,
			})
			l.append(1)
			for i := range 4 {
				_, err := Commit(context.Background(), l.env, l.ident, func(context.Context, *table.Table) (*Change, error) {
					return &Change{
						Updates: []table.Update{table.NewSetPropertiesUpdate(iceberg.Properties{"n": fmt.Sprint(i)})},
						Applied: func(tbl *table.Table) bool { return tbl.Properties()["n"] == fmt.Sprint(i) },
					}, nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			tbl := l.load()
			tracked := []string{tbl.MetadataLocation()}
			for entry := range tbl.Metadata().PreviousFiles() {
				tracked = append(tracked, entry.MetadataFile)
			}
			if len(tracked) != 3 {
				t.Fatalf("the log names %v", tracked)
			}
			for _, path := range tracked {
				if !exists(strings.TrimPrefix(path, "file://")) {
					t.Errorf("%s is tracked and gone", path)
				}
			}
			want := map[string]int{"true": 3, "false": 6}[enabled]
			if got := len(l.files("*.metadata.json")); got != want {
				t.Errorf("metadata files: got %d, want %d", got, want)
			}
		})
	}
}

func TestFailingToRemoveOldMetadataIsNoError(t *testing.T) {
	l := newLedger(t, iceberg.Properties{table.MetadataPreviousVersionsMaxKey: "1", table.MetadataDeleteAfterCommitEnabledKey: "true"})
	l.append(1)
	l.disk = func(op, _ string) error {
		if op == "remove" {
			return errCrash
		}
		return nil
	}
	var written []string
	if _, err := Commit(context.Background(), l.env, l.ident, tagging(l, "v1", &written)); err != nil {
		t.Error(err)
	}
}
