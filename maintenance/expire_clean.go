package maintenance

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go/table"
)

// unusedMetadata finds the ids of partition specs that no manifest of a
// remaining snapshot has, and of schemas that no remaining snapshot has. The
// table's current ones stay.
func unusedMetadata(ctx context.Context, env Env, tbl *table.Table, expired map[int64]bool) (specs, schemas []int, err error) {
	meta := tbl.Metadata()
	usedSpecs := map[int]bool{meta.DefaultPartitionSpec(): true}
	usedSchemas := map[int]bool{meta.CurrentSchema().ID: true}
	var stay []table.Snapshot
	for _, s := range meta.Snapshots() {
		if expired[s.SnapshotID] {
			continue
		}
		stay = append(stay, s)
		if s.SchemaID != nil {
			usedSchemas[*s.SchemaID] = true
		}
	}
	all := meta.PartitionSpecs()
	if len(all) > 1 {
		store, err := tbl.FS(ctx)
		if err != nil {
			return nil, nil, err
		}
		manifests, err := (&reach{env: env, store: store}).manifests(ctx, stay, false)
		if err != nil {
			return nil, nil, fmt.Errorf("table %q: %w; nothing has been changed", strings.Join(tbl.Identifier(), "."), err)
		}
		for _, m := range manifests {
			usedSpecs[int(m.PartitionSpecID())] = true
		}
		for _, spec := range all {
			if !usedSpecs[spec.ID()] {
				specs = append(specs, spec.ID())
			}
		}
	}
	for _, schema := range meta.Schemas() {
		if !usedSchemas[schema.ID] {
			schemas = append(schemas, schema.ID)
		}
	}
	return specs, schemas, nil
}
