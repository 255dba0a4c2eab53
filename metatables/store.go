package metatables

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"github.com/firndb/firn/maintenance/manifest"
)

// maxCached is the length of manifests beyond which they are not cached: of
// those, blocks are handed over as they are read, so that memory stays bounded.
const maxCached = 16 << 20

// store reads a table's manifests and manifest lists for one request, from the
// cache if there is one.
type store struct {
	cache   *Cache
	request uint64
	schemas manifest.Schemas
	// key is what the cache knows the table by.
	key string

	// system opens the table's file system at the first call: a request that
	// finds all in the cache needs none.
	system func() (iceio.IO, error)
}

// newStore takes the context of the whole request: the file system keeps it.
func newStore(ctx context.Context, tbl *table.Table, cache *Cache) *store {
	s := &store{cache: cache}
	s.system = sync.OnceValues(func() (iceio.IO, error) {
		fs, err := tbl.FS(ctx)
		if err != nil {
			return nil, fmt.Errorf("open the file system of the table: %w", err)
		}
		return fs, nil
	})
	if cache != nil {
		s.request = cache.begin()
		s.key = tbl.Metadata().TableUUID().String()
		if tbl.Metadata().TableUUID() == uuid.Nil {
			s.key = tbl.Location()
		}
	}
	return s
}

// manifests reads a snapshot's manifest list.
func (s *store) manifests(ctx context.Context, snapshot table.Snapshot) ([]iceberg.ManifestFile, error) {
	if s.cache == nil {
		return s.readManifests(snapshot)
	}
	file, whole := fileKey{s.key, snapshot.ManifestList}, manifest.Leaf{}
	found, missing, done, err := s.cache.get(ctx, file, []manifest.Leaf{whole}, s.request)
	if err != nil {
		return nil, err
	}
	if len(missing) == 0 {
		return found[whole].manifests, nil
	}
	defer done()
	manifests, err := s.readManifests(snapshot)
	if err != nil {
		return nil, err
	}
	it := &item{key: itemKey{file, whole}, manifests: manifests, request: s.request}
	for _, m := range manifests {
		it.size += manifestFileBytes + int64(len(m.FilePath()))
		for _, summary := range m.Partitions() {
			it.size += summaryBytes
			for _, bound := range []*[]byte{summary.LowerBound, summary.UpperBound} {
				if bound != nil {
					it.size += int64(len(*bound))
				}
			}
		}
	}
	s.cache.put(it)
	return manifests, nil
}

func (s *store) readManifests(snapshot table.Snapshot) ([]iceberg.ManifestFile, error) {
	fs, err := s.system()
	if err != nil {
		return nil, err
	}
	manifests, err := snapshot.Manifests(fs)
	if err != nil {
		return nil, fmt.Errorf("read manifest list %q: %w", snapshot.ManifestList, err)
	}
	return manifests, nil
}

// blocks reads leaves of a manifest, which are normalized.
func (s *store) blocks(ctx context.Context, m iceberg.ManifestFile, leaves []manifest.Leaf, emit func(*manifest.Block) error) error {
	if s.cache == nil || m.Length() > maxCached {
		return s.readBlocks(ctx, m, leaves, emit)
	}
	blocks, err := s.cachedBlocks(ctx, m, leaves)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		if err := emit(b); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) readBlocks(ctx context.Context, m iceberg.ManifestFile, leaves []manifest.Leaf, emit func(*manifest.Block) error) (err error) {
	fs, err := s.system()
	if err != nil {
		return err
	}
	in, err := fs.Open(m.FilePath())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return manifest.Read(ctx, in, m, &s.schemas, leaves, emit)
}

// cachedBlocks has nothing in hand while the cache waits for others who read.
func (s *store) cachedBlocks(ctx context.Context, m iceberg.ManifestFile, leaves []manifest.Leaf) ([]*manifest.Block, error) {
	file := fileKey{s.key, m.FilePath()}
	found, missing, done, err := s.cache.get(ctx, file, leaves, s.request)
	if err != nil {
		return nil, err
	}
	var blocks []*manifest.Block
	if len(missing) > 0 {
		defer done()
		if err := s.readBlocks(ctx, m, missing, func(b *manifest.Block) error {
			blocks = append(blocks, b)
			return nil
		}); err != nil {
			return nil, err
		}
		for _, leaf := range missing {
			s.cache.put(newItem(itemKey{file, leaf}, blocks, s.request))
		}
	}
	for leaf, it := range found {
		for i, column := range it.columns {
			if i == len(blocks) {
				blocks = append(blocks, &manifest.Block{Columns: make(map[manifest.Leaf]manifest.Column, len(leaves))})
			}
			blocks[i].Columns[leaf] = column
		}
	}
	for _, b := range blocks {
		b.Rows = b.Columns[manifest.Whole(manifest.Status)].(*manifest.Longs).Len()
	}
	return blocks, nil
}

// newItem is what the cache keeps of a leaf.
func newItem(key itemKey, blocks []*manifest.Block, request uint64) *item {
	it := &item{key: key, request: request}
	for _, b := range blocks {
		it.columns = append(it.columns, b.Columns[key.leaf])
		it.size += b.Columns[key.leaf].Size() + 16
	}
	return it
}
