package procedures

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/firndb/firn/maintenance"
)

// removeOrphanFiles is system.remove_orphan_files.
type removeOrphanFiles struct {
	table            string
	olderThan        *time.Time
	location         string
	dryRun           bool
	deletes          *int32
	fileListView     *string
	equalSchemes     map[string]string
	equalAuthorities map[string]string
	mismatch         string
	prefixListing    bool
	streamResults    bool
	neighbours       bool
	mode             string
}

// Info declares the procedure as Spark's RemoveOrphanFilesProcedure.
func (p *removeOrphanFiles) Info() Info {
	return Info{
		Name:  "remove_orphan_files",
		Doc:   "Removes files below a table's location that nothing in the table refers to.",
		Notes: orphanNotes(),
		Params: []Param{
			Required(StringParam(&p.table, "table", "the table")),
			WithDefault(TimestampParam(&p.olderThan, "older_than", "files last modified before this time go, at least 24 hours ago or what the setting `orphan-min-age` says; without a zone it is in the session's"), "three days ago"),
			WithDefault(StringParam(&p.location, "location", "where files are looked for"), "the table's location"),
			WithDefault(BoolParam(&p.dryRun, "dry_run", "list the files and delete none"), "false"),
			deletesArg(&p.deletes),
			WithDefault(optionalString(&p.fileListView, "file_list_view", "a table or view with the columns `file_path` (string) and `last_modified` (timestamp) that lists the files in place of what is there"), "none"),
			WithDefault(MapParam(&p.equalSchemes, "equal_schemes", "schemes, several with commas between, and the one they are the same as"), "map('s3a,s3n', 's3')"),
			WithDefault(MapParam(&p.equalAuthorities, "equal_authorities", "authorities, such as buckets, in the same way"), "none"),
			WithDefault(StringParam(&p.mismatch, "prefix_mismatch_mode", "what becomes of a file whose path is referenced under another scheme or authority: `error`, `ignore` or `delete`"), "error"),
			WithDefault(BoolParam(&p.prefixListing, "prefix_listing", "accepted for Spark's sake, without effect"), "false"),
			WithDefault(BoolParam(&p.streamResults, "stream_results", "list the first 20,000 files by name and delete all, whose number does not matter then for memory"), "false"),
			WithDefault(BoolParam(&p.neighbours, "include_neighbours", "whether what other tables of the catalog refer to counts, too, in place of a refusal when they have files at, in or around the location. Spark does not have it"), "false"),
			WithDefault(StringParam(&p.mode, "mode", "`delete`, or `tag`: the files stay and get an object tag, for a rule of S3 to delete them by. Spark does not have it"), "delete"),
		},
		Output: []Column{{Name: "orphan_file_location", Type: TypeString, Doc: "the files, by name"}},
	}
}

func orphanNotes() []string {
	return []string{
		"What stays: every file of every snapshot, whether a branch or tag leads to it or not; statistics; metadata files in the metadata " +
			"log; the version hint; files and folders whose names begin with a dot or an underscore, unless a partition field has the name; " +
			"files whose age is not known; files, however old, of calls that this server or another with the same `data-dir` is still running. Right before deleting, the table is read again if it has changed. If a manifest cannot be read, nothing is deleted.",
		"Unlike Spark, the call is refused if the location has the metadata of another table or view, or if another table of the catalog " +
			"has its location, or a `write.data.path` and the like, at, below or above it: that table's files would look like orphans. " +
			"A table with `gc.enabled` = false is refused. Files of the table that another table's manifests name, as after `add_files`, are not known to be in use.",
		"With `include_neighbours => true` one call cleans a place that many tables share, such as the `location` of a namespace: a file stays if any table of the catalog " +
			"that has a place at, in or around it refers to it. What is refused then is metadata of a table or view that the catalog does not have, and a neighbour with `gc.enabled` = false.",
		"With `stream_results`, memory does not grow with the number of files, all of which are deleted; a warning says how many more than " +
			"the listed ones there are. Without it, a call whose list does not fit into a quarter of `memory` is refused.",
		"`file_list_view` may be any table or view that a query can name, such as an inventory of the bucket. As in Spark, those files count whose " +
			"`file_path` begins with the location as it is spelled and whose `last_modified` is before `older_than`; hidden names count, too. " +
			"Unlike Spark, a location ends at a slash: `/ns/t` does not take in `/ns/t_2`. The view says which files there are; a deletion of one that is " +
			"not there is none.",
		"The setting `orphan-min-age` of firn.yaml, such as `1h`, allows an `older_than` less than 24 hours ago, which Spark does in its API only. It is " +
			"safe if every writer commits its files within that time.",
		"Local files are found in use through symbolic links, too, and whether `file:` locations in manifests are percent-encoded or not.",
		"With `mode => 'tag'`, in S3, the files get the object tag `" + maintenance.OrphanTag + "` = `" + maintenance.OrphanTagValue + "` beside the tags that they have; one that has it is not tagged again. " +
			"The answer lists all that are orphans, tagged now or before. See [operations](operations.md#deleting-orphan-files-later).",
		"A file that cannot be deleted or tagged is told by `SHOW WARNINGS` and does not fail the call.",
	}
}

