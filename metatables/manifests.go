package metatables

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/datafile"
)

func manifests() Table {
	return define("manifests", "The manifests of a snapshot.", func(tbl *table.Table) ([]column[[]manifestRef], error) {
		columns := manifestColumns(required)
		summaries := summariesColumn(tbl, required(field(8, "partition_summaries", "")), false)
		return append(columns, summaries), nil
	}, manifestsOfSnapshot, counted(manifestsOfSnapshot))
}

// manifestColumns are what manifests and all_manifests have in common. The two
// declare some of the columns required or not; nullable says so.
func manifestColumns(nullable func(iceberg.NestedField) iceberg.NestedField) []column[[]manifestRef] {
	count := func(f iceberg.NestedField, content iceberg.ManifestContent, get func(iceberg.ManifestFile) int32) column[[]manifestRef] {
		return intColumn(f, func(m manifestRef) (int32, bool) {
			if m.ManifestContent() != content {
				return 0, true
			}
			// A v1 manifest list may leave out the counts.
			n := get(m.ManifestFile)
			return n, n >= 0
		})
	}
	const data, deletes = iceberg.ManifestContentData, iceberg.ManifestContentDeletes
	return []column[[]manifestRef]{
		intColumn(required(field(14, "content", "")),
			func(m manifestRef) (int32, bool) { return present(int32(m.ManifestContent())) }),
		stringColumn(required(field(1, "path", "")),
			func(m manifestRef) (string, bool) { return present(m.FilePath()) }),
		longColumn(required(field(2, "length", "")),
			func(m manifestRef) (int64, bool) { return present(m.Length()) }),
		intColumn(nullable(field(3, "partition_spec_id", "")),
			func(m manifestRef) (int32, bool) { return present(m.PartitionSpecID()) }),
		longColumn(nullable(field(4, "added_snapshot_id", "")),
			func(m manifestRef) (int64, bool) { return m.SnapshotID(), m.SnapshotID() >= 0 }),
		count(nullable(field(5, "added_data_files_count", "")), data, iceberg.ManifestFile.AddedDataFiles),
		count(nullable(field(6, "existing_data_files_count", "")), data, iceberg.ManifestFile.ExistingDataFiles),
		count(nullable(field(7, "deleted_data_files_count", "")), data, iceberg.ManifestFile.DeletedDataFiles),
		count(required(field(15, "added_delete_files_count", "")), deletes, iceberg.ManifestFile.AddedDataFiles),
		count(required(field(16, "existing_delete_files_count", "")), deletes, iceberg.ManifestFile.ExistingDataFiles),
		count(required(field(17, "deleted_delete_files_count", "")), deletes, iceberg.ManifestFile.DeletedDataFiles),
	}
}

// summariesColumn has, for each field of a manifest's partition spec, what its
// partitions lie between, as text.
func summariesColumn(tbl *table.Table, f iceberg.NestedField, nanRequired bool) column[[]manifestRef] {
	nan := field(11, "contains_nan", "")
	nan.Type, nan.Required = iceberg.PrimitiveTypes.Bool, nanRequired
	f.Type = &iceberg.ListType{ElementID: 9, ElementRequired: true, Element: &iceberg.StructType{FieldList: []iceberg.NestedField{
		{ID: 10, Name: "contains_null", Type: iceberg.PrimitiveTypes.Bool, Required: true},
		nan,
		{ID: 12, Name: "lower_bound", Type: iceberg.PrimitiveTypes.String},
		{ID: 13, Name: "upper_bound", Type: iceberg.PrimitiveTypes.String},
	}}}
	return rowColumn(f, func(to array.Builder, m manifestRef) error {
		list, ok := to.(*array.ListBuilder)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		element, ok := list.ValueBuilder().(*array.StructBuilder)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		list.Append(true)
		if err := appendSummaries(element, tbl.Metadata(), m); err != nil {
			return fmt.Errorf("manifest %q: %w", m.FilePath(), err)
		}
		return nil
	})
}

func appendSummaries(to *array.StructBuilder, metadata table.Metadata, m manifestRef) error {
	summaries := m.Partitions()
	if len(summaries) == 0 {
		return nil
	}
	spec := metadata.PartitionSpecByID(int(m.PartitionSpecID()))
	if spec == nil {
		return fmt.Errorf("the table has no partition spec %d", m.PartitionSpecID())
	}
	types := spec.PartitionType(metadata.CurrentSchema()).FieldList
	if len(summaries) > min(len(types), spec.NumFields()) {
		return fmt.Errorf("%d partition summaries for %d partition fields", len(summaries), spec.NumFields())
	}
	for i, summary := range summaries {
		values := []any{summary.ContainsNull, nil, nil, nil}
		if summary.ContainsNaN != nil {
			values[1] = *summary.ContainsNaN
		}
		for j, bound := range []*[]byte{summary.LowerBound, summary.UpperBound} {
			text, err := boundText(types[i].Type, spec.Field(i).Transform, bound)
			if err != nil {
				return fmt.Errorf("partition field %q: %w", types[i].Name, err)
			}
			values[2+j] = text
		}
		to.Append(true)
		for j, v := range values {
			if err := datafile.AppendValue(to.FieldBuilder(j), v); err != nil {
				return err
			}
		}
	}
	return nil
}

// boundText is a bound as its transform shows it to people, nil for none.
func boundText(typ iceberg.Type, transform iceberg.Transform, bound *[]byte) (any, error) {
	if bound == nil {
		return nil, nil
	}
	v, err := boundValue(typ, *bound)
	if v == nil || err != nil {
		return nil, err
	}
	switch f := v.(type) {
	case float32:
		return floatText(float64(f), 32), nil
	case float64:
		return floatText(f, 64), nil
	}
	return transform.ToHumanStrType(typ, v), nil
}

// floatText writes a number as Java does: plain between a thousandth and ten
// millions, else with an exponent, and always with a point.
func floatText(f float64, bits int) string {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, bits), "+") + "inity"
	case size == 0 || size >= 1e-3 && size < 1e7:
		plain := strconv.FormatFloat(f, 'f', -1, bits)
		if !strings.Contains(plain, ".") {
			plain += ".0"
		}
		return plain
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, bits), "e")
	if !strings.Contains(digits, ".") {
		digits += ".0"
	}
	sign := strings.TrimPrefix(exponent[:1], "+")
	return digits + "E" + sign + strings.TrimLeft(exponent[1:], "0")
}
