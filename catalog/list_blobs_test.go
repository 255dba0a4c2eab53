package catalog_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
)

// TestListBlobs lists what is neither S3 nor local: folders side by side, each
// object once, and flat below the third.
func TestListBlobs(t *testing.T) {
	bucket := faultio.NewBlobs(time.Now(), "t/a", "t/b", "t/c", "t/d=1/e=2/f=3/g=4/x", "t/d=1/e=2/f=3/h/y", "t/d=1/z", "t/d=2/z", "t/d=3/", "t/d=3/z",
		"t/_tmp/w", "t/d=1/_w", "t/d=1/e=2/f=3/_g/w", "t_2/other", "tt")
	bucket.Busy(5)
	pauses := 0
	got, err := list(t, bucket.Store(t), "gs://b/t/", catalog.Listing{Parallel: 4, Wait: faultio.NoWait(&pauses)})
	want := []string{"a", "b", "c", "d=1/e=2/f=3/g=4/x", "d=1/e=2/f=3/h/y", "d=1/z", "d=2/z", "d=3/z"}
	if slices.Sort(got); err != nil || !slices.Equal(got, want) || pauses != 5 {
		t.Errorf("got %q after %d pauses (%v), want %q", got, pauses, err, want)
	}
	if lists := bucket.Lists(); !slices.Equal(lists, []string{"t/", "t/d=1/", "t/d=1/e=2/", "t/d=1/e=2/f=3/*", "t/d=2/", "t/d=3/"}) {
		t.Errorf("listed %q", lists)
	}
	if got, err := list(t, bucket.Store(t), "gs://b/u", catalog.Listing{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q: %v", got, err)
	}
	bucket.Busy(1000)
	if got, err := list(t, bucket.Store(t), "gs://b/t", catalog.Listing{Wait: faultio.NoWait(&pauses)}); !errors.Is(err, catalog.ErrBusy) {
		t.Errorf("%q: %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	bucket.Busy(0)
	if err := catalog.List(ctx, bucket.Store(t), "gs://b/t", catalog.Listing{}, func([]catalog.Object) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
