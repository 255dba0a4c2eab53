package maintenance

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	iceio "github.com/apache/iceberg-go/io"
)

// shelf is a store of which some files cannot be removed.
type shelf struct {
	iceio.IO
	mu    sync.Mutex
	stuck []string
	there []string
}

func (s *shelf) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch i := slices.Index(s.there, name); {
	case slices.Contains(s.stuck, name):
		return errCrash
	case i < 0:
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	default:
		s.there = slices.Delete(s.there, i, i+1)
		return nil
	}
}

func TestRemoveFilesTellsWhatBecameOfEach(t *testing.T) {
	for _, concurrency := range []int{0, 1, 7} {
		store := &shelf{there: []string{"a", "b", "c", "d"}, stuck: []string{"c"}}
		got := RemoveFiles(context.Background(), store, []string{"a", "x", "c", "a", "d"}, concurrency)
		if !slices.Equal(got.Removed, []string{"a", "d"}) || !slices.Equal(got.Missing, []string{"x"}) {
			t.Errorf("concurrency %d: got %+v", concurrency, got)
		}
		if len(got.Failed) != 1 || got.Failed[0].Path != "c" || !errors.Is(got.Failed[0].Err, errCrash) {
			t.Errorf("concurrency %d: failed: %+v", concurrency, got.Failed)
		}
		if !slices.Equal(store.there, []string{"b", "c"}) {
			t.Errorf("concurrency %d: left are %q", concurrency, store.there)
		}
	}
}

// bottomless is a store that counts what it removes.
type bottomless struct {
	iceio.IO
	n atomic.Int64
}

func (b *bottomless) Remove(string) error {
	b.n.Add(1)
	return nil
}

// Of field reports, 24: there is no number of files after which the rest stays and
// nothing is said.
func TestRemoveFilesHasNoCap(t *testing.T) {
	const many = 1_000_001
	paths := make([]string, many)
	for i := range paths {
		paths[i] = strconv.Itoa(i)
	}
	store := &bottomless{}
	if got := RemoveFiles(context.Background(), store, paths, 8); len(got.Removed) != many || store.n.Load() != many {
		t.Errorf("%d removed, %d said to be", store.n.Load(), len(got.Removed))
	}
}

func TestRemoveFilesStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	store := &shelf{there: []string{"a"}}
	got := RemoveFiles(ctx, store, []string{"a"}, 1)
	if len(got.Removed) != 0 || len(got.Failed) != 1 || !errors.Is(got.Failed[0].Err, context.Canceled) {
		t.Errorf("got %+v", got)
	}
}
