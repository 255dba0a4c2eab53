package chain

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/spelling"
)

// Manifests of a spec are rewritten if there are at least manyManifests for data
// or for deletes, and manifestExcess times as many as their bytes fill. With
// fewer, each is read faster than all are written anew.
const (
	manyManifests  = 10
	manifestExcess = 2
)

// manifestJob rewrites main's manifests, spec by spec.
type manifestJob struct {
	plans []*maintenance.ManifestRewrite
	o     Outlook
}

func (j *manifestJob) outlook() Outlook { return j.o }

// manifestKind is what manifests can be put together.
type manifestKind struct {
	spec    int
	content iceberg.ManifestContent
}

type manifestSum struct {
	manifests int
	bytes     int64
}

func planManifests(ctx context.Context, env maintenance.Env, tbl *table.Table) (job, error) {
	head := tbl.CurrentSnapshot()
	if head == nil {
		return nothing{"the table has no manifests"}, nil
	}
	store, err := tbl.FS(ctx)
	if err != nil {
		return nil, err
	}
	manifests, err := head.Manifests(store)
	if err != nil {
		return nil, fmt.Errorf("read manifest list %q: %w", head.ManifestList, err)
	}
	sums := map[manifestKind]manifestSum{}
	for _, m := range manifests {
		kind := manifestKind{int(m.PartitionSpecID()), m.ManifestContent()}
		sums[kind] = manifestSum{sums[kind].manifests + 1, sums[kind].bytes + m.Length()}
	}
	target := int64(max(1, tbl.Properties().GetInt(table.ManifestTargetSizeBytesKey, table.ManifestTargetSizeBytesDefault)))
	j, tooMany := &manifestJob{}, false
	for _, spec := range tbl.Metadata().PartitionSpecs() {
		id := spec.ID()
		data, deletes := sums[manifestKind{id, iceberg.ManifestContentData}], sums[manifestKind{id, iceberg.ManifestContentDeletes}]
		if !data.tooMany(target) && !deletes.tooMany(target) {
			continue
		}
		tooMany = true
		plan, err := maintenance.PlanManifests(ctx, env, tbl.Identifier(), maintenance.ManifestOptions{SpecID: &id})
		if err != nil {
			return nil, err
		}
		j.add(plan)
	}
	j.o.Reason = spelling.Count(len(manifests), "manifest")
	switch {
	case j.o.Run:
		j.o.Reason += fmt.Sprintf(", of which %d become %d of %q %d", j.o.FilesIn, j.o.FilesOut, table.ManifestTargetSizeBytesKey, target)
	case tooMany:
		j.o.Reason += ", in order already"
	default:
		j.o.Reason += fmt.Sprintf(": below %d data or delete manifests of a partition spec, or below %d times what %q %d needs", manyManifests, manifestExcess, table.ManifestTargetSizeBytesKey, target)
	}
	return j, nil
}

// tooMany says whether there are more manifests of a kind than need be.
func (s manifestSum) tooMany(target int64) bool {
	needed := max(1, (s.bytes+target-1)/target)
	return s.manifests >= manyManifests && int64(s.manifests) >= manifestExcess*needed
}

func (j *manifestJob) add(plan *maintenance.ManifestRewrite) {
	if plan.Empty() {
		return
	}
	j.plans = append(j.plans, plan)
	j.o.Run = true
	for _, g := range plan.Groups {
		j.o.FilesIn += int64(len(g.Manifests))
		j.o.BytesIn += g.Bytes
		j.o.FilesOut += g.Out
		j.o.BytesOut += g.OutBytes
	}
}

func (j *manifestJob) run(ctx context.Context, env maintenance.Env, over func() bool) (outcome, error) {
	var sum maintenance.ManifestResult
	var err error
	late := ""
	for i, plan := range j.plans {
		if i > 0 && over() {
			late = fmt.Sprintf("left by max_duration: those of %s", spelling.Count(len(j.plans)-i, "partition spec"))
			break
		}
		var r maintenance.ManifestResult
		if r, err = plan.Execute(ctx, env); err != nil {
			break
		}
		sum.Rewritten += r.Rewritten
		sum.Added += r.Added
	}
	did := ""
	if sum.Rewritten > 0 {
		did = fmt.Sprintf("%s rewritten into %d", spelling.Count(sum.Rewritten, "manifest"), sum.Added)
	}
	return outcome{text: joined(did, late)}, err
}
