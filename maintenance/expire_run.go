package maintenance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/journal"
)

// ExpiryResult is what an expiry did.
type ExpiryResult struct {
	// Snapshots and Refs are how many went from the metadata.
	Snapshots, Refs int
	// Removed and RemovedBytes are by kind what was there and is gone.
	Removed      [fileKinds]int64
	RemovedBytes [fileKinds]int64
	// Failed are the files that could not be removed. Nothing refers to them.
	Failed []FailedRemoval
}

// Execute commits the plan, then removes its files. If the table has moved
// since, snapshots and refs are chosen anew by the same rules and the same
// clock, and the files are found from what was committed.
//
// An error after the commit says so; the files that are left are referenced by
// nothing. The error wraps ErrConflict, ErrCommitUnknown or ErrRefused, too.
func (p *Expiry) Execute(ctx context.Context, env Env) (ExpiryResult, error) {
	if p.Empty() {
		return ExpiryResult{}, nil
	}
	env = begin(env, "expire_snapshots")
	result, err := p.execute(ctx, env)
	env.Run.End()
	return result, err
}

func (p *Expiry) execute(ctx context.Context, env Env) (ExpiryResult, error) {
	plan, base := p, (*table.Table)(nil)
	committed, err := Commit(ctx, env, p.Table, func(ctx context.Context, tbl *table.Table) (*Change, error) {
		plan, base = p, tbl
		describe(env, tbl)
		if tbl.MetadataLocation() != p.Base {
			var err error
			if plan, err = planMetadata(ctx, env, tbl, p.Options, p.At); err != nil {
				return nil, err
			}
		}
		if plan.Empty() {
			return nil, nil
		}
		return plan.change(tbl.Metadata()), nil
	})
	if err != nil {
		return ExpiryResult{}, err
	}
	result := ExpiryResult{Snapshots: len(plan.Snapshots), Refs: len(plan.Refs)}
	if len(plan.Snapshots) == 0 {
		return result, nil
	}
	moved := plan != p || predecessor(committed) != base.MetadataLocation()
	if p.Options.KeepFiles {
		if moved {
			err = plan.checkLost(ctx, base, committed)
		}
		return result, err
	}
	files := plan.Files
	if moved {
		if files, err = plan.filesAfter(ctx, env, base, committed); err != nil {
			return result, fmt.Errorf("table %q: the snapshots are expired, but no file has been deleted: %w", strings.Join(p.Table, "."), err)
		}
	}
	env.Run.Free(&journal.Freed{Base: base.MetadataLocation(), Snapshots: slices.Sorted(maps.Keys(plan.expired()))})
	if err = plan.remove(ctx, env, committed, files, &result); err == nil && len(result.Failed) == 0 {
		env.Run.Free(nil)
	}
	return result, err
}

// change is the commit of the plan, made against meta.
func (p *Expiry) change(meta table.Metadata) *Change {
	change := &Change{Requirements: []table.Requirement{unchanged{Requirement: table.AssertTableUUID(meta.TableUUID()), base: meta}}}
	main := false
	for name, ref := range meta.Refs() {
		main = main || name == table.MainBranch
		change.Requirements = append(change.Requirements, table.AssertRefSnapshotID(name, &ref.SnapshotID))
	}
	if !main {
		change.Requirements = append(change.Requirements, table.AssertRefSnapshotID(table.MainBranch, nil))
	}
	for _, ref := range p.Refs {
		change.Updates = append(change.Updates, table.NewRemoveSnapshotRefUpdate(ref.Name))
	}
	if len(p.Snapshots) > 0 {
		ids := make([]int64, len(p.Snapshots))
		for i, s := range p.Snapshots {
			ids[i] = s.ID
		}
		change.Updates = append(change.Updates, table.NewRemoveSnapshotsUpdate(ids, false))
	}
	if len(p.Specs) > 0 {
		change.Updates = append(change.Updates, table.NewRemoveSpecUpdate(p.Specs))
	}
	if len(p.Schemas) > 0 {
		change.Updates = append(change.Updates, table.NewRemoveSchemasUpdate(p.Schemas))
	}
	change.Applied = p.applied
	return change
}

// applied says whether tbl lacks everything that the plan removes.
func (p *Expiry) applied(tbl *table.Table) bool {
	meta, expired := tbl.Metadata(), p.expired()
	for _, s := range meta.Snapshots() {
		if expired[s.SnapshotID] {
			return false
		}
	}
	for name, ref := range meta.Refs() {
		if slices.ContainsFunc(p.Refs, func(r ExpiredRef) bool { return r.Name == name && r.Snapshot == ref.SnapshotID }) {
			return false
		}
	}
	for _, spec := range meta.PartitionSpecs() {
		if slices.Contains(p.Specs, spec.ID()) {
			return false
		}
	}
	return !slices.ContainsFunc(meta.Schemas(), func(s *iceberg.Schema) bool { return slices.Contains(p.Schemas, s.ID) })
}

