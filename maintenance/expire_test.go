package maintenance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// everything expires all but the newest snapshot of each branch.
func everything() ExpireOptions {
	late := time.Now().Add(time.Hour)
	return ExpireOptions{OlderThan: &late}
}

// expire plans and executes.
func (l *ledger) expire(options ExpireOptions) (ExpiryResult, error) {
	l.t.Helper()
	plan, err := PlanExpiry(context.Background(), l.env, l.ident, options)
	if err != nil {
		return ExpiryResult{}, err
	}
	return plan.Execute(context.Background(), l.env)
}

func (l *ledger) mustExpire(options ExpireOptions) ExpiryResult {
	l.t.Helper()
	result, err := l.expire(options)
	if err != nil {
		l.t.Fatal(err)
	}
	return result
}

// tag and branch point a ref at a snapshot, as another client would.
func (l *ledger) tag(name string, snapshot int64) {
	l.t.Helper()
	l.apply(table.NewSetSnapshotRefUpdate(name, snapshot, table.TagRef, 0, 0, 0))
}

func (l *ledger) branch(name string, snapshot, maxRefAge, maxAge int64, atLeast int) {
	l.t.Helper()
	l.apply(table.NewSetSnapshotRefUpdate(name, snapshot, table.BranchRef, maxRefAge, maxAge, atLeast))
}

// overwrite replaces all rows by the given ids, so that earlier files are no
// longer part of the table.
func (l *ledger) overwrite(ids ...int64) *table.Table {
	l.t.Helper()
	ctx := context.Background()
	tbl, err := l.c.Iceberg().LoadTable(ctx, l.ident)
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err = tbl.Delete(ctx, iceberg.AlwaysTrue{}, nil); err != nil {
		l.t.Fatal(err)
	}
	return l.append(ids...)
}

// checkAll reads every snapshot that the table has.
func (l *ledger) checkAll() {
	l.t.Helper()
	tbl := l.load()
	for _, s := range tbl.Metadata().Snapshots() {
		l.rows(tbl, s.SnapshotID)
	}
}

func current(tbl *table.Table) int64 { return tbl.CurrentSnapshot().SnapshotID }

// Of field reports, 1: files of snapshots that other refs reach stay, however
// many refs there are before and after.
func TestFilesOfEveryRefStay(t *testing.T) {
	l := newLedger(t, nil)
	one := current(l.append(1))
	l.branch("side", one, 0, 0, 0)
	side := l.appendTo("side", 2)
	two := current(l.append(3))
	l.tag("release", two)
	l.overwrite(9)
	l.apply(table.NewRemoveSnapshotRefUpdate("release"))
	result := l.mustExpire(everything())
	l.checkAll()
	tbl := l.load()
	if got := l.rows(tbl, side.SnapshotByName("side").SnapshotID); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("branch: got %v", got)
	}
	if got := l.rows(tbl, 0); !slices.Equal(got, []int64{9}) {
		t.Errorf("main: got %v", got)
	}
	if result.Removed[DataFile] != 1 {
		t.Errorf("data files removed: got %d, want only that of id 3", result.Removed[DataFile])
	}
}

// A file that a retained manifest took over from an expired one stays.
func TestFilesOfMergedManifestsStay(t *testing.T) {
	l := newLedger(t, iceberg.Properties{table.ManifestMergeEnabledKey: "true", table.ManifestMinMergeCountKey: "2"})
	for i := range int64(4) {
		l.append(i)
	}
	result := l.mustExpire(everything())
	if result.Removed[ManifestFile] == 0 || result.Removed[DataFile] != 0 {
		t.Errorf("got %+v, want manifests to go and no data", result)
	}
	if got := l.rows(l.load(), 0); !slices.Equal(got, []int64{0, 1, 2, 3}) {
		t.Errorf("got %v", got)
	}
}

// Of field reports, 3: without a manifest nothing can be told from what is
// free, and so nothing is deleted.
func TestMissingManifestStopsEverything(t *testing.T) {
	for _, which := range []string{"manifest", "manifest list"} {
		t.Run(which, func(t *testing.T) {
			l := newLedger(t, nil)
			l.append(1)
			l.append(2)
			tbl := l.overwrite(3)
			victim := tbl.CurrentSnapshot().ManifestList
			if which == "manifest" {
				fs, err := tbl.FS(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				list, err := tbl.CurrentSnapshot().Manifests(fs)
				if err != nil {
					t.Fatal(err)
				}
				victim = list[0].FilePath()
			}
			if err := os.Remove(strings.TrimPrefix(victim, "file://")); err != nil {
				t.Fatal(err)
			}
			before, location := l.files("*"), l.load().MetadataLocation()
			_, err := l.expire(everything())
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), victim) {
				t.Errorf("got %v", err)
			}
			if !slices.Equal(before, l.files("*")) || l.load().MetadataLocation() != location {
				t.Error("something has changed")
			}
		})
	}
}

