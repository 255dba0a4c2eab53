package rewrite

import (
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// describe makes the manifest's description of a written file: counts, sizes
// and bounds from its footer by the table's metrics modes, counts of NaN, and
// its partition as given.
func (o *output) describe(f *parquetFile, partition map[int]any) (iceberg.DataFile, error) {
	meta, err := f.writer.FileMetadata()
	if err != nil {
		return nil, fmt.Errorf("describe data file %q: %w", f.path, err)
	}
	// The statistics are taken as if the file were unpartitioned: the library
	// would infer null partition values from them.
	stats, err := table.DataFileFromMetadata(table.DataFileArgs{
		Schema: o.schema, Spec: *iceberg.UnpartitionedSpec, Format: iceberg.ParquetFile, Metadata: meta,
		FilePath: f.path, FileSize: f.file.n, Content: iceberg.EntryContentData,
		Properties: o.meta.Properties(), FormatVersion: o.meta.Version(),
	})
	if err != nil {
		return nil, fmt.Errorf("describe data file %q: %w", f.path, err)
	}
	b, err := iceberg.NewDataFileBuilder(o.spec, iceberg.EntryContentData, f.path, iceberg.ParquetFile, partition, logicalTypes(o.meta, o.spec), nil, stats.Count(), f.file.n)
	if err != nil {
		return nil, fmt.Errorf("describe data file %q: %w", f.path, err)
	}
	b.ColumnSizes(stats.ColumnSizes())
	b.ValueCounts(stats.ValueCounts())
	b.NullValueCounts(stats.NullValueCounts())
	b.NaNValueCounts(o.nanCounts(f, stats))
	b.LowerBoundValues(stats.LowerBoundValues())
	b.UpperBoundValues(stats.UpperBoundValues())
	b.SplitOffsets(stats.SplitOffsets())
	b.SortOrderID(o.sortOrder)
	return b.Build(), nil
}

// nanCounts are the counts of NaN of columns that have metrics.
func (o *output) nanCounts(f *parquetFile, stats iceberg.DataFile) map[int]int64 {
	counts := map[int]int64{}
	values := stats.ValueCounts()
	for i, column := range o.nans {
		if _, ok := values[column.id]; ok {
			counts[column.id] = f.nans[i]
		}
	}
	return counts
}

// logicalTypes names the Avro logical types of partition fields, by which the
// library encodes their values.
func logicalTypes(meta table.Metadata, spec iceberg.PartitionSpec) map[int]string {
	types := map[int]string{}
	for _, field := range spec.PartitionType(meta.CurrentSchema()).FieldList {
		switch field.Type.(type) {
		case iceberg.DateType:
			types[field.ID] = "date"
		case iceberg.TimeType:
			types[field.ID] = "time-micros"
		case iceberg.TimestampType, iceberg.TimestampTzType:
			types[field.ID] = "timestamp-micros"
		case iceberg.DecimalType:
			types[field.ID] = "decimal"
		case iceberg.UUIDType:
			types[field.ID] = "uuid"
		}
	}
	return types
}
