package maintenance

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
)

// TestRemoveBlobs removes from a store that has no request for many objects: a busy
// one is asked again, what is not there is no failure, what may not be removed is,
// though Google's library says that it is not there.
func TestRemoveBlobs(t *testing.T) {
	keys := numbered(40)
	bucket := faultio.NewBlobs(time.Now(), keys...)
	bucket.Busy(7)
	bucket.Deny(keys[3])
	var paths []string
	for _, key := range append(slices.Clone(keys), "data/missing") {
		paths = append(paths, "gs://b/"+key)
	}
	pauses := 0
	env := Env{Wait: faultio.NoWait(&pauses)}
	got := env.removeFiles(t.Context(), bucket.Store(t), append(paths, "gs://elsewhere/"+keys[0], "s3://b/"+keys[0]), 4)
	if len(got.Removed) != 39 || !slices.Equal(got.Missing, []string{"gs://b/data/missing"}) || pauses != 7 {
		t.Errorf("%d removed, missing %q, %d pauses", len(got.Removed), got.Missing, pauses)
	}
	if want := []string{"gs://b/" + keys[3], "gs://elsewhere/" + keys[0], "s3://b/" + keys[0]}; !slices.Equal(failedPaths(got), want) {
		t.Errorf("failed: %v", got.Failed)
	}
	if left := bucket.Keys(); !slices.Equal(left, keys[3:4]) {
		t.Errorf("left are %q", left)
	}
	bucket.Busy(1000)
	got = env.removeFiles(t.Context(), bucket.Store(t), paths[3:4], 4)
	if len(got.Failed) != 1 || !errors.Is(got.Failed[0].Err, catalog.ErrBusy) || pauses != 7+catalog.MostTries-1 {
		t.Errorf("%+v after %d pauses", got, pauses)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := env.removeFiles(ctx, bucket.Store(t), paths, 4); len(got.Failed) != len(paths) || !errors.Is(got.Failed[0].Err, context.Canceled) {
		t.Errorf("cancelled: %d failed", len(got.Failed))
	}
}
