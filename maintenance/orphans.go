package maintenance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/journal"
)

// OrphanOptions says which files of a table to remove. The zero value leaves it
// to the defaults.
type OrphanOptions struct {
	// OlderThan is the instant before which a file was last modified, at least
	// Limits.OrphanAge ago; nil means three days ago, or so long.
	OlderThan *time.Time
	// Location is where files are looked for; empty means the table's.
	Location string
	// EqualSchemes and EqualAuthorities give schemes and authorities, several with
	// commas between, the one they are the same as.
	EqualSchemes, EqualAuthorities map[string]string
	// Mismatch says what becomes of a file whose path is referenced under another
	// scheme or authority: error (the default), ignore or delete.
	Mismatch string
	// Neighbours counts what other tables of the catalog refer to that have a place
	// at, in or around the location; otherwise such a location is refused.
	Neighbours bool
	// Tag gives the files an object tag, OrphanTag, in place of removing them.
	Tag bool
	// Deletes is how many files are removed or tagged at once; 0 leaves it to the limits.
	Deletes int
	// List hands over the files that are looked at, in place of what is there; nil
	// means what is there.
	List FileList
	// Stream bounds memory whatever is found: the plan names the first files only.
	Stream bool
}

// FileList hands files to use, one after the other: their locations and when they
// were last modified. Those whose time is zero stay.
type FileList func(ctx context.Context, use func(location string, modified time.Time) error) error

// The least and the usual age of files that are removed, as of Spark's procedure.
const (
	orphanAge        = 24 * time.Hour
	orphanDefaultAge = 3 * 24 * time.Hour
)

// Orphans is a plan to remove files: a value that says which.
type Orphans struct {
	// Table is the table and Base the metadata file that the plan was made from.
	Table table.Identifier
	Base  string
	// Location is where files were looked for, OlderThan, in UTC, before when they
	// were last modified.
	Location  string
	OlderThan time.Time
	Options   OrphanOptions
	// Files are sorted by path: all of them, or if they are streamed, the first.
	Files []OrphanFile
	// Count is how many files there are, Bytes how long they are together.
	Count, Bytes int64
	// Spared is how many other files nothing refers to yet, because a run that the
	// journal knows is still writing them.
	Spared int64

	// bases are the metadata files of all tables that the plan was made from.
	bases []string
	// spill has all files if Files has not.
	spill *orphanSpill
}

// OrphanFile is a file that nothing refers to.
type OrphanFile struct {
	Path  string
	Bytes int64
}

// PlanOrphans lists the files below a location and finds those that no snapshot,
// statistics entry or metadata log entry of the table names (Java's
// DeleteOrphanFilesSparkAction). Names that begin with a dot or an underscore are
// passed over unless a partition field has the name, and so are files, however old, of
// runs in the journal that are at work.
//
// The error wraps ErrInvalid for an option that is not allowed, and ErrRefused if
// the table has gc.enabled = false or another table's files are there, too.
func PlanOrphans(ctx context.Context, env Env, ident table.Identifier, options OrphanOptions) (*Orphans, error) {
	// What a run that is not among them has written is in the table, or never will
	// be.
	live, err := env.liveRuns()
	if err != nil {
		return nil, err
	}
	tbl, err := env.Catalog.Load(ctx, ident)
	if err != nil {
		return nil, err
	}
	plan, err := planOrphans(ctx, env, tbl, live, options)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w; nothing has been deleted", strings.Join(ident, "."), err)
	}
	return plan, nil
}

// liveRuns are in the names of files that runs are writing. Nothing is removed if
// they cannot be told.
func (e Env) liveRuns() (journal.Names, error) {
	live, err := e.Journal.Live()
	if err != nil {
		return nil, fmt.Errorf("%w: %w; nothing has been deleted", ErrRefused, err)
	}
	return live, nil
}

func planOrphans(ctx context.Context, env Env, tbl *table.Table, live journal.Names, options OrphanOptions) (*Orphans, error) {
	if err := checkCollectable(tbl); err != nil {
		return nil, err
	}
	plan := &Orphans{Table: tbl.Identifier(), Base: tbl.MetadataLocation(), Options: options, Location: strings.TrimRight(options.Location, "/")}
	if options.Location == "" {
		plan.Location = strings.TrimRight(tbl.Location(), "/")
	}
	plan.Location = literal(plan.Location)
	if err := plan.setAge(env); err != nil {
		return nil, err
	}
	rules, err := newPathRules(options)
	if err != nil {
		return nil, err
	}
	if err := plan.checkScheme(tbl, rules); err != nil {
		return nil, err
	}
	if err := plan.checkTags(ctx, tbl); err != nil {
		return nil, err
	}
	tables, err := plan.tables(ctx, env, tbl, rules)
	if err != nil {
		return nil, err
	}
	plan.bases = versions(tables)
	used, err := referencedFiles(ctx, env, tables, rules)
	if err != nil {
		return nil, err
	}
	defer used.close()
	found := &orphanList{stream: options.Stream, sample: mostStreamed, memory: env.Limits.memory() / 4, scratch: used.scratch}
	scan := &orphanScan{env: env, plan: plan, tables: tables, used: used, live: live, found: found}
	if err = scan.run(ctx); err == nil {
		err = used.conflict()
	}
	if err == nil {
		err = found.finish(plan)
	}
	plan.Spared = scan.spared.Load()
	if err != nil {
		found.discard()
		return nil, err
	}
	return plan, nil
}

// checkScheme refuses a location that the table's file system cannot list.
func (p *Orphans) checkScheme(tbl *table.Table, rules pathRules) error {
	if p.Options.List != nil {
		return nil
	}
	here, _ := rules.split(p.Location)
	its, _ := rules.split(tbl.MetadataLocation())
	here, _, _ = strings.Cut(here, "://")
	its, _, _ = strings.Cut(its, "://")
	if here != its {
		return fmt.Errorf("%w: %q must be in the table's file system, %s://, got %q", ErrInvalid, "location", its, p.Location)
	}
	return nil
}

// setAge decides how old files must be.
func (p *Orphans) setAge(env Env) error {
	now, least := env.now(), env.Limits.orphanAge()
	p.OlderThan = now.Add(-max(orphanDefaultAge, least)).UTC()
	if p.Options.OlderThan != nil {
		p.OlderThan = p.Options.OlderThan.UTC()
	}
	if p.OlderThan.After(now.Add(-least)) {
		return fmt.Errorf("%w: %q must be at least %s ago, got %s: cannot remove orphan files with an interval less than %s, because files that a running writer has yet to commit would go; the server's setting %q says how much less may be",
			ErrInvalid, "older_than", hours(least), stamp(p.OlderThan), hours(least), "orphan-min-age")
	}
	return nil
}

// hours is a duration in words.
func hours(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return d.String()
}

// orphanAge is the least age of orphan files that are removed.
func (l Limits) orphanAge() time.Duration {
	if l.OrphanAge > 0 {
		return l.OrphanAge
	}
	return orphanAge
}

// checkCollectable refuses a table whose files must not be deleted.
func checkCollectable(tbl *table.Table) error {
	if !tbl.Properties().GetBool("gc.enabled", true) {
		return fmt.Errorf("%w: cannot delete orphan files: the table property %q is false, because deleting files may corrupt other tables", ErrRefused, "gc.enabled")
	}
	return nil
}
