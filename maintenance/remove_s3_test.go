package maintenance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
)

// numbered are n keys below data/.
func numbered(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("data/%05d", i)
	}
	return keys
}

func pathsIn(bucket string, keys ...string) []string {
	paths := make([]string, len(keys))
	for i, key := range keys {
		paths[i] = "s3://" + bucket + "/" + key
	}
	return paths
}

func failedPaths(r Removal) []string {
	var paths []string
	for _, f := range r.Failed {
		paths = append(paths, f.Path)
	}
	return paths
}

// TestRemoveFilesInBatches is of field reports, 12 and 34: a request removes up
// to a thousand objects, in any bucket, however the scheme is written, and what is
// not there is no failure.
func TestRemoveFilesInBatches(t *testing.T) {
	s := faultio.NewS3(t, "a", "b")
	keys := numbered(2500)
	s.Put(t, "a", keys[:2400]...)
	s.Put(t, "b", "x/ü %41 +", "x/<&>\"'", "left")
	paths := append(pathsIn("a", keys...), "s3a://b/x/ü %41 +", "s3n://b/x/<&>\"'", "s3://a/data/00000")
	got := RemoveFiles(t.Context(), s.Store(t, "a"), paths, 2)
	if len(got.Removed) != 2502 || len(got.Missing)+len(got.Failed) != 0 {
		t.Errorf("%d removed, %d missing, failed %v", len(got.Removed), len(got.Missing), got.Failed)
	}
	if left := slices.Concat(s.Keys(t, "a"), s.Keys(t, "b")); !slices.Equal(left, []string{"left"}) {
		t.Errorf("left are %q", left)
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests: %q", n, s.Requests())
	}
}

// TestRemoveFilesFromABusyStore is of field reports, 36: a store that is busy is
// asked again, for what is left.
func TestRemoveFilesFromABusyStore(t *testing.T) {
	s := faultio.NewS3(t, "a")
	keys := numbered(1200)
	s.Put(t, "a", keys...)
	s.Busy(3)
	s.BusyKey(keys[7], 2)
	s.BusyKey(keys[1100], 1)
	pauses := 0
	env := Env{Wait: faultio.NoWait(&pauses)}
	got := env.removeFiles(t.Context(), s.Store(t, "a"), pathsIn("a", keys...), 4)
	if len(got.Removed) != 1200 || len(s.Keys(t, "a")) != 0 {
		t.Errorf("%d removed, failed %v, left %q", len(got.Removed), got.Failed, s.Keys(t, "a"))
	}
	if pauses < 4 {
		t.Errorf("%d pauses", pauses)
	}
}

func TestRemoveFilesGivesUp(t *testing.T) {
	s := faultio.NewS3(t, "a")
	keys := numbered(3)
	s.Put(t, "a", keys...)
	s.BusyKey(keys[1], 1000)
	s.Stick(keys[2])
	pauses := 0
	got := Env{Wait: faultio.NoWait(&pauses)}.removeFiles(t.Context(), s.Store(t, "a"), append(pathsIn("a", keys...), "gs://a/b", "s3://"), 1)
	if !slices.Equal(failedPaths(got), append(pathsIn("a", keys[1:]...), "gs://a/b", "s3://")) {
		t.Errorf("failed: %v", got.Failed)
	}
	if pauses != catalog.MostTries-1 || !errors.Is(got.Failed[0].Err, catalog.ErrBusy) || !strings.Contains(got.Failed[1].Err.Error(), "AccessDenied") {
		t.Errorf("%d pauses, %v", pauses, got.Failed)
	}
}

// A store may know no request for many objects.
func TestRemoveFilesOneByOne(t *testing.T) {
	s := faultio.NewS3(t, "a")
	keys := append(numbered(30), "data/control\x01character")
	s.Put(t, "a", keys...)
	s.Refuse("delete")
	got := RemoveFiles(t.Context(), s.Store(t, "a"), pathsIn("a", append(keys, "missing")...), 4)
	if len(got.Removed) != 32 || len(s.Keys(t, "a")) != 0 {
		t.Errorf("%d removed, failed %v", len(got.Removed), got.Failed)
	}
}

func TestRemoveFilesIsCancelled(t *testing.T) {
	s := faultio.NewS3(t, "a")
	keys := numbered(5000)
	s.Put(t, "a", keys...)
	s.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	store := s.Store(t, "a")
	done := make(chan Removal)
	go func() { done <- RemoveFiles(ctx, store, pathsIn("a", keys...), 2) }()
	for len(s.Requests()) == 0 {
	}
	cancel()
	if got := <-done; len(got.Failed) != len(keys) || !errors.Is(got.Failed[0].Err, context.Canceled) || len(s.Requests()) > 2 {
		t.Errorf("%d failed, %d requests", len(got.Failed), len(s.Requests()))
	}
}

// Failures are told as warnings, which are shown from the last.
func TestWarningsOfFailures(t *testing.T) {
	var told []string
	env := Env{Warn: func(message string) { told = append(told, message) }}
	env.warnFailed([]FailedRemoval{{"a", errCrash}, {"b", errCrash}}, "of no use")
	want := []string{"not deleted: b: " + errCrash.Error(), "not deleted: a: " + errCrash.Error(), "2 files could not be deleted: of no use"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
	told = nil
	env.warnFailed(make([]FailedRemoval, 5000), "many")
	env.warnFailed(nil, "none")
	if len(told) != mostWarnings+1 || told[mostWarnings] != "5000 files could not be deleted: many" {
		t.Errorf("%d warnings", len(told))
	}
}
