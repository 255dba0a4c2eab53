package metatables

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/manifest"
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

func partitionColumns(tbl *table.Table) ([]column[[]*partitionRow], error) {
	partition, err := partitionType(tbl.Metadata())
	if err != nil {
		return nil, err
	}
	var columns []column[[]*partitionRow]
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
// mention them. Each manifest is added up by itself; the sums are then put
// together.
func partitionRows(ctx context.Context, s scan) iter.Seq2[*partitionRow, error] {
	metadata := s.tbl.Metadata()
	typ, err := partitionType(metadata)
	if err != nil {
		return failed[*partitionRow](err)
	}
	ts, err := partitionTerms(s.tbl)
	if err != nil {
		return failed[*partitionRow](err)
	}
	fields := fieldsOfSpecs(typ, metadata)
	ts["spec_id"] = term{typ: iceberg.PrimitiveTypes.Int32, manifest: func(m manifestRef, t test) bool {
		return slices.ContainsFunc(metadata.PartitionSpecs(), func(spec iceberg.PartitionSpec) bool {
			// Specs of as many fields may have files in the same partition.
			return fields[int32(spec.ID())] == fields[m.PartitionSpecID()] && t.whole(int64(spec.ID()), true)
		})
	}}
	condition, err := ts.compile(s.filter)
	if err != nil {
		return failed[*partitionRow](err)
	}
	s.limit = 0
	for _, kind := range []manifest.Kind{manifest.Partition, manifest.RecordCount, manifest.FileSize, manifest.SnapshotID} {
		s.leaves = append(s.leaves, manifest.Whole(kind))
	}
	return func(yield func(*partitionRow, error) bool) {
		byKey := map[string]*partitionRow{}
		var rows []*partitionRow
		for part, err := range readEntries(ctx, s, entryFilter{}, condition, func(*partitionRow) {}, sumPartitions(typ, metadata)) {
			if err != nil {
				yield(nil, err)
				return
			}
			key := partitionKey(typ, part.values, fields[part.specID])
			row, ok := byKey[key]
			if !ok {
				byKey[key] = part
				rows = append(rows, part)
				continue
			}
			row.merge(part)
		}
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// sumPartitions adds up a block's entries by partition.
func sumPartitions(typ *iceberg.StructType, metadata table.Metadata) func(b fileBatch, emit func(*partitionRow) error) error {
	commits := map[int64]*table.Snapshot{}
	for _, s := range metadata.Snapshots() {
		commits[s.SnapshotID] = &s
	}
	return func(b fileBatch, emit func(*partitionRow) error) error {
		tuples, ok := b.block.Columns[manifest.Whole(manifest.Partition)].(*manifest.Tuples)
		if !ok {
			return errors.New("it has no partitions")
		}
		byPlace := make([]*partitionRow, max(tuples.Dict.Values.Len(), 1))
		var rows []*partitionRow
		snapshots, contents := b.whole(manifest.SnapshotID), b.whole(manifest.Content)
		counts, sizes := b.whole(manifest.RecordCount), b.whole(manifest.FileSize)
		for _, i := range b.rows {
			place, _ := tuples.Index.At(int(i))
			row := byPlace[place]
			if row == nil {
				row = &partitionRow{specID: b.manifest.PartitionSpecID()}
				if len(typ.FieldList) > 0 {
					var err error
					if row.values, err = tuples.Values(int(place)); err != nil {
						return err
					}
				}
				byPlace[place] = row
				rows = append(rows, row)
			}
			var commit *table.Snapshot
			if id, ok := snapshots(int(i)); ok {
				commit = commits[id]
			}
			content, _ := contents(int(i))
			records, _ := counts(int(i))
			size, _ := sizes(int(i))
			row.add(iceberg.ManifestEntryContent(content), records, size, commit)
		}
		for _, row := range rows {
			if err := emit(row); err != nil {
				return err
			}
		}
		return nil
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
		if n, ok := datafile.Whole(v); ok {
			v = n
		} else if d, ok := datafile.Double(v); ok {
			v = d
		} else if d, ok := datafile.Decimal(v); ok {
			v = d
		}
		fmt.Fprintf(&key, "%T %q;", v, fmt.Sprint(v))
	}
	return key.String()
}

// add counts a file that snapshot added; nil if that has expired.
func (r *partitionRow) add(content iceberg.ManifestEntryContent, records, size int64, snapshot *table.Snapshot) {
	if snapshot != nil && (r.updatedAt == nil || snapshot.TimestampMs > *r.updatedAt) {
		r.updatedAt, r.updatedBy = &snapshot.TimestampMs, &snapshot.SnapshotID
	}
	switch content {
	case iceberg.EntryContentData:
		r.dataRecords += records
		r.dataFiles++
		r.dataBytes += size
	case iceberg.EntryContentPosDeletes:
		r.posRecords += records
		r.posFiles++
	case iceberg.EntryContentEqDeletes:
		r.eqRecords += records
		r.eqFiles++
	}
}

// merge adds what a later manifest has of the same partition.
func (r *partitionRow) merge(other *partitionRow) {
	if other.updatedAt != nil && (r.updatedAt == nil || *other.updatedAt > *r.updatedAt) {
		r.updatedAt, r.updatedBy = other.updatedAt, other.updatedBy
		r.specID = other.specID
	}
	r.dataRecords += other.dataRecords
	r.dataFiles += other.dataFiles
	r.dataBytes += other.dataBytes
	r.posRecords += other.posRecords
	r.posFiles += other.posFiles
	r.eqRecords += other.eqRecords
	r.eqFiles += other.eqFiles
}
