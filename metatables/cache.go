package metatables

import (
	"container/list"
	"context"
	"sync"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/manifest"
)

// Cache keeps manifests and manifest lists in memory, as far as requests have
// looked at them: neither is ever written twice. What has not been used for the
// longest time goes first. It may be used by several requests at once; what two
// of them want at the same time is read once.
type Cache struct {
	mu    sync.Mutex
	stats CacheStats
	items map[itemKey]*list.Element // of *item
	// order has the items, the latest used first.
	order list.List
	// reading has a channel for each file that is being read, closed at the end.
	reading map[fileKey]chan struct{}
	// requests counts those that were made.
	requests uint64
}

// CacheStats is what a cache has done since it was made, and what it holds.
type CacheStats struct {
	// Hits and Misses count the manifests and manifest lists that were, and
	// were not, found in the cache with all that was wanted of them.
	Hits, Misses int64
	// Evictions counts what was dropped to keep to the limit.
	Evictions int64
	// Bytes is the memory that is in use, Limit what may be.
	Bytes, Limit int64
}

// fileKey is a file of a table. Tables of different catalogs may have files of
// the same path, each on a storage of its own.
type fileKey struct{ table, path string }

// itemKey is a leaf of a manifest; that of a manifest list is its whole.
type itemKey struct {
	fileKey
	leaf manifest.Leaf
}

// item is what the cache holds for a key.
type item struct {
	key itemKey
	// columns are those of the blocks of a manifest.
	columns []manifest.Column
	// manifests are those of a manifest list.
	manifests []iceberg.ManifestFile
	size      int64
	// request is the latest that used it.
	request uint64
}

const (
	// itemBytes is what an item takes besides its content: list element, map
	// entry, key.
	itemBytes = 400
	// manifestFileBytes is what iceberg-go takes for a manifest in a list, and
	// summaryBytes for one of its partition summaries, besides what is in them.
	manifestFileBytes = 300
	summaryBytes      = 100
)

// NewCache makes a cache that holds at most limit bytes.
func NewCache(limit int64) *Cache {
	return &Cache{stats: CacheStats{Limit: limit}, items: map[itemKey]*list.Element{}, reading: map[fileKey]chan struct{}{}}
}

// Stats may be called at any time. A nil cache has done nothing.
func (c *Cache) Stats() CacheStats {
	if c == nil {
		return CacheStats{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// begin returns the number of a new request.
func (c *Cache) begin() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	return c.requests
}

// get returns the items of a file and the leaves for which there is none. If
// there are such, it waits until nobody else reads the file; the caller then
// reads them and calls done.
func (c *Cache) get(ctx context.Context, file fileKey, leaves []manifest.Leaf, request uint64) (found map[manifest.Leaf]*item, missing []manifest.Leaf, done func(), err error) {
	for {
		c.mu.Lock()
		found, missing = c.find(file, leaves, request)
		busy := c.reading[file]
		switch {
		case len(missing) == 0:
			c.stats.Hits++
		case busy == nil:
			c.stats.Misses++
			end := make(chan struct{})
			c.reading[file] = end
			done = func() {
				c.mu.Lock()
				defer c.mu.Unlock()
				delete(c.reading, file)
				close(end)
			}
		}
		c.mu.Unlock()
		if len(missing) == 0 || busy == nil {
			return found, missing, done, nil
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, nil, nil, ctx.Err()
		}
	}
}

func (c *Cache) find(file fileKey, leaves []manifest.Leaf, request uint64) (found map[manifest.Leaf]*item, missing []manifest.Leaf) {
	found = make(map[manifest.Leaf]*item, len(leaves))
	for _, leaf := range leaves {
		e, ok := c.items[itemKey{file, leaf}]
		if !ok {
			missing = append(missing, leaf)
			continue
		}
		c.order.MoveToFront(e)
		it := e.Value.(*item)
		it.request = request
		found[leaf] = it
	}
	return found, missing
}

// put adds an item if there is room or can be made. What the same request has
// used stays: a request for more than fits would otherwise leave nothing that
// the next such request can use.
func (c *Cache) put(it *item) {
	it.size += itemBytes + int64(len(it.key.table)+len(it.key.path))
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[it.key]; ok || it.size > c.stats.Limit {
		return
	}
	for c.stats.Bytes+it.size > c.stats.Limit {
		last := c.order.Back().Value.(*item)
		if last.request == it.request {
			return
		}
		c.order.Remove(c.items[last.key])
		delete(c.items, last.key)
		c.stats.Bytes -= last.size
		c.stats.Evictions++
	}
	c.items[it.key] = c.order.PushFront(it)
	c.stats.Bytes += it.size
}
