package metatables

import (
	"github.com/apache/iceberg-go/table"
)

func entries() Table {
	return fileTable("entries", "The entries of a snapshot's manifests, those of removed files too.",
		entryColumns, entryFilter{deleted: true})
}

// entryColumns are the columns of entries and all_entries.
func entryColumns(tbl *table.Table) ([]column[fileRow], error) {
	files, err := fileColumns(tbl)
	if err != nil {
		return nil, err
	}
	known := func(n int64) (int64, bool) { return n, n >= 0 }
	columns := []column[fileRow]{
		intColumn(required(field(0, "status", "")),
			func(r fileRow) (int32, bool) { return present(int32(r.entry.Status())) }),
		longColumn(field(1, "snapshot_id", ""),
			func(r fileRow) (int64, bool) { return known(r.entry.SnapshotID()) }),
		longColumn(field(3, "sequence_number", ""),
			func(r fileRow) (int64, bool) { return known(r.entry.SequenceNum()) }),
		longColumn(field(4, "file_sequence_number", ""),
			func(r fileRow) (int64, bool) { return pointed(r.entry.FileSequenceNum()) }),
		structColumn(required(field(2, "data_file", "")), files),
	}
	metrics, err := readableMetricsColumn(tbl, highestFieldID(columns))
	if err != nil {
		return nil, err
	}
	return append(columns, metrics), nil
}
