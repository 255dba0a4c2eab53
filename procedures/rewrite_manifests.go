package procedures

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// rewriteManifests is system.rewrite_manifests.
type rewriteManifests struct {
	table      string
	useCaching bool
	specID     *int32
	sortBy     []string
}

// Info declares the procedure as Spark's RewriteManifestsProcedure.
func (p *rewriteManifests) Info() Info {
	return Info{
		Name:  "rewrite_manifests",
		Doc:   "Writes the manifests of main anew, with the entries of one partition side by side, so that a query reads few of them.",
		Notes: manifestNotes(),
		Params: []Param{
			Required(StringParam(&p.table, "table", "the table")),
			WithDefault(BoolParam(&p.useCaching, "use_caching", "accepted for Spark's sake, without effect"), "false"),
			WithDefault(IntParam(&p.specID, "spec_id", "the partition spec whose manifests are rewritten"), "the table's current spec"),
			WithDefault(StringsParam(&p.sortBy, "sort_by", "partition fields of the spec, by name, by which entries are put together, the first before the others"), "all, in the spec's order"),
		},
		Output: []Column{
			{Name: "rewritten_manifests_count", Type: TypeInt, Doc: "manifests that are no longer used"},
			{Name: "added_manifests_count", Type: TypeInt, Doc: "manifests that took their place"},
		},
	}
}

func manifestNotes() []string {
	return []string{
		"Data files and their entries stay as they are: status, snapshot, sequence numbers, row ids and statistics. Data manifests and " +
			"delete manifests are looked at apart. New ones have about `commit.manifest.target-size-bytes` each (8 MiB), within one partition, too. " +
			"The files of the old ones stay until `expire_snapshots` removes them.",
		"Unlike in Spark, a second call does nothing: manifests that an earlier rewrite has put in order stay, even if there are several or one " +
			"is up to a fifth larger than wanted. The snapshot's summary has the number of entries under `entries-processed`, where Spark writes 0.",
		"What other writers commit meanwhile stays. If one of them replaces a manifest that was to be rewritten, the call plans anew.",
	}
}

// Plan reads the manifests.
func (p *rewriteManifests) Plan(ctx context.Context, env Env) (Plan, error) {
	if p.sortBy != nil && len(p.sortBy) == 0 {
		return nil, fmt.Errorf("%w: argument %q must name at least one partition field, or be left out", ErrArgument, "sort_by")
	}
	options := maintenance.ManifestOptions{SortBy: p.sortBy}
	if p.specID != nil {
		id := int(*p.specID)
		options.SpecID = &id
	}
	tbl, err := env.LoadTable(ctx, p.table)
	if err != nil {
		return nil, err
	}
	rewrite, err := maintenance.PlanManifests(ctx, env.Env, tbl.Identifier(), options)
	if err != nil {
		return nil, err
	}
	return &manifestPlan{rewrite: rewrite, env: env}, nil
}

type manifestPlan struct {
	rewrite *maintenance.ManifestRewrite
	env     Env
}

// Steps lists what is rewritten and the commit, and the manifests of other specs.
func (p *manifestPlan) Steps() []Step {
	name := "table " + strings.Join(p.rewrite.Table, ".")
	var steps []Step
	for _, g := range p.rewrite.Groups {
		kind := "data manifests"
		if g.Content == iceberg.ManifestContentDeletes {
			kind = "delete manifests"
		}
		steps = append(steps, Step{
			Action: ActionRewrite, Object: fmt.Sprintf("%s of partition spec %d", kind, p.rewrite.SpecID),
			FilesIn: int64(len(g.Manifests)), BytesIn: g.Bytes, FilesOut: g.Out, BytesOut: g.OutBytes,
			Reason: fmt.Sprintf("%d entries, by %s", g.Entries, p.order()),
		})
	}
	if len(steps) > 0 {
		steps = append(steps, Step{Action: ActionCommit, Object: "branch " + table.MainBranch + " of " + name, Reason: "1 commit"})
	} else {
		steps = append(steps, Step{Action: ActionSkip, Object: name, Reason: fmt.Sprintf("the manifests of partition spec %d are in order", p.rewrite.SpecID)})
	}
	if n := p.rewrite.Others; n > 0 {
		steps = append(steps, Step{Action: ActionSkip, Object: name, FilesIn: int64(n), Reason: "manifests of other partition specs, which spec_id chooses"})
	}
	return steps
}

// order is by what entries are put together, in words.
func (p *manifestPlan) order() string {
	if len(p.rewrite.Options.SortBy) == 0 {
		return "partition"
	}
	return strings.Join(p.rewrite.Options.SortBy, ", ")
}

// Execute rewrites and commits, and returns the row of counts.
func (p *manifestPlan) Execute(ctx context.Context) ([]Row, error) {
	result, err := p.rewrite.Execute(ctx, p.env.Env)
	if err != nil {
		return nil, err
	}
	return []Row{{int32(result.Rewritten), int32(result.Added)}}, nil
}
