package metatables

import (
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/manifest"
)

func entries() Table {
	return fileTable("entries", "The entries of a snapshot's manifests, those of removed files too.",
		entryColumns, entryTerms, entryFilter{deleted: true})
}

// entryColumns are the columns of entries and all_entries.
func entryColumns(tbl *table.Table) ([]column[fileBatch], error) {
	files, err := fileColumns(tbl)
	if err != nil {
		return nil, err
	}
	columns := []column[fileBatch]{
		intLeaf(required(field(0, "status", "")), manifest.Status),
		longLeaf(field(1, "snapshot_id", ""), manifest.SnapshotID),
		longLeaf(field(3, "sequence_number", ""), manifest.SequenceNumber),
		longLeaf(field(4, "file_sequence_number", ""), manifest.FileSequenceNumber),
		structColumn(required(field(2, "data_file", "")), files),
	}
	metrics, err := readableMetricsColumn(tbl, highestFieldID(columns))
	if err != nil {
		return nil, err
	}
	return append(columns, metrics), nil
}
