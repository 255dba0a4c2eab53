package maintenance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"
)

// ExpireOptions says which snapshots of a table to expire. The zero value
// leaves it to the table's properties.
type ExpireOptions struct {
	// OlderThan is the instant, cut to milliseconds, before which a snapshot is
	// old; nil means now less history.expire.max-snapshot-age-ms.
	OlderThan *time.Time
	// RetainLast is how many ancestors of each branch stay however old they
	// are; nil means history.expire.min-snapshots-to-keep.
	RetainLast *int
	// SnapshotIDs are to be expired whatever their age. Ids that the table does
	// not have are passed over.
	SnapshotIDs []int64
	// CleanMetadata also removes the partition specs and schemas that no
	// remaining snapshot uses.
	CleanMetadata bool
	// KeepFiles deletes no files: they are orphans from then on. None is looked for.
	KeepFiles bool
	// Deletes is how many files are removed at once; 0 leaves it to the limits.
	Deletes int
}

// validate checks what does not depend on a table.
func (o ExpireOptions) validate() error {
	if o.RetainLast != nil && *o.RetainLast < 1 {
		return fmt.Errorf("%w: %q must be at least 1, got %d; each branch keeps its newest snapshot", ErrInvalid, "retain_last", *o.RetainLast)
	}
	if o.Deletes < 0 {
		return fmt.Errorf("%w: %q must be at least 1, got %d", ErrInvalid, "max_concurrent_deletes", o.Deletes)
	}
	return nil
}

// Expiry is a plan to expire snapshots: a value that says what will be removed.
type Expiry struct {
	// Table is the table and Base the metadata file that the plan was made from.
	Table table.Identifier
	Base  string
	// At is the time of planning, OlderThan the instant before which snapshots
	// count as old, both in UTC and milliseconds.
	At, OlderThan time.Time
	Options       ExpireOptions
	// Kept is how many snapshots stay, with every file that they need.
	Kept int
	// Snapshots and Refs go away with the commit, and so do Specs and Schemas,
	// which are ids.
	Snapshots      []ExpiredSnapshot
	Refs           []ExpiredRef
	Specs, Schemas []int
	// Files are removed after the commit, in this order.
	Files []ExpiredFile
}

// ExpiredSnapshot is a snapshot that goes away.
type ExpiredSnapshot struct {
	ID        int64
	Committed time.Time
	Operation string
	// Reason says why, for a person.
	Reason string
}

// ExpiredRef is a branch or tag that goes away because of its age.
type ExpiredRef struct {
	Name     string
	Type     table.RefType
	Snapshot int64
	Reason   string
}

// FileKind is what a file is to the table.
type FileKind int

// The kinds of files, in the order in which they are removed.
const (
	DataFile FileKind = iota
	PositionDeleteFile
	EqualityDeleteFile
	ManifestFile
	ManifestListFile
	StatisticsFile
	fileKinds
)

// FileKinds lists the kinds in order.
func FileKinds() []FileKind {
	kinds := make([]FileKind, fileKinds)
	for i := range kinds {
		kinds[i] = FileKind(i)
	}
	return kinds
}

// String is the kind in words.
func (k FileKind) String() string {
	return [...]string{"data files", "position delete files", "equality delete files", "manifests", "manifest lists", "statistics files"}[k]
}

// ExpiredFile is a file that nothing retained needs.
type ExpiredFile struct {
	Kind FileKind
	Path string
	// Bytes is its length, 0 where the metadata does not tell: it is known for
	// all but manifest lists.
	Bytes int64
}

// Empty says whether there is nothing to do.
func (p *Expiry) Empty() bool {
	return len(p.Snapshots) == 0 && len(p.Refs) == 0 && len(p.Specs) == 0 && len(p.Schemas) == 0
}

// PlanExpiry reads a table and says what expiring its snapshots will remove.
// The error wraps ErrInvalid for an option that is not allowed and ErrRefused
// when gc.enabled is false. A manifest that cannot be read is an error, too:
// what it names cannot be told from what is free.
func PlanExpiry(ctx context.Context, env Env, ident table.Identifier, options ExpireOptions) (*Expiry, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	tbl, err := env.Catalog.Load(ctx, ident)
	if err != nil {
		return nil, err
	}
	plan, err := planMetadata(ctx, env, tbl, options, env.now())
	if err != nil || plan.Empty() || options.KeepFiles {
		return plan, err
	}
	plan.Files, err = unreachable(ctx, env, tbl, plan.expired(), tbl.Metadata(), false)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w; nothing has been changed", strings.Join(ident, "."), err)
	}
	return plan, nil
}

// planMetadata decides what goes from the metadata; it leaves out the files.
func planMetadata(ctx context.Context, env Env, tbl *table.Table, options ExpireOptions, at time.Time) (*Expiry, error) {
	meta := tbl.Metadata()
	rules, err := retentionOf(meta, options, at)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", strings.Join(tbl.Identifier(), "."), err)
	}
	plan := &Expiry{
		Table: tbl.Identifier(), Base: tbl.MetadataLocation(), Options: options,
		At: utcMillis(rules.now), OlderThan: utcMillis(rules.olderThan),
	}
	kept := rules.keep()
	if plan.Refs, err = rules.refs, rules.checkIDs(); err != nil {
		return nil, fmt.Errorf("table %q: %w", strings.Join(tbl.Identifier(), "."), err)
	}
	for _, s := range rules.snapshots {
		if kept[s.SnapshotID] && !slices.Contains(options.SnapshotIDs, s.SnapshotID) {
			plan.Kept++
			continue
		}
		plan.Snapshots = append(plan.Snapshots, rules.expired(s, kept))
	}
	if options.CleanMetadata {
		plan.Specs, plan.Schemas, err = unusedMetadata(ctx, env, tbl, plan.expired())
	}
	return plan, err
}

// expired is the set of the snapshots that the plan removes.
func (p *Expiry) expired() map[int64]bool {
	set := make(map[int64]bool, len(p.Snapshots))
	for _, s := range p.Snapshots {
		set[s.ID] = true
	}
	return set
}

func utcMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