// Plan lists the files.
func (p *removeOrphanFiles) Plan(ctx context.Context, env Env) (Plan, error) {
	options := maintenance.OrphanOptions{
		OlderThan: p.olderThan, Location: p.location,
		EqualSchemes: p.equalSchemes, EqualAuthorities: p.equalAuthorities, Mismatch: p.mismatch, Stream: p.streamResults, Neighbours: p.neighbours,
	}
	if p.fileListView != nil {
		if env.Files == nil {
			return nil, fmt.Errorf("%w: argument %q: there is nothing here that reads views", maintenance.ErrUnsupported, "file_list_view")
		}
		var err error
		if options.List, err = env.Files(ctx, *p.fileListView); err != nil {
			return nil, fmt.Errorf("argument %q: %w", "file_list_view", err)
		}
	}
	var err error
	if options.Tag, err = p.tags(); err != nil {
		return nil, err
	}
	if options.Deletes, err = concurrentDeletes(p.deletes); err != nil {
		return nil, err
	}
	tbl, err := env.LoadTable(ctx, p.table)
	if err != nil {
		return nil, err
	}
	orphans, err := maintenance.PlanOrphans(ctx, env.Env, tbl.Identifier(), options)
	if err != nil {
		return nil, err
	}
	return &orphanPlan{orphans: orphans, dryRun: p.dryRun, env: env}, nil
}

// tags says whether files are tagged in place of deleted.
func (p *removeOrphanFiles) tags() (bool, error) {
	switch strings.ToLower(p.mode) {
	case "", "delete":
		return false, nil
	case "tag":
		return true, nil
	}
	return false, fmt.Errorf("%w: argument %q must be delete or tag, got %q", ErrArgument, "mode", p.mode)
}

type orphanPlan struct {
	orphans *maintenance.Orphans
	dryRun  bool
	env     Env
}

// Steps lists the files.
func (p *orphanPlan) Steps() []Step {
	name := "table " + strings.Join(p.orphans.Table, ".")
	old := "last modified before " + p.orphans.OlderThan.Format(time.RFC3339Nano)
	action, reason := ActionDelete, "nothing refers to it; "+old
	if p.orphans.Options.Tag {
		action, reason = ActionTag, reason+"; gets the tag "+maintenance.OrphanTag+" = "+maintenance.OrphanTagValue
	}
	if p.dryRun {
		action, reason = ActionSkip, reason+"; dry run"
	}
	var steps []Step
	var named int64
	for _, f := range p.orphans.Files {
		steps = append(steps, Step{Action: action, Object: f.Path, FilesIn: 1, BytesIn: f.Bytes, Reason: reason})
		named += f.Bytes
	}
	if more := p.orphans.Count - int64(len(p.orphans.Files)); more > 0 {
		steps = append(steps, Step{Action: action, Object: fmt.Sprintf("%d more files", more), FilesIn: more, BytesIn: p.orphans.Bytes - named, Reason: reason})
	}
	if n := p.orphans.Spared; n > 0 {
		steps = append(steps, Step{Action: ActionSkip, Object: name, FilesIn: n, Reason: "files of calls that are still writing, as `system.journal` says; " + old})
	}
	if len(steps) == 0 {
		steps = []Step{{Action: ActionSkip, Object: name, Reason: "no orphan files " + old + " below " + p.orphans.Location}}
	}
	return steps
}

// Close gives back scratch space.
func (p *orphanPlan) Close() error { return p.orphans.Close() }

// Execute deletes the files, or tags them, unless it is a dry run, and lists them.
func (p *orphanPlan) Execute(ctx context.Context) ([]Row, error) {
	files := p.orphans.Files
	if !p.dryRun {
		result, err := p.orphans.Execute(ctx, p.env.Env)
		if err != nil {
			return nil, err
		}
		files = result.Files
	}
	if more := p.orphans.Count - int64(len(p.orphans.Files)); more > 0 && p.env.Warn != nil {
		p.env.Warn(fmt.Sprintf("the result lists the first %d files of %d; so does a dry run", len(p.orphans.Files), p.orphans.Count))
	}
	rows := make([]Row, len(files))
	for i, f := range files {
		rows[i] = Row{f.Path}
	}
	return rows, nil
}
