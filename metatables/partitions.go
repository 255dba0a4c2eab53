package metatables

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// partitionRow is what a snapshot has in one partition.
type partitionRow struct {
	values map[int]any
	// specID is of the newest file, if its snapshot is known.
	specID      int32
	dataRecords int64
	dataFiles   int32
	dataBytes   int64
	posRecords  int64
	posFiles    int32
	eqRecords   int64
	eqFiles     int32
	// updatedAt and updatedBy are of the newest snapshot that added a file;
	// nil if all such snapshots have expired.
	updatedAt *int64
	updatedBy *int64
}

func partitions() Table {
	return define("partitions", "The partitions of a snapshot and how much is in them.", partitionColumns, partitionRows, uncounted)
}

func partitionColumns(tbl *table.Table) ([]column[*partitionRow], error) {
	partition, err := partitionType(tbl.Metadata())
	if err != nil {
		return nil, err
	}
	var columns []column[*partitionRow]
	if len(partition.FieldList) > 0 {
		columns = append(columns,
			partitionColumn(required(field(1, "partition", "")), partition,
				func(r *partitionRow) map[int]any { return r.values }),
			intColumn(required(field(4, "spec_id", "")),
				func(r *partitionRow) (int32, bool) { return present(r.specID) }),
		)
	}
	return append(columns,
		longColumn(required(field(2, "record_count", "Count of records in data files")),
			func(r *partitionRow) (int64, bool) { return present(r.dataRecords) }),
		intColumn(required(field(3, "file_count", "Count of data files")),
			func(r *partitionRow) (int32, bool) { return present(r.dataFiles) }),
		longColumn(required(field(11, "total_data_file_size_in_bytes", "Total size in bytes of data files")),
			func(r *partitionRow) (int64, bool) { return present(r.dataBytes) }),
		longColumn(required(field(5, "position_delete_record_count", "Count of records in position delete files")),
			func(r *partitionRow) (int64, bool) { return present(r.posRecords) }),
		intColumn(required(field(6, "position_delete_file_count", "Count of position delete files")),
			func(r *partitionRow) (int32, bool) { return present(r.posFiles) }),
		longColumn(required(field(7, "equality_delete_record_count", "Count of records in equality delete files")),
			func(r *partitionRow) (int64, bool) { return present(r.eqRecords) }),
		intColumn(required(field(8, "equality_delete_file_count", "Count of equality delete files")),
			func(r *partitionRow) (int32, bool) { return present(r.eqFiles) }),
		timeColumn(field(9, "last_updated_at", "Commit time of snapshot that last updated this partition"),
			func(r *partitionRow) (int64, bool) { return pointed(r.updatedAt) }),
		longColumn(field(10, "last_updated_snapshot_id", "Id of snapshot that last updated this partition"),
			func(r *partitionRow) (int64, bool) { return pointed(r.updatedBy) }),
	), nil
}

// partitionRows streams the partitions in the order in which the manifests
// mention them.
func partitionRows(ctx context.Context, s scan) iter.Seq2[*partitionRow, error] {
	metadata := s.tbl.Metadata()
	typ, err := partitionType(metadata)
	if err != nil {
		return failed[*partitionRow](err)
	}
	return func(yield func(*partitionRow, error) bool) {
		fields := fieldsOfSpecs(typ, metadata)
		byKey := map[string]*partitionRow{}
		var rows []*partitionRow
		for entry, err := range readEntries(ctx, s, entryFilter{}) {
			if err != nil {
				yield(nil, err)
				return
			}
			file := entry.DataFile()
			values := file.Partition()
			key := partitionKey(typ, values, fields[file.SpecID()])
			row, ok := byKey[key]
			if !ok {
				row = &partitionRow{values: values, specID: file.SpecID()}
				byKey[key] = row
				rows = append(rows, row)
			}
			row.add(file, metadata.SnapshotByID(entry.SnapshotID()))
		}
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// fieldsOfSpecs counts the fields of the partition type that each spec has.
func fieldsOfSpecs(typ *iceberg.StructType, metadata table.Metadata) map[int32]int {
	counts := map[int32]int{}
	for _, spec := range metadata.PartitionSpecs() {
		for _, f := range spec.Fields() {
			if slices.ContainsFunc(typ.FieldList, func(p iceberg.NestedField) bool { return p.ID == f.FieldID }) {
				counts[int32(spec.ID())]++
			}
		}
	}
	return counts
}

// partitionKey is the same for values that show the same partition, also
// before and after a promotion of the column. Partitions of specs with
// different numbers of fields differ, whatever their values (the comparator of
// Java's PartitionsTable).
func partitionKey(typ *iceberg.StructType, values map[int]any, fields int) string {
	var key strings.Builder
	fmt.Fprint(&key, fields, ";")
	for _, f := range typ.FieldList {
		v := values[f.ID]
		if n, ok := asWhole(v); ok {
			v = n
		} else if d, ok := asDouble(v); ok {
			v = d
		} else if d, ok := asDecimal(v); ok {
			v = d
		}
		fmt.Fprintf(&key, "%T %q;", v, fmt.Sprint(v))
	}
	return key.String()
}

func (r *partitionRow) add(file iceberg.DataFile, snapshot *table.Snapshot) {
	if snapshot != nil && (r.updatedAt == nil || snapshot.TimestampMs > *r.updatedAt) {
		r.updatedAt, r.updatedBy = &snapshot.TimestampMs, &snapshot.SnapshotID
		r.specID = file.SpecID()
	}
	switch file.ContentType() {
	case iceberg.EntryContentData:
		r.dataRecords += file.Count()
		r.dataFiles++
		r.dataBytes += file.FileSizeBytes()
	case iceberg.EntryContentPosDeletes:
		r.posRecords += file.Count()
		r.posFiles++
	case iceberg.EntryContentEqDeletes:
		r.eqRecords += file.Count()
		r.eqFiles++
	}
}
