package procedures

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/spelling"
)

// expireSnapshots is system.expire_snapshots.
type expireSnapshots struct {
	table         string
	olderThan     *time.Time
	retainLast    *int32
	deletes       *int32
	streamResults bool
	snapshotIDs   []int64
	cleanMetadata bool
	cleanFiles    *bool
}

// Info declares the procedure as Spark's ExpireSnapshotsProcedure.
func (p *expireSnapshots) Info() Info {
	return Info{
		Name:  "expire_snapshots",
		Doc:   "Removes old snapshots, with the branches and tags that have outlived their age, and the files that only they need.",
		Notes: expireNotes(),
		Params: []Param{
			Required(StringParam(&p.table, "table", "the table")),
			WithDefault(TimestampParam(&p.olderThan, "older_than", "snapshots from before this time are old; without a zone it is in the session's"),
				"now less `history.expire.max-snapshot-age-ms` (5 days)"),
			WithDefault(IntParam(&p.retainLast, "retain_last", "how many ancestors of each branch stay however old they are, at least 1; a branch's own `min-snapshots-to-keep` goes first"),
				"`history.expire.min-snapshots-to-keep` (1)"),
			deletesArg(&p.deletes),
			WithDefault(BoolParam(&p.streamResults, "stream_results", "accepted for Spark's sake, without effect"), "false"),
			WithDefault(LongsParam(&p.snapshotIDs, "snapshot_ids", "snapshots to expire whatever their age; none that a branch or tag points at"), "none"),
			WithDefault(BoolParam(&p.cleanMetadata, "clean_expired_metadata", "also remove partition specs and schemas that no remaining snapshot uses"), "false"),
			WithDefault(optionalBool(&p.cleanFiles, "clean_expired_files", "whether files are deleted at all; with false they are left, none is looked for and all counts are 0. Spark does not have it"), "true"),
		},
		Output: expireColumns(),
	}
}

func expireNotes() []string {
	return []string{
		"What stays: the snapshot of every branch and tag; of each branch, the newest `retain_last` and those not older than `older_than`; " +
			"and snapshots that no branch or tag leads to, such as staged ones, while they are not old. A branch's or tag's own retention " +
			"goes before the arguments. A branch or tag other than main whose snapshot is older than its `max-ref-age-ms`, or " +
			"`history.expire.max-ref-age-ms`, goes too. These are the rules of Iceberg's Java library.",
		"The commit comes first; files are deleted after it, and only those that no remaining snapshot and no remaining statistics " +
			"entry needs. If a manifest cannot be read, nothing is committed or deleted. A file that cannot be deleted is told by `SHOW WARNINGS` and does not " +
			"fail the call. S3 does not tell whether an object was there: one that was not counts as deleted, as in Spark. The preview names the resolved `older_than` in UTC. A table with `gc.enabled` = false is refused.",
		"With `clean_expired_files => false` the files can be deleted later: `remove_orphan_files` finds them by their age, and until then the table can be rolled back " +
			"to an older metadata file.",
		"A branch, tag or snapshot that another client makes between the reading and the commit makes the call choose anew. A REST " +
			"catalog cannot be asked to check for that: if it has let such a tag be lost, the call says so and deletes no file.",
	}
}

// expireColumns are Spark's, in the order of maintenance.FileKinds.
func expireColumns() []Column {
	column := func(name, what string) Column {
		return Column{Name: name, Type: TypeLong, Nullable: true, Doc: what + " that were there and have been deleted"}
	}
	return []Column{
		column("deleted_data_files_count", "data files"),
		column("deleted_position_delete_files_count", "files of position deletes, or of deletion vectors,"),
		column("deleted_equality_delete_files_count", "files of equality deletes"),
		column("deleted_manifest_files_count", "manifests"),
		column("deleted_manifest_lists_count", "manifest lists"),
		column("deleted_statistics_files_count", "statistics and partition statistics files"),
	}
}

