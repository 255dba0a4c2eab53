package maintenance

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance/manifest"
)

// manifestPlanner decides which entry goes into which new manifest.
type manifestPlanner struct {
	env       Env
	store     iceio.IO
	order     partitionOrder
	sizes     manifestSizes
	manifests []iceberg.ManifestFile
	// schemas are the writers' of the manifests, once they have been read.
	schemas manifest.Schemas
}

// plan reads the entries, without their statistics. It returns nil if the
// manifests are as a rewrite would leave them.
func (p *manifestPlanner) plan(ctx context.Context) (*ManifestGroup, error) {
	place, rank, err := p.partitions(ctx)
	if err != nil {
		return nil, err
	}
	g := &ManifestGroup{Manifests: p.manifests, place: place}
	g.schema, _ = p.schemas.Copyable()
	perKey := make([]int64, len(rank))
	var body int64
	for i, m := range p.manifests {
		g.Bytes += m.Length()
		g.Entries += int64(len(place[i]))
		body += share(m, p.sizes.body(m), int64(len(place[i])))
		for j, id := range place[i] {
			place[i][j] = rank[id]
			perKey[rank[id]]++
		}
	}
	if p.settled(place, g.Entries) {
		return nil, nil
	}
	g.Out = min(p.sizes.count(body, 1), g.Entries)
	g.OutBytes = body + g.Out*p.sizes.head
	// next is where the next entry of each partition stands among all in order.
	next := make([]int64, len(perKey))
	var sum int64
	for i, n := range perKey {
		next[i] = sum
		sum += n
	}
	for i := range place {
		for j, key := range place[i] {
			at := next[key]
			next[key]++
			place[i][j] = uint32(at * g.Out / g.Entries)
		}
	}
	return g, nil
}

// partitions numbers the partition of every live entry, and says in which order
// the numbers are.
func (p *manifestPlanner) partitions(ctx context.Context) (place [][]uint32, rank []uint32, err error) {
	place = make([][]uint32, len(p.manifests))
	ids := partitionIDs{order: p.order, ids: map[string]uint32{}}
	leaves := []manifest.Leaf{manifest.Whole(manifest.Partition)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.env.Limits.reads())
	for i, m := range p.manifests {
		guard.Go(group, func() error {
			err := readBlocks(ctx, p.store, m, &p.schemas, leaves, func(b *manifest.Block) error {
				numbers, err := ids.of(b)
				place[i] = append(place[i], numbers...)
				return err
			})
			if err != nil {
				return unreadable("manifest", m.FilePath(), err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	return place, ranks(ids.ids), nil
}

// partitionIDs numbers partitions by their keys.
type partitionIDs struct {
	order partitionOrder

	mu  sync.Mutex
	ids map[string]uint32
}

// of are the numbers of the live entries of a block.
func (p *partitionIDs) of(b *manifest.Block) ([]uint32, error) {
	tuples := b.Columns[manifest.Whole(manifest.Partition)].(*manifest.Tuples)
	different := make([]uint32, tuples.Dict.Values.Len())
	for i := range different {
		values, err := tuples.All(i)
		if err != nil {
			return nil, err
		}
		key, err := p.order.key(values)
		if err != nil {
			return nil, err
		}
		p.mu.Lock()
		id, ok := p.ids[key]
		if !ok {
			id = uint32(len(p.ids))
			p.ids[key] = id
		}
		p.mu.Unlock()
		different[i] = id
	}
	status := b.Columns[manifest.Whole(manifest.Status)].(*manifest.Longs)
	numbers := make([]uint32, 0, b.Rows)
	for i := range b.Rows {
		if s, _ := status.At(i); s == int64(iceberg.EntryStatusDELETED) {
			continue
		}
		at, ok := tuples.Index.At(i)
		if !ok {
			return nil, fmt.Errorf("%w: an entry has no partition", ErrCorrupt)
		}
		numbers = append(numbers, different[at])
	}
	return numbers, nil
}

// settled says whether the manifests are the work of an earlier rewrite that
// another could hardly better: they have neither added nor deleted entries, share
// no partition but with their neighbours, and are neither too few for the target
// size nor two in place of one. ranks are the places of their entries' partitions
// in the order.
func (p *manifestPlanner) settled(ranks [][]uint32, entries int64) bool {
	type span struct {
		first, last uint32
		body        int64
	}
	var spans []span
	var body int64
	for i, m := range p.manifests {
		if m.AddedDataFiles() != 0 || m.DeletedDataFiles() != 0 || len(ranks[i]) == 0 {
			return false
		}
		s := span{first: math.MaxUint32, body: p.sizes.body(m)}
		for _, r := range ranks[i] {
			s.first, s.last = min(s.first, r), max(s.last, r)
		}
		body += s.body
		spans = append(spans, s)
	}
	if int64(len(spans)) < min(entries, p.sizes.count(body, manifestSlack)) {
		return false
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last)) })
	for i := 1; i < len(spans); i++ {
		before, s := spans[i-1], spans[i]
		if before.last > s.first || before.body+s.body <= p.sizes.room()/2 {
			return false
		}
	}
	return true
}
