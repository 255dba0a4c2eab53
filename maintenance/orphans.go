package maintenance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/catalog"
)

// OrphanOptions says which files of a table to remove. The zero value leaves it
// to the defaults.
type OrphanOptions struct {
	// OlderThan is the instant before which a file was last modified, at least
	// orphanAge ago; nil means three days ago.
	OlderThan *time.Time
	// Location is where files are looked for; empty means the table's.
	Location string
	// EqualSchemes and EqualAuthorities give schemes and authorities, several with
	// commas between, the one they are the same as.
	EqualSchemes, EqualAuthorities map[string]string
	// Mismatch says what becomes of a file whose path is referenced under another
	// scheme or authority: error (the default), ignore or delete.
	Mismatch string
	// Deletes is how many files are removed at once; 0 leaves it to the limits.
	Deletes int
}

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
	// Files are sorted by path.
	Files []OrphanFile
}

// OrphanFile is a file that nothing refers to.
type OrphanFile struct {
	Path  string
	Bytes int64
}

// PlanOrphans lists the files below a location and finds those that no snapshot,
// statistics entry or metadata log entry of the table names (Java's
// DeleteOrphanFilesSparkAction). Names that begin with a dot or an underscore are
// passed over unless a partition field has the name.
//
// The error wraps ErrInvalid for an option that is not allowed, and ErrRefused if
// the table has gc.enabled = false or another table's files are there, too.
func PlanOrphans(ctx context.Context, env Env, ident table.Identifier, options OrphanOptions) (*Orphans, error) {
	tbl, err := env.Catalog.Load(ctx, ident)
	if err != nil {
		return nil, err
	}
	plan, err := planOrphans(ctx, env, tbl, options)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w; nothing has been deleted", strings.Join(ident, "."), err)
	}
	return plan, nil
}

func planOrphans(ctx context.Context, env Env, tbl *table.Table, options OrphanOptions) (*Orphans, error) {
	if err := checkCollectable(tbl); err != nil {
		return nil, err
	}
	plan := &Orphans{Table: tbl.Identifier(), Base: tbl.MetadataLocation(), Options: options, Location: strings.TrimRight(options.Location, "/")}
	if options.Location == "" {
		plan.Location = strings.TrimRight(tbl.Location(), "/")
	}
	plan.Location = literal(plan.Location)
	now := env.now()
	plan.OlderThan = now.Add(-orphanDefaultAge).UTC()
	if options.OlderThan != nil {
		plan.OlderThan = options.OlderThan.UTC()
	}
	if plan.OlderThan.After(now.Add(-orphanAge)) {
		return nil, fmt.Errorf("%w: %q must be at least 24 hours ago, got %s: cannot remove orphan files with an interval less than 24 hours, because files that a running writer has yet to commit would go", ErrInvalid, "older_than", stamp(plan.OlderThan))
	}
	rules, err := newPathRules(options)
	if err != nil {
		return nil, err
	}
	if err := checkNeighbours(ctx, env, tbl, plan.Location, rules); err != nil {
		return nil, err
	}
	used, err := referencedFiles(ctx, env, tbl, rules)
	if err != nil {
		return nil, err
	}
	scan := &orphanScan{plan: plan, tbl: tbl, used: used}
	if err := scan.run(ctx); err != nil {
		return nil, err
	}
	return plan, used.conflict()
}

// checkCollectable refuses a table whose files must not be deleted.
func checkCollectable(tbl *table.Table) error {
	if !tbl.Properties().GetBool("gc.enabled", true) {
		return fmt.Errorf("%w: cannot delete orphan files: the table property %q is false, because deleting files may corrupt other tables", ErrRefused, "gc.enabled")
	}
	return nil
}

// Execute removes the files, but for those that the table, read anew, refers to by
// now. A file that cannot be removed is a warning and does not stop the others. It
// returns the files that the plan named and that were still not referenced.
func (p *Orphans) Execute(ctx context.Context, env Env) ([]OrphanFile, error) {
	if len(p.Files) == 0 {
		return nil, nil
	}
	tbl, err := env.Catalog.Load(ctx, p.Table)
	if err != nil {
		return nil, err
	}
	files, err := p.stillUnused(ctx, env, tbl)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w; nothing has been deleted", strings.Join(p.Table, "."), err)
	}
	store, err := tbl.FS(ctx)
	if err != nil {
		return nil, err
	}
	deletes := p.Options.Deletes
	if deletes == 0 {
		deletes = env.Limits.removals()
	}
	const batch = 16 * catalog.MostBulk
	var failed failures
	for from := 0; from < len(files); from += batch {
		var paths []string
		for _, f := range files[from:min(from+batch, len(files))] {
			paths = append(paths, exact(f.Path))
		}
		failed.add(env.removeFiles(ctx, store, paths, deletes).Failed)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("table %q: some of %d orphan files have been deleted: %w", strings.Join(p.Table, "."), len(files), err)
		}
		env.Report(Update{Phase: PhaseRemove, Done: from + len(paths), Total: len(files), Files: len(files)})
	}
	failed.warn(env, "orphan files, which the next call finds again")
	return files, nil
}

// stillUnused are the plan's files that tbl does not refer to.
func (p *Orphans) stillUnused(ctx context.Context, env Env, tbl *table.Table) ([]OrphanFile, error) {
	if p.Base != "" && tbl.MetadataLocation() == p.Base {
		return p.Files, nil
	}
	if err := checkCollectable(tbl); err != nil {
		return nil, err
	}
	rules, err := newPathRules(p.Options)
	if err != nil {
		return nil, err
	}
	used, err := referencedFiles(ctx, env, tbl, rules)
	if err != nil {
		return nil, err
	}
	var files []OrphanFile
	for _, f := range p.Files {
		if used.orphan(f.Path) {
			files = append(files, f)
		}
	}
	return files, used.conflict()
}