// Plan decides what goes. An option that is not allowed, or a table that does
// not allow its files to be deleted, is an error.
func (p *expireSnapshots) Plan(ctx context.Context, env Env) (Plan, error) {
	options := maintenance.ExpireOptions{OlderThan: p.olderThan, RetainLast: whole(p.retainLast), SnapshotIDs: p.snapshotIDs, CleanMetadata: p.cleanMetadata}
	options.KeepFiles = p.cleanFiles != nil && !*p.cleanFiles
	var err error
	if options.Deletes, err = concurrentDeletes(p.deletes); err != nil {
		return nil, err
	}
	tbl, err := env.LoadTable(ctx, p.table)
	if err != nil {
		return nil, err
	}
	expiry, err := maintenance.PlanExpiry(ctx, env.Env, tbl.Identifier(), options)
	if err != nil {
		return nil, err
	}
	return &expirePlan{expiry: expiry, env: env}, nil
}

type expirePlan struct {
	expiry *maintenance.Expiry
	env    Env
}

// Steps lists the snapshots and refs that go, the commit, the deletions by
// kind, and last what stays.
func (p *expirePlan) Steps() []Step {
	name := strings.Join(p.expiry.Table, ".")
	old := "snapshots before " + p.expiry.OlderThan.Format(time.RFC3339Nano) + " are old"
	if p.expiry.Empty() {
		return []Step{{Action: ActionSkip, Object: "table " + name, Reason: "nothing to expire; " + old}, p.kept()}
	}
	return append(append(p.metadata(name, old), p.deletions(name)...), p.kept())
}

// kept says what the procedure is not for.
func (p *expirePlan) kept() Step {
	return Step{
		Action: ActionSkip, Object: spelling.Count(p.expiry.Kept, "snapshot"),
		Reason: "kept, with every file read there, however old it is; files that no snapshot names are left to remove_orphan_files",
	}
}

// metadata lists what the commit removes, and the commit.
func (p *expirePlan) metadata(name, old string) []Step {
	var steps []Step
	for _, ref := range p.expiry.Refs {
		steps = append(steps, Step{Action: ActionExpire, Object: fmt.Sprintf("%s %s", ref.Type, ref.Name), Reason: ref.Reason})
	}
	for _, s := range p.expiry.Snapshots {
		steps = append(steps, Step{Action: ActionExpire, Object: fmt.Sprintf("snapshot %d", s.ID), Reason: strings.TrimSpace(s.Operation + " " + s.Reason)})
	}
	for _, id := range p.expiry.Specs {
		steps = append(steps, Step{Action: ActionExpire, Object: fmt.Sprintf("partition spec %d", id), Reason: "no remaining snapshot uses it"})
	}
	for _, id := range p.expiry.Schemas {
		steps = append(steps, Step{Action: ActionExpire, Object: fmt.Sprintf("schema %d", id), Reason: "no remaining snapshot uses it"})
	}
	return append(steps, Step{Action: ActionCommit, Object: "table " + name, Reason: old})
}

// deletions lists the files that go, by kind.
func (p *expirePlan) deletions(name string) []Step {
	if p.expiry.Options.KeepFiles {
		return []Step{{Action: ActionSkip, Object: "table " + name, Reason: "no file is looked for or deleted: \"clean_expired_files\" is false"}}
	}
	var steps []Step
	for _, kind := range maintenance.FileKinds() {
		step := Step{Action: ActionDelete, Object: kind.String(), Reason: "only expired snapshots need them"}
		if kind == maintenance.ManifestListFile {
			step.Reason += "; their bytes are not known"
		}
		for _, f := range p.expiry.Files {
			if f.Kind == kind {
				step.FilesIn++
				step.BytesIn += f.Bytes
			}
		}
		if step.FilesIn > 0 {
			steps = append(steps, step)
		}
	}
	return steps
}

// Execute commits, then deletes, and returns the row of counts.
func (p *expirePlan) Execute(ctx context.Context) ([]Row, error) {
	result, err := p.expiry.Execute(ctx, p.env.Env)
	if err != nil {
		return nil, err
	}
	row := make(Row, len(result.Removed))
	for i, n := range result.Removed {
		row[i] = n
	}
	return []Row{row}, nil
}
