package metatables

import (
	"context"
	"iter"
	"slices"

	"github.com/apache/iceberg-go/table"
)

// metadataLogRow is a metadata file and the snapshot that was current when it
// was written.
type metadataLogRow struct {
	entry table.MetadataLogEntry
	// latest is nil if there was none yet; snapshot too if it has expired.
	latest   *int64
	snapshot *table.Snapshot
}

func metadataLogEntries() Table {
	return define("metadata_log_entries", "The metadata files of the table, oldest first; the last is the current one.", fixed([]column[[]metadataLogRow]{
		timeColumn(required(field(1, "timestamp", "")),
			func(r metadataLogRow) (int64, bool) { return present(r.entry.TimestampMs) }),
		stringColumn(required(field(2, "file", "")),
			func(r metadataLogRow) (string, bool) { return present(r.entry.MetadataFile) }),
		longColumn(field(3, "latest_snapshot_id", ""),
			func(r metadataLogRow) (int64, bool) { return pointed(r.latest) }),
		intColumn(field(4, "latest_schema_id", ""), func(r metadataLogRow) (int32, bool) {
			if r.snapshot == nil {
				return 0, false
			}
			return narrow(r.snapshot.SchemaID)
		}),
		longColumn(field(5, "latest_sequence_number", ""), func(r metadataLogRow) (int64, bool) {
			if r.snapshot == nil {
				return 0, false
			}
			return present(r.snapshot.SequenceNumber)
		}),
	}), metadataLogRows, counted(metadataLogRows))
}

func metadataLogRows(_ context.Context, s scan) iter.Seq2[metadataLogRow, error] {
	return func(yield func(metadataLogRow, error) bool) {
		metadata := s.tbl.Metadata()
		entries := slices.Collect(metadata.PreviousFiles())
		entries = append(entries, table.MetadataLogEntry{MetadataFile: s.tbl.MetadataLocation(), TimestampMs: metadata.LastUpdatedMillis()})
		for _, entry := range entries {
			row := metadataLogRow{entry: entry}
			// Java's SnapshotUtil.nullableSnapshotIdAsOfTime: the last log entry
			// that is not younger.
			for log := range metadata.SnapshotLogs() {
				if log.TimestampMs <= entry.TimestampMs {
					row.latest = &log.SnapshotID
				}
			}
			if row.latest != nil {
				row.snapshot = metadata.SnapshotByID(*row.latest)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}
