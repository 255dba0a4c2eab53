package metatables

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/datafile"
)

func snapshots() Table {
	return define("snapshots", "The valid snapshots of the table.", fixed([]column[[]table.Snapshot]{
		timeColumn(required(field(1, "committed_at", "")),
			func(s table.Snapshot) (int64, bool) { return present(s.TimestampMs) }),
		longColumn(required(field(2, "snapshot_id", "")),
			func(s table.Snapshot) (int64, bool) { return present(s.SnapshotID) }),
		longColumn(field(3, "parent_id", ""),
			func(s table.Snapshot) (int64, bool) { return pointed(s.ParentSnapshotID) }),
		stringColumn(field(4, "operation", ""), operation),
		stringColumn(field(5, "manifest_list", ""),
			func(s table.Snapshot) (string, bool) { return s.ManifestList, s.ManifestList != "" }),
		summaryColumn(),
	}), snapshotRows, counted(snapshotRows))
}

func snapshotRows(_ context.Context, s scan) iter.Seq2[table.Snapshot, error] {
	return func(yield func(table.Snapshot, error) bool) {
		for _, snapshot := range s.tbl.Metadata().Snapshots() {
			if !yield(snapshot, nil) {
				return
			}
		}
	}
}

func operation(s table.Snapshot) (string, bool) {
	if s.Summary == nil {
		return "", false
	}
	return string(s.Summary.Operation), s.Summary.Operation != ""
}

// summaryColumn has the properties of a summary without the operation, in the
// order of their names; NULL if a snapshot has no summary.
func summaryColumn() column[[]table.Snapshot] {
	f := field(6, "summary", "")
	text := iceberg.PrimitiveTypes.String
	f.Type = &iceberg.MapType{KeyID: 7, KeyType: text, ValueID: 8, ValueType: text, ValueRequired: true}
	return rowColumn(f, func(to array.Builder, s table.Snapshot) error {
		b, ok := to.(*array.MapBuilder)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		if s.Summary == nil {
			b.AppendNull()
			return nil
		}
		b.Append(true)
		for _, k := range slices.Sorted(maps.Keys(s.Summary.Properties)) {
			if err := datafile.AppendValue(b.KeyBuilder(), k); err != nil {
				return err
			}
			if err := datafile.AppendValue(b.ItemBuilder(), s.Summary.Properties[k]); err != nil {
				return err
			}
		}
		return nil
	})
}