// filesAfter finds the files that the commit of the plan set free, from the
// table before and after it. A catalog that applies updates by itself may have
// applied them to a version newer than base; what was in between is looked at
// first. Nor can it be told from another expiry that came first, which removes
// files, too.
func (p *Expiry) filesAfter(ctx context.Context, env Env, base, committed *table.Table) ([]ExpiredFile, error) {
	if err := p.checkLost(ctx, base, committed); err != nil {
		return nil, err
	}
	return unreachable(ctx, env, base, p.expired(), committed.Metadata(), true)
}

// checkLost looks for refs that came into being after base and pointed at a
// snapshot that went with the commit. Iceberg has no requirement that would have
// refused the commit; the files of such a snapshot stay, so that the loss can be
// made good. The commit may have been followed by others before it was found, so
// that every version since base is looked at.
func (p *Expiry) checkLost(ctx context.Context, base, committed *table.Table) error {
	var lost error
	expired := p.expired()
	told, err := versionsSince(ctx, base, committed, func(meta table.Metadata) bool {
		for name, ref := range meta.Refs() {
			known := slices.ContainsFunc(p.Refs, func(r ExpiredRef) bool { return r.Name == name && r.Snapshot == ref.SnapshotID })
			if expired[ref.SnapshotID] && !known {
				lost = fmt.Errorf("%s %q was set to the expired snapshot %d at the same time and is lost", ref.SnapshotRefType, name, ref.SnapshotID)
			}
		}
		return lost != nil
	})
	if err != nil {
		return err
	}
	if !told {
		return fmt.Errorf("%w: the metadata log of the table does not tell any more which versions it had since it was read; the files are orphans, which %q finds", ErrRefused, "remove_orphan_files")
	}
	return lost
}

// remove removes files and counts them.
func (p *Expiry) remove(ctx context.Context, env Env, tbl *table.Table, files []ExpiredFile, result *ExpiryResult) error {
	store, err := tbl.FS(ctx)
	if err != nil {
		return fmt.Errorf("table %q: the snapshots are expired, but no file has been deleted: %w", strings.Join(p.Table, "."), err)
	}
	deletes := p.Options.Deletes
	if deletes == 0 {
		deletes = env.Limits.removals()
	}
	bytes := make(map[string]int64, len(files))
	for _, f := range files {
		bytes[f.Path] = f.Bytes
	}
	done := 0
	for _, kind := range FileKinds() {
		removal := env.removeFiles(ctx, store, pathsOf(files, kind), deletes)
		for _, path := range removal.Removed {
			result.Removed[kind]++
			result.RemovedBytes[kind] += bytes[path]
		}
		result.Failed = append(result.Failed, removal.Failed...)
		done += len(removal.Removed) + len(removal.Missing)
		env.Report(Update{Phase: PhaseRemove, Done: done, Total: len(files), Files: len(files)})
	}
	if err := ctx.Err(); err == nil {
		env.warnFailed(result.Failed, "those of expired snapshots, which nothing refers to; remove_orphan_files finds them")
	} else {
		return fmt.Errorf("table %q: the snapshots are expired; %d of %d files have been deleted: %w", strings.Join(p.Table, "."), done, len(files), err)
	}
	return nil
}

func pathsOf(files []ExpiredFile, kind FileKind) []string {
	var paths []string
	for _, f := range files {
		if f.Kind == kind {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// predecessor is the metadata file that tbl's version was made from, as its
// metadata log says; empty if it does not.
func predecessor(tbl *table.Table) string {
	last := ""
	for entry := range tbl.Metadata().PreviousFiles() {
		last = entry.MetadataFile
	}
	return last
}

// unchanged requires that the table is as it was read, refs and snapshots that
// nobody knew of included: Iceberg's own requirements cannot speak of those. The
// SQL, Hadoop, Hive and Glue catalogs ask it; a REST catalog sees only the
// assertion of the table's UUID, and Execute looks at what it did afterwards.
type unchanged struct {
	table.Requirement
	base table.Metadata
}

// Validate says whether meta is what the change was built against.
func (u unchanged) Validate(meta table.Metadata) error {
	if err := u.Requirement.Validate(meta); err != nil {
		return err
	}
	if !meta.Equals(u.base) {
		return fmt.Errorf("requirement failed: the table has changed since it was read")
	}
	return nil
}

// MarshalJSON writes the assertion of the table's UUID.
func (u unchanged) MarshalJSON() ([]byte, error) { return json.Marshal(u.Requirement) }
