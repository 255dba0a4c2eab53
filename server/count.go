package server

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/metatables"
)

// count is how many rows r has, ok if that is known for certain without reading
// them.
func (r *relation) count(ctx context.Context, l *loaded) (n int64, ok bool, err error) {
	switch {
	case r.filter != nil || r.keep != nil || r.limit > 0:
		return 0, false, nil
	case r.meta != nil:
		return r.meta.Count(ctx, l.tbl, r.request(l, []string{}))
	}
	snapshot := l.tbl.CurrentSnapshot()
	if l.at.snapshot != nil {
		snapshot = l.tbl.SnapshotByID(*l.at.snapshot)
	}
	if snapshot == nil {
		return 0, true, nil
	}
	files, found := metatables.Find("files")
	if !found || mayHaveDeletes(snapshot) {
		return 0, false, nil
	}
	for batch, err := range files.Read(ctx, l.tbl, r.request(l, []string{"content", "record_count"})) {
		if err != nil {
			return 0, false, err
		}
		records, all := recordsOf(batch)
		batch.Release()
		if !all {
			return 0, false, nil
		}
		n += records
	}
	return n, true, nil
}

// mayHaveDeletes says whether a snapshot's summary does not say that it has no
// delete files. That it has none must still be seen.
func mayHaveDeletes(s *table.Snapshot) bool {
	return s.Summary == nil || s.Summary.Properties["total-delete-files"] != "0"
}

// recordsOf adds the record counts of files, a batch of their content and
// record_count; false if they do not tell the rows, as one is a delete file.
func recordsOf(files arrow.RecordBatch) (n int64, ok bool) {
	content, okContent := files.Column(0).(*array.Int32)
	records, okRecords := files.Column(1).(*array.Int64)
	if !okContent || !okRecords || content.NullN() > 0 || records.NullN() > 0 {
		return 0, false
	}
	for i, records := range records.Int64Values() {
		if content.Value(i) != 0 || records < 0 {
			return 0, false
		}
		n += records
	}
	return n, true
}
