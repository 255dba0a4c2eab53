package metatables

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/apache/iceberg-go/table"
)

// refRow is a branch or tag.
type refRow struct {
	name string
	table.SnapshotRef
}

func refs() Table {
	return define("refs", "The branches and tags of the table.", fixed([]column[[]refRow]{
		stringColumn(required(field(1, "name", "")),
			func(r refRow) (string, bool) { return present(r.name) }),
		stringColumn(required(field(2, "type", "")),
			func(r refRow) (string, bool) { return present(strings.ToUpper(string(r.SnapshotRefType))) }),
		longColumn(required(field(3, "snapshot_id", "")),
			func(r refRow) (int64, bool) { return present(r.SnapshotID) }),
		longColumn(field(4, "max_reference_age_in_ms", ""),
			func(r refRow) (int64, bool) { return pointed(r.MaxRefAgeMs) }),
		intColumn(field(5, "min_snapshots_to_keep", ""),
			func(r refRow) (int32, bool) { return narrow(r.MinSnapshotsToKeep) }),
		longColumn(field(6, "max_snapshot_age_in_ms", ""),
			func(r refRow) (int64, bool) { return pointed(r.MaxSnapshotAgeMs) }),
	}), refRows, counted(refRows))
}

// refRows streams the refs in the order of their names.
func refRows(_ context.Context, s scan) iter.Seq2[refRow, error] {
	return func(yield func(refRow, error) bool) {
		all := maps.Collect(s.tbl.Metadata().Refs())
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !yield(refRow{name, all[name]}, nil) {
				return
			}
		}
	}
}