// Of field reports, 5: a table whose only old snapshots are tagged has nothing
// to expire, now and the next time.
func TestTaggedSnapshotsAreNothingToDo(t *testing.T) {
	l := newLedger(t, nil)
	l.tag("a", current(l.append(1)))
	l.append(2)
	location := l.load().MetadataLocation()
	for range 2 {
		plan, err := PlanExpiry(context.Background(), l.env, l.ident, everything())
		if err != nil || !plan.Empty() {
			t.Fatalf("got %+v, %v", plan, err)
		}
		if result := l.mustExpire(everything()); result.Snapshots != 0 || result.Refs != 0 {
			t.Errorf("got %+v", result)
		}
	}
	if l.load().MetadataLocation() != location {
		t.Error("there was a commit")
	}
}

// Of field reports, 7, 11 and 12: it works with refs, files really go, and the
// counts are what went.
func TestCountsAreWhatWasThere(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.append(2)
	l.overwrite(3)
	l.tag("now", current(l.load()))
	plan, err := PlanExpiry(context.Background(), l.env, l.ident, everything())
	if err != nil {
		t.Fatal(err)
	}
	before := len(l.files("*"))
	lost := plan.Files[0].Path
	if err := os.Remove(strings.TrimPrefix(lost, "file://")); err != nil {
		t.Fatal(err)
	}
	stuck := plan.Files[1].Path
	l.disk = func(op, path string) error {
		if op == "remove" && path == stuck {
			return errCrash
		}
		return nil
	}
	result, err := plan.Execute(context.Background(), l.env)
	if err != nil {
		t.Fatal(err)
	}
	var removed, bytes int64
	for _, kind := range FileKinds() {
		removed += result.Removed[kind]
		bytes += result.RemovedBytes[kind]
	}
	if want := int64(len(plan.Files) - 2); removed != want {
		t.Errorf("removed %d, want %d", removed, want)
	}
	if got, want := int64(before-1-len(l.files("*"))), removed-1; got != want {
		t.Errorf("%d files fewer, want %d and a new metadata file", got, want)
	}
	if len(result.Failed) != 1 || result.Failed[0].Path != stuck {
		t.Errorf("failed: %+v", result.Failed)
	}
	for _, f := range plan.Files {
		if f.Path != lost && f.Path != stuck {
			bytes -= f.Bytes
		}
	}
	if bytes != 0 {
		t.Errorf("bytes differ from the plan's by %d", bytes)
	}
	l.checkAll()
}

