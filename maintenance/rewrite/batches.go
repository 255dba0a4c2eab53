package rewrite

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
	"github.com/firndb/firn/maintenance"
)

// batches writes groups side by side and commits what became of them: all in one
// commit, or with partial progress in batches as groups finish.
type batches[R any] struct {
	options Options
	// write writes a group and cleans up if it fails.
	write func(ctx context.Context, group int) (R, error)
	// replace is the commit of a batch, discard removes its files.
	replace func(batch []R) maintenance.Build
	commit  func(ctx context.Context, build maintenance.Build) error
	discard func(ctx context.Context, batch []R)
	// Partial progress tells skipped of a group that could not be written, and
	// dropped of a batch that could not be committed.
	skipped func(group int, err error)
	dropped func(batch []R, err error)
	// touched are the groups of a batch that a conflict concerns, and the others,
	// which are committed without them. It may be nil: then all are.
	touched func(batch []R, conflict *maintenance.Conflict) (hit, rest []R)
	// retired is told of groups that a conflict concerns, whose files are removed.
	retired func(groups []R, err error)
	// count and finished are told of batches committed and of each group written.
	count    func(batch []R)
	finished func()

	// committing admits one commit at a time.
	committing sync.Mutex

	mu    sync.Mutex
	ready []R
	per   int
	// unknown is the error of a commit of unknown outcome. It must not be lost
	// among those of other groups.
	unknown error
}

// run returns when nothing is under way any more. Batches that are not part of
// the table have been discarded, unless the outcome of their commit is unknown.
func (b *batches[R]) run(ctx context.Context, groups int) error {
	b.per = b.options.groupsPerCommit(groups)
	eg, gctx := errgroup.WithContext(ctx)
	eg.SetLimit(int(b.options.ConcurrentGroups))
	for i := range groups {
		guard.Go(eg, func() error { return b.group(gctx, i) })
	}
	err := eg.Wait()
	for batch := b.take(1); len(batch) > 0; batch = b.take(1) {
		if err != nil {
			b.discard(ctx, batch)
			continue
		}
		err = b.put(ctx, batch)
	}
	if b.unknown != nil {
		return b.unknown
	}
	return err
}

// group writes one group and commits a batch if enough groups are ready.
func (b *batches[R]) group(ctx context.Context, index int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := b.write(ctx, index)
	if err != nil {
		if !b.options.PartialProgress || ctx.Err() != nil {
			return err
		}
		b.skipped(index, err)
		return nil
	}
	b.mu.Lock()
	b.ready = append(b.ready, r)
	b.mu.Unlock()
	b.finished()
	if !b.options.PartialProgress {
		return nil
	}
	if batch := b.take(b.per); len(batch) > 0 {
		return b.put(ctx, batch)
	}
	return nil
}

// take takes a batch of at most b.per groups if at least n are ready.
func (b *batches[R]) take(n int) []R {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) < n {
		return nil
	}
	size := min(b.per, len(b.ready))
	batch := append([]R(nil), b.ready[:size]...)
	b.ready = b.ready[size:]
	return batch
}

// put makes a batch part of the table. A conflict retires the groups that it
// concerns; with partial progress a batch that cannot be committed is dropped.
func (b *batches[R]) put(ctx context.Context, batch []R) error {
	b.committing.Lock()
	defer b.committing.Unlock()
	var err error
	for len(batch) > 0 {
		err = b.commit(ctx, b.replace(batch))
		switch {
		case err == nil:
			b.count(batch)
			return nil
		case errors.Is(err, maintenance.ErrCommitUnknown):
			// The files may be part of the table.
			b.mu.Lock()
			defer b.mu.Unlock()
			b.unknown = err
			return err
		}
		rest, ok := b.retire(ctx, batch, err)
		if !ok {
			break
		}
		batch = rest
	}
	if len(batch) == 0 {
		return nil
	}
	b.discard(ctx, batch)
	if !b.options.PartialProgress || ctx.Err() != nil {
		return err
	}
	b.dropped(batch, err)
	return nil
}

// retire gives up the groups of a batch that a conflict concerns. It reports
// false if err is no such conflict.
func (b *batches[R]) retire(ctx context.Context, batch []R, err error) (rest []R, ok bool) {
	var conflict *maintenance.Conflict
	if b.touched == nil || ctx.Err() != nil || !errors.As(err, &conflict) {
		return batch, false
	}
	hit, rest := b.touched(batch, conflict)
	if len(hit) == 0 {
		return batch, false
	}
	b.discard(ctx, hit)
	b.retired(hit, err)
	return rest, true
}
