package maintenance

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// ManifestOptions says which manifests of a table to rewrite, and how.
type ManifestOptions struct {
	// SpecID is the partition spec whose manifests are rewritten; nil means the
	// table's current one.
	SpecID *int
	// SortBy are the names of partition fields of the spec by which entries are
	// clustered; empty means all of them, in the spec's order.
	SortBy []string
}

// ManifestRewrite is a plan to write the entries of main's manifests anew, those
// of one partition side by side: a value that says what will be done.
type ManifestRewrite struct {
	// Table is the table and Base the metadata file that the plan was made from.
	Table   table.Identifier
	Base    string
	Options ManifestOptions
	// SpecID is the partition spec whose manifests are rewritten.
	SpecID int
	// Groups are what is rewritten: data manifests, delete manifests, both or
	// nothing.
	Groups []ManifestGroup
	// Others is how many of main's manifests are of other specs.
	Others int
}

// ManifestGroup is manifests of one spec and content that are rewritten together.
type ManifestGroup struct {
	Content   iceberg.ManifestContent
	Manifests []iceberg.ManifestFile
	// Bytes is the length of the manifests, Entries how many live entries they
	// have.
	Bytes, Entries int64
	// Out is how many manifests take their place. It is exact. OutBytes is an
	// estimate of their length.
	Out, OutBytes int64

	// place is the new manifest of each live entry, by manifest and entry.
	place [][]uint32
	// schema is the Avro schema of all manifests if entries can be copied as they
	// are encoded.
	schema []byte
}

// ManifestResult is what a rewrite of manifests did.
type ManifestResult struct {
	Rewritten, Added int
}

// Empty says whether there is nothing to do.
func (p *ManifestRewrite) Empty() bool { return len(p.Groups) == 0 }

// PlanManifests reads the manifests of a table's main branch and says what
// rewriting them will do (Java's RewriteManifestsSparkAction). Memory grows by
// four bytes for each entry, and with the number of partitions.
//
// Data and delete manifests are each left alone if there is one of no more than
// commit.manifest.target-size-bytes, or if they are as an earlier rewrite left
// them. The error wraps ErrInvalid for a spec or field that there is not.
func PlanManifests(ctx context.Context, env Env, ident table.Identifier, options ManifestOptions) (*ManifestRewrite, error) {
	tbl, err := env.Catalog.Load(ctx, ident)
	if err != nil {
		return nil, err
	}
	plan, err := planManifests(ctx, env, tbl, options)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", strings.Join(ident, "."), err)
	}
	return plan, nil
}

func planManifests(ctx context.Context, env Env, tbl *table.Table, options ManifestOptions) (*ManifestRewrite, error) {
	meta := tbl.Metadata()
	plan := &ManifestRewrite{Table: tbl.Identifier(), Base: tbl.MetadataLocation(), Options: options, SpecID: meta.DefaultPartitionSpec()}
	if options.SpecID != nil {
		plan.SpecID = *options.SpecID
	}
	spec := meta.PartitionSpecByID(plan.SpecID)
	if spec == nil {
		return nil, fmt.Errorf("%w: %q must be a partition spec of the table: it has no spec %d, but %s", ErrInvalid, "spec_id", plan.SpecID, specIDs(meta))
	}
	order, err := newPartitionOrder(*spec, options.SortBy)
	if err != nil {
		return nil, err
	}
	head := meta.CurrentSnapshot()
	if head == nil {
		return plan, nil
	}
	store, err := tbl.FS(ctx)
	if err != nil {
		return nil, err
	}
	manifests, err := head.Manifests(store)
	if err != nil {
		return nil, unreadable("manifest list", head.ManifestList, err)
	}
	for _, content := range []iceberg.ManifestContent{iceberg.ManifestContentData, iceberg.ManifestContentDeletes} {
		var group []iceberg.ManifestFile
		for _, m := range manifests {
			if m.ManifestContent() != content {
				continue
			}
			if int(m.PartitionSpecID()) == plan.SpecID {
				group = append(group, m)
			} else {
				plan.Others++
			}
		}
		sizes, err := newManifestSizes(meta, *spec, content)
		if err != nil {
			return nil, err
		}
		if len(group) == 0 || len(group) == 1 && sizes.fits(group[0]) {
			continue
		}
		g := &manifestPlanner{env: env, store: store, order: order, sizes: sizes, manifests: group}
		planned, err := g.plan(ctx)
		if err != nil {
			return nil, err
		}
		if planned != nil {
			planned.Content = content
			plan.Groups = append(plan.Groups, *planned)
		}
	}
	return plan, nil
}

func specIDs(meta table.Metadata) string {
	var ids []string
	for _, spec := range meta.PartitionSpecs() {
		ids = append(ids, fmt.Sprint(spec.ID()))
	}
	return strings.Join(ids, ", ")
}