// Of field reports, 15: files can be left, to be deleted later by their age, and
// then go.
func TestFilesAreLeftForLater(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.append(2)
	l.overwrite(3)
	before := len(l.files("*"))
	options := everything()
	options.KeepFiles = true
	plan, err := PlanExpiry(context.Background(), l.env, l.ident, options)
	if err != nil || len(plan.Files) != 0 || len(plan.Snapshots) == 0 {
		t.Fatalf("planned %+v (%v)", plan, err)
	}
	result, err := plan.Execute(context.Background(), l.env)
	if err != nil || result.Snapshots != len(plan.Snapshots) || result.Removed != [fileKinds]int64{} {
		t.Errorf("done: %+v (%v)", result, err)
	}
	if n := len(l.files("*")); n != before+1 {
		t.Errorf("%d files, want all %d and a new metadata file", n, before)
	}
	l.checkAll()
	plain, err := catalog.Open(t.Context(), catalog.Config{Name: "lake", Properties: map[string]string{
		"type": "sql", "uri": "file:" + filepath.Join(l.dir, "catalog.db"), "warehouse": "file://" + filepath.Join(l.dir, "wh"),
	}}, catalog.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	later := Env{Catalog: plain, Now: func() time.Time { return time.Now().Add(5 * 24 * time.Hour) }}
	orphans, err := PlanOrphans(context.Background(), later, l.ident, OrphanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	done, err := orphans.Execute(context.Background(), later)
	if err != nil || done.Removed < int64(2*len(plan.Snapshots)) {
		t.Errorf("orphans: %+v (%v)", done, err)
	}
	l.checkAll()
}

// Of field reports, 15: a tag that was set at the same time is told of, too, though
// no file goes.
func TestLostTagIsToldWithoutFiles(t *testing.T) {
	l := newLedger(t, nil)
	one := current(l.append(1))
	l.append(2)
	options := everything()
	options.KeepFiles = true
	l.commit = func(_ context.Context, _ []table.Requirement, _ []table.Update, next func() error) error {
		l.commit = nil
		l.tag("late", one)
		return next()
	}
	if result, err := l.expire(options); err == nil && l.load().SnapshotByName("late") == nil {
		t.Errorf("the tag is lost and nothing said: %+v", result)
	}
	l.checkAll()
}

// Of field reports, 9: what stays in the history keeps its times.
func TestHistoryKeepsItsTimes(t *testing.T) {
	l := newLedger(t, nil)
	for i := range int64(5) {
		l.append(i)
	}
	history := slices.Collect(l.load().Metadata().SnapshotLogs())
	keep := 3
	options := everything()
	options.RetainLast = &keep
	l.mustExpire(options)
	if got := slices.Collect(l.load().Metadata().SnapshotLogs()); !slices.Equal(got, history[2:]) {
		t.Errorf("got %v, want %v", got, history[2:])
	}
}

// Of field reports, 13: files are deleted after the commit, never before.
func TestFilesGoAfterTheCommit(t *testing.T) {
	l := newLedger(t, nil)
	l.append(1)
	l.overwrite(2)
	files := l.files("*")
	l.commit = func(context.Context, []table.Requirement, []table.Update, func() error) error {
		return errors.New("gateway timeout")
	}
	if _, err := l.expire(everything()); !errors.Is(err, ErrCommitUnknown) {
		t.Fatal(err)
	}
	if !slices.Equal(files, l.files("*")) {
		t.Error("files have gone without a commit")
	}
}

// Of field reports, 16 and 18: statistics of expired snapshots go, those of
// others stay, in the metadata and as files.
func TestStatisticsOfExpiredSnapshotsGo(t *testing.T) {
	l := newLedger(t, nil)
	old := current(l.append(1))
	now := current(l.append(2))
	for i, id := range []int64{old, now} {
		l.apply(table.NewSetStatisticsUpdate(table.StatisticsFile{SnapshotID: id, StatisticsPath: l.scratch(fmt.Sprint("s", i, ".stats")), FileSizeInBytes: 1, BlobMetadata: []table.BlobMetadata{}}))
		l.apply(table.NewSetPartitionStatisticsUpdate(table.PartitionStatisticsFile{SnapshotID: id, StatisticsPath: l.scratch(fmt.Sprint("p", i, ".stats")), FileSizeInBytes: 1}))
	}
	if result := l.mustExpire(everything()); result.Removed[StatisticsFile] != 2 || result.RemovedBytes[StatisticsFile] != 2 {
		t.Errorf("got %+v", result)
	}
	meta := l.load().Metadata()
	for s := range meta.Statistics() {
		if s.SnapshotID != now || !exists(s.StatisticsPath) {
			t.Errorf("statistics: %+v", s)
		}
	}
	if left := l.files("*.stats"); len(left) != 2 || len(slices.Collect(meta.PartitionStatistics())) != 1 {
		t.Errorf("left are %v", left)
	}
}

// Of field reports, 19 and 43, and what else is refused by name.
func TestExpireRefusals(t *testing.T) {
	zero, many := 0, -1
	tests := []struct {
		name    string
		props   iceberg.Properties
		options func(head int64) ExpireOptions
		class   error
		names   string
	}{
		{"retain_last 0", nil, func(int64) ExpireOptions { return ExpireOptions{RetainLast: &zero} }, ErrInvalid, `"retain_last"`},
		{"retain_last -1", nil, func(int64) ExpireOptions { return ExpireOptions{RetainLast: &many} }, ErrInvalid, `"retain_last"`},
		{"deletes", nil, func(int64) ExpireOptions { return ExpireOptions{Deletes: -1} }, ErrInvalid, `"max_concurrent_deletes"`},
		{"gc", iceberg.Properties{"gc.enabled": "false"}, func(int64) ExpireOptions { return everything() }, ErrRefused, `"gc.enabled"`},
		{"gc in another spelling", iceberg.Properties{"gc.enabled": "no"}, func(int64) ExpireOptions { return everything() }, ErrRefused, `"gc.enabled"`},
		{"head by its id", nil, func(head int64) ExpireOptions { return ExpireOptions{SnapshotIDs: []int64{head}} }, ErrInvalid, "main, v1"},
		{"age that is no number", iceberg.Properties{"history.expire.max-snapshot-age-ms": "5d"}, func(int64) ExpireOptions { return ExpireOptions{} }, ErrInvalid, `"history.expire.max-snapshot-age-ms"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLedger(t, test.props)
			l.append(1)
			head := current(l.append(2))
			l.tag("v1", head)
			location := l.load().MetadataLocation()
			_, err := l.expire(test.options(head))
			if !errors.Is(err, test.class) || !strings.Contains(err.Error(), test.names) {
				t.Errorf("got %v", err)
			}
			if l.load().MetadataLocation() != location {
				t.Error("the table has changed")
			}
		})
	}
}

func TestSpellingsOfOneFile(t *testing.T) {
	for _, group := range [][]string{
		{"s3://b/k", "s3a://b/k", "s3n://b/k"},
		{"file:///x/y", "file:/x/y", "/x/y"},
	} {
		for _, path := range group {
			if fileKey(path) != fileKey(group[0]) {
				t.Errorf("%s and %s are the same file", path, group[0])
			}
		}
	}
	if fileKey("s3://b/k") == fileKey("gs://b/k") {
		t.Error("schemes do not count")
	}
}
