package metatables

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/firndb/firn/maintenance/manifest"
)

// putLeaf adds a leaf of size bytes besides its key.
func putLeaf(c *Cache, file string, kind manifest.Kind, size int64, request uint64) {
	c.put(&item{key: itemKey{fileKey{"t", file}, manifest.Whole(kind)}, size: size, request: request})
}

// has says whether a leaf is in the cache, without touching it.
func has(c *Cache, file string, kind manifest.Kind) bool {
	_, ok := c.items[itemKey{fileKey{"t", file}, manifest.Whole(kind)}]
	return ok
}

func TestCacheKeepsToItsLimit(t *testing.T) {
	const size = 1000 + itemBytes + 2
	c := NewCache(3 * size)
	putLeaf(c, "a", manifest.FilePath, 1000, 1)
	putLeaf(c, "b", manifest.FilePath, 1000, 1)
	putLeaf(c, "c", manifest.FilePath, 1000, 1)
	putLeaf(c, "d", manifest.FilePath, 1000, 1)
	if has(c, "d", manifest.FilePath) || c.Stats().Evictions != 0 {
		t.Error("a request has driven out what it used itself")
	}
	if found, missing, _, err := c.get(context.Background(), fileKey{"t", "a"}, []manifest.Leaf{manifest.Whole(manifest.FilePath)}, 2); len(found) != 1 || len(missing) != 0 || err != nil {
		t.Errorf("a is not found: %v, %v", missing, err)
	}
	putLeaf(c, "d", manifest.FilePath, 1000, 2)
	if !has(c, "a", manifest.FilePath) || has(c, "b", manifest.FilePath) || !has(c, "c", manifest.FilePath) || !has(c, "d", manifest.FilePath) {
		t.Error("not what was unused for the longest time has gone")
	}
	putLeaf(c, "e", manifest.FilePath, 3*size, 3)
	if want := (CacheStats{Hits: 1, Evictions: 1, Bytes: 3 * size, Limit: 3 * size}); c.Stats() != want || has(c, "e", manifest.FilePath) {
		t.Errorf("got %+v, want %+v", c.Stats(), want)
	}
	putLeaf(c, "c", manifest.FilePath, 1000, 4)
	if c.Stats().Bytes != 3*size {
		t.Error("what is there twice is counted twice")
	}
	var none *Cache
	if none.Stats() != (CacheStats{}) {
		t.Error("no cache has done something")
	}
}

// TestCacheReadsOnce: of several that want the same, one reads.
func TestCacheReadsOnce(t *testing.T) {
	c := NewCache(1 << 20)
	leaves := []manifest.Leaf{manifest.Whole(manifest.Status), manifest.Whole(manifest.FilePath)}
	var reads atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			found, missing, done, err := c.get(context.Background(), fileKey{"t", "a"}, leaves, c.begin())
			if err != nil {
				t.Error(err)
				return
			}
			if len(missing) > 0 {
				defer done()
				reads.Add(1)
				for _, l := range missing {
					c.put(&item{key: itemKey{fileKey{"t", "a"}, l}})
				}
			}
			if len(found)+len(missing) != len(leaves) {
				t.Errorf("%d found and %d missing of %d", len(found), len(missing), len(leaves))
			}
		})
	}
	all.Wait()
	if s := c.Stats(); reads.Load() != 1 || s.Hits != 19 || s.Misses != 1 {
		t.Errorf("%d reads, %+v", reads.Load(), s)
	}
}

// TestCacheWaitIsCancelled: whoever waits for another reader can be cancelled,
// and a reader that fails leaves the file to the next.
func TestCacheWaitIsCancelled(t *testing.T) {
	c := NewCache(1 << 20)
	leaves := []manifest.Leaf{manifest.Whole(manifest.Status)}
	_, _, done, err := c.get(context.Background(), fileKey{"t", "a"}, leaves, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := c.get(ctx, fileKey{"t", "a"}, leaves, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, missing, other, err := c.get(context.Background(), fileKey{"other", "a"}, leaves, 3); err != nil || len(missing) != 1 {
		t.Errorf("another table's file: %v, %v", missing, err)
	} else {
		other()
	}
	done()
	_, missing, done, err := c.get(context.Background(), fileKey{"t", "a"}, leaves, 4)
	if err != nil || len(missing) != 1 {
		t.Fatalf("after a failure: %v, %v", missing, err)
	}
	done()
}
