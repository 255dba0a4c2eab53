package metatables

// Cache keeps manifests and manifest lists in memory, as far as requests have
// looked at them. It may be used by several requests at once.
type Cache struct {
	limit int64
}

// CacheStats is what a cache has done since it was made, and what it holds.
type CacheStats struct {
	// Hits and Misses count the manifests and manifest lists that were, and
	// were not, found in the cache.
	Hits, Misses int64
	// Evictions counts what was dropped to keep to the limit.
	Evictions int64
	// Bytes is the memory that is in use, Limit what may be.
	Bytes, Limit int64
}

// NewCache makes a cache that holds at most limit bytes.
func NewCache(limit int64) *Cache { return &Cache{limit: limit} }

// Stats may be called at any time. A nil cache has done nothing.
func (c *Cache) Stats() CacheStats {
	if c == nil {
		return CacheStats{}
	}
	return CacheStats{Limit: c.limit}
}
