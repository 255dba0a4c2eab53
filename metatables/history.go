package metatables

import (
	"context"
	"iter"

	"github.com/apache/iceberg-go/table"
)

// historyRow is an entry of the snapshot log.
type historyRow struct {
	entry    table.SnapshotLogEntry
	parent   *int64
	ancestor bool
}

func history() Table {
	return define("history", "Which snapshot was the current one, and since when.", fixed([]column[[]historyRow]{
		timeColumn(required(field(1, "made_current_at", "")),
			func(r historyRow) (int64, bool) { return present(r.entry.TimestampMs) }),
		longColumn(required(field(2, "snapshot_id", "")),
			func(r historyRow) (int64, bool) { return present(r.entry.SnapshotID) }),
		longColumn(field(3, "parent_id", ""),
			func(r historyRow) (int64, bool) { return pointed(r.parent) }),
		boolColumn(required(field(4, "is_current_ancestor", "")),
			func(r historyRow) (bool, bool) { return present(r.ancestor) }),
	}), historyRows, counted(historyRows))
}

func historyRows(_ context.Context, s scan) iter.Seq2[historyRow, error] {
	return func(yield func(historyRow, error) bool) {
		metadata := s.tbl.Metadata()
		ancestors := map[int64]bool{}
		if current := metadata.CurrentSnapshot(); current != nil {
			for _, a := range table.AncestorsOf(current.SnapshotID, metadata.SnapshotByID) {
				ancestors[a.SnapshotID] = true
			}
		}
		for entry := range metadata.SnapshotLogs() {
			row := historyRow{entry: entry, ancestor: ancestors[entry.SnapshotID]}
			if snapshot := metadata.SnapshotByID(entry.SnapshotID); snapshot != nil {
				row.parent = snapshot.ParentSnapshotID
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}
