package maintenance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/journal"
)

// Commit builds a change against the newest version of a table and commits it.
// When the catalog refuses it because the table has moved, the attempt's files
// are removed and the change is built anew, as often and as patiently as the
// table's commit.retry properties allow. It returns the table as committed, or
// as loaded if build returned no change.
//
// The error wraps ErrConflict when the retries are used up and ErrCommitUnknown
// when nobody can tell whether the change is part of the table; then none of
// its files has been removed. It wraps ErrRefused if the table is ahead of this
// machine's clock ([CheckClock]). An error of build is returned as it is.
func Commit(ctx context.Context, env Env, ident table.Identifier, build Build) (*table.Table, error) {
	base, err := env.Catalog.Load(ctx, ident)
	if err != nil {
		return nil, err
	}
	retry, started := retryOf(base.Properties()), env.now()
	for attempt := 0; ; attempt++ {
		change, err := build(ctx, base)
		if err != nil {
			return nil, err
		}
		if change == nil {
			return base, nil
		}
		if err := CheckClock(env, base); err != nil {
			discard(ctx, env, base, change)
			return nil, err
		}
		committed, err := attemptCommit(ctx, env, base, change)
		if err == nil {
			if env.Committed != nil && change.SnapshotID != 0 {
				env.Committed(change.SnapshotID)
			}
			pruneMetadata(ctx, env, base, committed)
			return committed, nil
		}
		var moved *refusal
		if !errors.As(err, &moved) {
			return nil, err
		}
		delay := retry.delay(attempt)
		if attempt >= retry.retries || env.now().Add(delay).Sub(started) > retry.timeout {
			return nil, fmt.Errorf("%w: table %q changed during each of %d attempts; run again, or raise %q: %w",
				ErrConflict, strings.Join(ident, "."), attempt+1, commitRetries, moved.cause)
		}
		env.Logger().Info("commit refused, will be tried again", "table", strings.Join(ident, "."), "attempt", attempt+1, "wait", delay, "cause", moved.cause)
		if err := env.wait(ctx, delay); err != nil {
			return nil, fmt.Errorf("commit to %q: %w", strings.Join(ident, "."), err)
		}
		base = moved.table
	}
}

// refusal says that a change is certainly not part of the table because the
// table moved on; it carries the table as it then was.
type refusal struct {
	table *table.Table
	cause error
}

func (r *refusal) Error() string { return r.cause.Error() }

// attemptCommit tries change once. The error is a *refusal when the table has
// moved, wraps ErrCommitUnknown when the outcome cannot be told, and is another
// error when the catalog will never accept the change. The attempt's files are
// removed unless it was committed or may have been.
func attemptCommit(ctx context.Context, env Env, base *table.Table, change *Change) (*table.Table, error) {
	if change.SnapshotID == 0 && change.Applied == nil {
		return nil, fmt.Errorf("%w: a change without a snapshot needs a way to tell that it was applied", ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		discard(ctx, env, base, change)
		return nil, err
	}
	ident := base.Identifier()
	reqs := append([]table.Requirement{table.AssertTableUUID(base.Metadata().TableUUID())}, change.Requirements...)
	env.Report(Update{Phase: PhaseCommit, Snapshot: change.SnapshotID})
	env.Run.Try(change.SnapshotID, base.MetadataLocation())
	meta, location, err := env.Catalog.Commit(ctx, ident, reqs, change.Updates)
	if err == nil {
		env.Run.Tried(journal.Committed)
		return table.New(ident, meta, location, base.FS, env.Catalog.Iceberg()), nil
	}
	kind := outcomeOf(err)
	now, found, looked := look(ctx, env, base, change, kind)
	if looked && !found && kind != outcomeUnknown {
		been, lookErr := change.hasBeenPart(context.WithoutCancel(ctx), base, now)
		if found = been; lookErr != nil {
			kind, err = outcomeUnknown, fmt.Errorf("%w: %w", lookErr, err)
		}
	}
	switch {
	case found:
		env.Run.Tried(journal.Committed)
		return now, nil
	case kind == outcomeUnknown || !looked:
		env.Run.Tried(journal.NotKnown)
		return nil, unknown(ident, change, err)
	}
	env.Run.Tried(journal.Refused)
	discard(ctx, env, base, change)
	if kind == outcomeRefused {
		return nil, &refusal{table: now, cause: err}
	}
	return nil, fmt.Errorf("commit to %q: %w", strings.Join(ident, "."), err)
}

// look re-reads the table to see whether change is part of it, on a context
// that outlives the caller's. A refusal is looked at too: what a client or a
// proxy sends twice is refused the second time because of the first. After an
// unknown outcome the change may still be on its way, so that the table is
// looked at several times before the search ends.
func look(ctx context.Context, env Env, base *table.Table, change *Change, kind outcome) (now *table.Table, found, looked bool) {
	check := checkOf(base.Properties())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), check.timeout)
	defer cancel()
	for attempt := 0; ; attempt++ {
		reloaded, err := env.Catalog.Load(ctx, base.Identifier())
		switch {
		case err != nil:
			env.Logger().Warn("table could not be read to find the outcome of a commit", "table", strings.Join(base.Identifier(), "."), "error", err)
		case change.partOf(reloaded):
			return reloaded, true, true
		default:
			now, looked = reloaded, true
			if kind != outcomeUnknown {
				return now, false, true
			}
		}
		if attempt >= check.retries || env.wait(ctx, check.delay(attempt)) != nil {
			return now, false, looked
		}
	}
}

// partOf says whether tbl has the change.
func (c *Change) partOf(tbl *table.Table) bool {
	if c.SnapshotID != 0 {
		return tbl.Metadata().SnapshotByID(c.SnapshotID) != nil
	}
	return c.Applied(tbl)
}

// unknown is the error for a commit whose outcome cannot be told.
func unknown(ident table.Identifier, change *Change, cause error) error {
	what := "look at the table"
	if change.SnapshotID != 0 {
		what = fmt.Sprintf("look for snapshot %d", change.SnapshotID)
	}
	return fmt.Errorf("%w: table %q: %s before running again; nothing has been deleted: %w", ErrCommitUnknown, strings.Join(ident, "."), what, cause)
}

// discard removes the files of an attempt that is certainly not part of the
// table. What cannot be removed is unreferenced and only takes space.
func discard(ctx context.Context, env Env, base *table.Table, change *Change) {
	if !removeQuietly(ctx, env, base, change.Written, "those of a commit that was refused, which nothing refers to") {
		env.Run.LeaveBehind()
	}
}
