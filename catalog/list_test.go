package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	iceio "github.com/apache/iceberg-go/io"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/internal/faultio"
)

// list is what a listing finds, sorted, of two bytes or less each.
func list(t *testing.T, store iceio.IO, root string, l catalog.Listing) ([]string, error) {
	t.Helper()
	var mu sync.Mutex
	var found []string
	l.Hidden = func(name string) bool { return strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "_p=") }
	err := catalog.List(t.Context(), store, root, l, func(objects []catalog.Object) error {
		mu.Lock()
		defer mu.Unlock()
		for _, o := range objects {
			if bytes, modified, err := o.Stat(); err != nil || bytes != 1 || time.Since(modified) > time.Hour {
				t.Errorf("%s: %d bytes of %v (%v)", o.Below, bytes, modified, err)
			}
			found = append(found, o.Below)
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}

// layouts are keys as tables have them.
func layouts() map[string][]string {
	flat, days, hashed := []string{"x"}, []string{"metadata/m.json"}, []string{}
	for i := range 1100 {
		flat = append(flat, fmt.Sprintf("data/f%04d", i))
		days = append(days, fmt.Sprintf("data/day=%03d/hour=%02d/f%d", i/24, i%24, i), fmt.Sprintf("data/day=%03d", i/24)+"-file")
		hashed = append(hashed, fmt.Sprintf("data/%04b/%04b/%04b/%08b/p=1/f%d", i%16, i/16%16, i%7, i%256, i))
	}
	for _, hidden := range []string{"_x", "data/_tmp/y", "data/day=000/_SUCCESS", "data/day=001/_dir/deep/z"} {
		flat, days = append(flat, hidden), append(days, hidden)
	}
	days = append(days, "data/_p=1/kept", "data/day=000/", "data/")
	return map[string][]string{"flat": flat, "days": days, "hashed": hashed}
}

// visible are the keys that list finds.
func visible(keys []string) []string {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key string) bool {
		return strings.HasSuffix(key, "/") || strings.Contains(strings.ReplaceAll("/"+key, "/_p=", "/"), "/_")
	})
}

// TestListEachObjectOnce is of field reports, 26, 35 and 41.
func TestListEachObjectOnce(t *testing.T) {
	for name, keys := range layouts() {
		t.Run(name, func(t *testing.T) {
			s, dir := faultio.NewS3(t, "a"), t.TempDir()
			for _, key := range keys {
				s.Put(t, "a", "t/"+key)
				if strings.HasSuffix(key, "/") {
					continue
				}
				path := filepath.Join(dir, key)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("x"), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			s.Put(t, "a", "t", "t_2/other", "t-1", "u")
			if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
				t.Fatal(err)
			}
			want := visible(keys)
			for root, parallel := range map[string]int{"s3a://a/t": 1, "s3://a/t/": 8, dir: 1, "file://" + dir: 8} {
				var store iceio.IO = iceio.LocalFS{}
				if strings.HasPrefix(root, "s3") {
					store = s.Store(t, "a")
				}
				got, err := list(t, store, root, catalog.Listing{Parallel: parallel})
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %d at once: %d found (%v), want %d; first %.200q", root, parallel, len(got), err, len(want), got)
				}
			}
			walked, err := list(t, (&faultio.Faults{At: -1}).IO(iceio.LocalFS{}), dir, catalog.Listing{})
			if err != nil || !slices.Equal(walked, want) {
				t.Errorf("walked: %d found (%v), want %d", len(walked), err, len(want))
			}
		})
	}
}

// TestListABusyStore is of field reports, 36.
func TestListABusyStore(t *testing.T) {
	s := faultio.NewS3(t, "a")
	s.Put(t, "a", "t/data/1", "t/data/2")
	s.Busy(3)
	pauses := 0
	got, err := list(t, s.Store(t, "a"), "s3://a/t", catalog.Listing{Wait: faultio.NoWait(&pauses)})
	if err != nil || len(got) != 2 || pauses != 3 {
		t.Errorf("%q after %d pauses: %v", got, pauses, err)
	}
	s.Busy(1000)
	if got, err := list(t, s.Store(t, "a"), "s3://a/t", catalog.Listing{Wait: faultio.NoWait(&pauses)}); !errors.Is(err, catalog.ErrBusy) {
		t.Errorf("%q: %v", got, err)
	}
}

func TestListEndsWithAnError(t *testing.T) {
	s := faultio.NewS3(t, "a")
	s.Put(t, "a", "t/data/1", "t/data/2")
	for root, store := range map[string]iceio.IO{"s3://a/u": s.Store(t, "a"), filepath.Join(t.TempDir(), "u"): iceio.LocalFS{}} {
		if got, err := list(t, store, root, catalog.Listing{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %q: %v", root, got, err)
		}
	}
	failed := errors.New("failed")
	if err := catalog.List(t.Context(), s.Store(t, "a"), "s3://a/t", catalog.Listing{}, func([]catalog.Object) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := catalog.List(ctx, s.Store(t, "a"), "s3://a/t", catalog.Listing{}, func([]catalog.Object) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestBackoffGrows(t *testing.T) {
	for sent, most := range map[int]time.Duration{1: 200 * time.Millisecond, 3: 800 * time.Millisecond, 9: 20 * time.Second, 100: 20 * time.Second} {
		if d := catalog.Backoff(sent); d < most/2 || d > most {
			t.Errorf("after %d: %v", sent, d)
		}
	}
}
