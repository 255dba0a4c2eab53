package maintenance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

// Converted is an equality delete file that position deletes take the place of,
// with what is needed to tell to which data files it applies.
type Converted struct {
	SpecID    int32
	Partition string
	// Sequence is its data sequence number: it applies to data files that are older.
	Sequence int64
}

// operation is the snapshot's. Java's rewrites of data files, which equality
// deletes of their time do not stop, look for position deletes that did come in
// their time in snapshots of operation "delete" and "overwrite" alone: in one of
// "replace" they would overlook those that have taken the place of an equality
// delete, and its rows would come back. Java's RowDelta calls what adds delete
// files and no data "delete", too.
func (r Replace) operation() table.Operation {
	if len(r.Converted) > 0 && len(r.AddDeletes) > 0 {
		return table.OpDelete
	}
	return table.OpReplace
}

// validateConverted checks what position deletes in the place of equality deletes
// rely on: that all data files that the equality deletes apply to were there when
// the job was planned, and that those with new position deletes still are. Another
// rewrite may have put files in their place that are as old, whose rows only the
// equality deletes delete.
func (r Replace) validateConverted(ctx context.Context, d *snapshotDraft, manifests []iceberg.ManifestFile) error {
	if len(r.Converted) == 0 {
		return nil
	}
	c := newConvertedCheck(r, d)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, d.env.Limits.Concurrency))
	var mu sync.Mutex
	for _, m := range manifests {
		if m.ManifestContent() != iceberg.ManifestContentData || m.MinSequenceNum() >= c.most() {
			continue
		}
		guard.Go(g, func() error {
			return manifestEntries(ctx, d.fs, m, false, func(e iceberg.ManifestEntry) (bool, error) {
				mu.Lock()
				defer mu.Unlock()
				c.entry(e)
				return false, nil
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return c.conflict(r.Branch)
}

// convertedCheck looks at the data files of a branch.
type convertedCheck struct {
	// since are the snapshots that the branch has got since the plan.
	since map[int64]bool
	// global and byPlace are the greatest sequence numbers of the equality deletes
	// that apply to all data files, and to those of a partition.
	global  int64
	byPlace map[string]int64
	// needed are the data files with new position deletes that have not been seen,
	// late those that came since the plan and that the equality deletes apply to.
	needed, late map[string]bool
}

func newConvertedCheck(r Replace, d *snapshotDraft) *convertedCheck {
	c := &convertedCheck{since: snapshotsSince(d.meta, r.Since, d.parent), byPlace: map[string]int64{}, needed: map[string]bool{}, late: map[string]bool{}}
	for _, e := range r.Converted {
		if spec := d.meta.PartitionSpecByID(int(e.SpecID)); spec == nil || spec.IsUnpartitioned() {
			c.global = max(c.global, e.Sequence)
		} else {
			c.byPlace[e.Partition] = max(c.byPlace[e.Partition], e.Sequence)
		}
	}
	for _, path := range r.Needed {
		c.needed[path] = true
	}
	return c
}

// most is the greatest sequence number of all.
func (c *convertedCheck) most() int64 {
	most := c.global
	for _, s := range c.byPlace {
		most = max(most, s)
	}
	return most
}

func (c *convertedCheck) entry(e iceberg.ManifestEntry) {
	df, seq := e.DataFile(), e.SequenceNum()
	delete(c.needed, df.FilePath())
	if c.since[e.SnapshotID()] && (seq < c.global || seq < c.byPlace[PartitionKey(df)]) {
		c.late[df.FilePath()] = true
	}
}

func (c *convertedCheck) conflict(branch string) error {
	if len(c.late) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(c.late)))
		return &Conflict{Data: c.late, cause: fmt.Sprintf("%d data files to which equality deletes apply have been added since they were looked at, such as %q", len(c.late), first)}
	}
	if len(c.needed) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(c.needed)))
		return &Conflict{Data: c.needed, cause: fmt.Sprintf("%d data files whose rows were to be deleted by position are no longer part of branch %q, such as %q: another writer removed them", len(c.needed), branch, first)}
	}
	return nil
}
