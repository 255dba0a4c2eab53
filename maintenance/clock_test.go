package maintenance

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go/table"
)

// Of field reports, 120: a table whose last change is later than this machine's
// clock. The library fails such a commit before it is sent, with an error that
// does not tell that it was not.
func TestClockBehindTheTable(t *testing.T) {
	for _, test := range []struct {
		behind time.Duration
		says   string
	}{
		{30 * time.Second, ""},
		{10 * time.Minute, "10m"},
		{49 * time.Hour, "49h"},
	} {
		l := newLedger(t, nil)
		l.append(1)
		l.overwrite(2)
		last := l.load().Metadata().LastUpdatedMillis()
		l.env.Now = func() time.Time { return time.UnixMilli(last).Add(-test.behind) }
		files := l.files("*")
		_, err := l.expire(everything())
		if test.says == "" {
			if err != nil {
				t.Errorf("%v behind: %v", test.behind, err)
			}
			continue
		}
		if !errors.Is(err, ErrRefused) || errors.Is(err, ErrCommitUnknown) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v behind: got %v", test.behind, err)
		}
		if now := l.files("*"); len(now) != len(files) {
			t.Errorf("%v behind: %d files became %d", test.behind, len(files), len(now))
		}
	}
}

// A table that another engine has put ahead of the time, so that the library's
// own check would fail the commit.
func TestTableAheadOfTheTime(t *testing.T) {
	l := newLedger(t, nil)
	head := l.append(1).CurrentSnapshot()
	ahead := *head
	ahead.SnapshotID, ahead.ParentSnapshotID = head.SnapshotID/2+1, &head.SnapshotID
	ahead.SequenceNumber++
	ahead.TimestampMs = time.Now().Add(time.Hour).UnixMilli()
	l.apply(table.NewAddSnapshotUpdate(&ahead), table.NewSetSnapshotRefUpdate(table.MainBranch, ahead.SnapshotID, table.BranchRef, 0, 0, 0))
	late := time.Now().Add(2 * time.Hour)
	_, err := l.expire(ExpireOptions{OlderThan: &late})
	if !errors.Is(err, ErrRefused) || errors.Is(err, ErrCommitUnknown) || !strings.Contains(err.Error(), "clock") {
		t.Errorf("got %v", err)
	}
	if n := len(l.load().Metadata().Snapshots()); n != 2 {
		t.Errorf("%d snapshots", n)
	}
}

// The time of a new snapshot is not before the table's and at most the
// tolerance ahead of the clock.
func TestTimeOfNewSnapshot(t *testing.T) {
	l := newLedger(t, nil)
	parent := l.append(1)
	last := parent.Metadata().LastUpdatedMillis()
	for _, clock := range []time.Duration{-59 * time.Second, 0, time.Hour} {
		now := time.UnixMilli(last).Add(clock)
		l.env.Now = func() time.Time { return now }
		change, err := Replace{Branch: table.MainBranch, Since: parent.CurrentSnapshot().SnapshotID}.Build(l.env)(context.Background(), parent)
		if err != nil {
			t.Fatal(err)
		}
		meta, err := table.UpdateTableMetadata(parent.Metadata(), change.Updates, parent.MetadataLocation())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := meta.CurrentSnapshot().TimestampMs, max(last, now.UnixMilli()); got != want {
			t.Errorf("clock %v after the table's: got %d, want %d", clock, got, want)
		}
	}
}
