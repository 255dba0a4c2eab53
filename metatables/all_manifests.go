package metatables

import (
	"context"
	"iter"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

func allManifests() Table {
	optional := func(f iceberg.NestedField) iceberg.NestedField { return f }
	return define("all_manifests", "The manifests of every valid snapshot, once for each snapshot that has them.",
		func(tbl *table.Table) ([]column[[]manifestRef], error) {
			return append(manifestColumns(optional),
				summariesColumn(tbl, field(8, "partition_summaries", ""), true),
				longColumn(required(field(18, "reference_snapshot_id", "")),
					func(m manifestRef) (int64, bool) { return present(m.snapshot) }),
				binaryColumn(field(19, "key_metadata", ""),
					func(m manifestRef) []byte { return m.KeyMetadata() }),
			), nil
		}, manifestsThat, counted(manifestsThat))
}

// manifestsThat reads the lists of those snapshots that the filter does not rule
// out.
func manifestsThat(ctx context.Context, s scan) iter.Seq2[manifestRef, error] {
	condition, err := terms{"reference_snapshot_id": {
		typ:      iceberg.PrimitiveTypes.Int64,
		manifest: func(m manifestRef, t test) bool { return t.whole(m.snapshot, true) },
	}}.compile(s.filter)
	if err != nil {
		return failed[manifestRef](err)
	}
	var snapshots []table.Snapshot
	for _, snapshot := range s.tbl.Metadata().Snapshots() {
		if condition.mayHold(manifestRef{snapshot: snapshot.SnapshotID}) {
			snapshots = append(snapshots, snapshot)
		}
	}
	return readManifestLists(ctx, s, snapshots)
}
