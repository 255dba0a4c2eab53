package rewrite

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// fileFacts is what a data file is described by.
type fileFacts struct {
	path string
	size int64
	meta *metadata.FileMetaData
	// nans are the counts of NaN of the output's floating-point columns.
	nans []int64
	// bounds replace those of the footer for some columns, by field id: with a
	// lower and an upper one, or nil if there are none.
	bounds map[int]*[2][]byte
	// signs tell of which sign zeros among the bounds are (floatFacts.signs).
	signs map[int]*[2][]byte
}

// describe makes the manifest's description of a Parquet file: counts, sizes
// and bounds from its footer by the table's metrics modes, counts of NaN, and
// its partition as given.
func (o *output) describe(f fileFacts, partition map[int]any) (iceberg.DataFile, error) {
	// The statistics are taken as if the file were unpartitioned: the library
	// would infer null partition values from them.
	stats, err := table.DataFileFromMetadata(table.DataFileArgs{
		Schema: o.schema, Spec: *iceberg.UnpartitionedSpec, Format: iceberg.ParquetFile, Metadata: f.meta,
		FilePath: f.path, FileSize: f.size, Content: iceberg.EntryContentData,
		Properties: o.metrics(), FormatVersion: o.meta.Version(),
	})
	if err != nil {
		return nil, fmt.Errorf("describe data file %q: %w", f.path, err)
	}
	b, err := o.newDataFile(f.path, partition, stats.Count(), f.size)
	if err != nil {
		return nil, err
	}
	if o.content == iceberg.EntryContentPosDeletes {
		return describeDeletes(stats, b), nil
	}
	b.ColumnSizes(stats.ColumnSizes())
	b.ValueCounts(stats.ValueCounts())
	b.NullValueCounts(stats.NullValueCounts())
	b.NaNValueCounts(o.nanCounts(f, stats))
	lower, upper := stats.LowerBoundValues(), stats.UpperBoundValues()
	for id, known := range f.signs {
		signZero(lower, id, known[0])
		signZero(upper, id, known[1])
	}
	for id, known := range f.bounds {
		delete(lower, id)
		delete(upper, id)
		if known != nil && o.bounded(id) {
			lower[id], upper[id] = known[0], known[1]
		}
	}
	b.LowerBoundValues(lower)
	b.UpperBoundValues(upper)
	b.SplitOffsets(stats.SplitOffsets())
	b.SortOrderID(o.sortOrder)
	return b.Build(), nil
}

// newDataFile begins the manifest's description of a file.
func (o *output) newDataFile(path string, partition map[int]any, rows, size int64) (*iceberg.DataFileBuilder, error) {
	b, err := iceberg.NewDataFileBuilder(o.spec, o.content, path, o.format, partition, logicalTypes(o.meta, o.spec), nil, rows, size)
	if err != nil {
		return nil, fmt.Errorf("describe data file %q: %w", path, err)
	}
	return b, nil
}

// bounded says whether the metrics mode of a column asks for bounds.
func (o *output) bounded(id int) bool {
	props := o.metrics()
	mode := props[table.DefaultWriteMetricsModeKey]
	if name, ok := o.schema.FindColumnName(id); ok && props[columnMetricsPrefix+name] != "" {
		mode = props[columnMetricsPrefix+name]
	}
	return !strings.EqualFold(mode, "none") && !strings.EqualFold(mode, "counts")
}

// metrics are the properties that say which statistics files have.
func (o *output) metrics() iceberg.Properties {
	if o.content == iceberg.EntryContentPosDeletes {
		return deleteProperties(o.meta.Properties())
	}
	return o.stats
}

// nanCounts are the counts of NaN of columns that have metrics.
func (o *output) nanCounts(f fileFacts, stats iceberg.DataFile) map[int]int64 {
	counts := map[int]int64{}
	values := stats.ValueCounts()
	for i, column := range o.nans {
		if _, ok := values[column]; ok {
			counts[column] = f.nans[i]
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
