package metatables

import (
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

func allManifests() Table {
	optional := func(f iceberg.NestedField) iceberg.NestedField { return f }
	return define("all_manifests", "The manifests of every valid snapshot, once for each snapshot that has them.",
		func(tbl *table.Table) ([]column[manifestRef], error) {
			return append(manifestColumns(optional),
				summariesColumn(tbl, field(8, "partition_summaries", ""), true),
				longColumn(required(field(18, "reference_snapshot_id", "")),
					func(m manifestRef) (int64, bool) { return present(m.snapshot) }),
				binaryColumn(field(19, "key_metadata", ""),
					func(m manifestRef) []byte { return m.KeyMetadata() }),
			), nil
		}, manifestsOfAll, counted(manifestsOfAll))
}
