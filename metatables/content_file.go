package metatables

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// fileRow is a manifest entry as the rows of the files and entries tables are
// made from it.
type fileRow struct {
	entry iceberg.ManifestEntry
	file  iceberg.DataFile
}

// fileColumns are the columns of the files tables, and the fields of
// data_file: those of Java's DataFile.getType, and readable_metrics apart.
func fileColumns(tbl *table.Table) ([]column[fileRow], error) {
	partition, err := partitionType(tbl.Metadata())
	if err != nil {
		return nil, err
	}
	columns := []column[fileRow]{
		intColumn(field(134, "content", "Contents of the file: 0=data, 1=position deletes, 2=equality deletes"),
			func(r fileRow) (int32, bool) { return present(int32(r.file.ContentType())) }),
		stringColumn(required(field(100, "file_path", "Location URI with FS scheme")),
			func(r fileRow) (string, bool) { return present(r.file.FilePath()) }),
		stringColumn(required(field(101, "file_format", "File format name: avro, orc, or parquet")),
			func(r fileRow) (string, bool) { return present(string(r.file.FileFormat())) }),
		intColumn(field(141, "spec_id", "Partition spec ID"),
			func(r fileRow) (int32, bool) { return present(r.file.SpecID()) }),
	}
	if len(partition.FieldList) > 0 {
		columns = append(columns, partitionColumn(
			required(field(102, "partition", "Partition data tuple, schema based on the partition spec")),
			partition, func(r fileRow) map[int]any { return r.file.Partition() }))
	}
	columns = append(columns,
		longColumn(required(field(103, "record_count", "Number of records in the file")),
			func(r fileRow) (int64, bool) { return present(r.file.Count()) }),
		longColumn(required(field(104, "file_size_in_bytes", "Total file size in bytes")),
			func(r fileRow) (int64, bool) { return present(r.file.FileSizeBytes()) }),
	)
	columns = append(columns, statisticsColumns()...)
	return append(columns, restColumns()...), nil
}

// statisticsColumns are the maps by column id.
func statisticsColumns() []column[fileRow] {
	counts := func(id int, name, doc string, keyID, valueID int, stats statistics, get func(iceberg.DataFile) map[int]int64) column[fileRow] {
		f := field(id, name, doc)
		f.Type = &iceberg.MapType{
			KeyID: keyID, KeyType: iceberg.PrimitiveTypes.Int32,
			ValueID: valueID, ValueType: iceberg.PrimitiveTypes.Int64, ValueRequired: true,
		}
		return mapByID[int64, *array.Int64Builder](f, stats, get)
	}
	bounds := func(id int, name, doc string, keyID, valueID int, get func(iceberg.DataFile) map[int][]byte) column[fileRow] {
		f := field(id, name, doc)
		f.Type = &iceberg.MapType{
			KeyID: keyID, KeyType: iceberg.PrimitiveTypes.Int32,
			ValueID: valueID, ValueType: iceberg.PrimitiveTypes.Binary, ValueRequired: true,
		}
		return mapByID[[]byte, *array.BinaryBuilder](f, pruningStatistics, get)
	}
	return []column[fileRow]{
		counts(108, "column_sizes", "Map of column id to total size on disk", 117, 118, allStatistics, iceberg.DataFile.ColumnSizes),
		counts(109, "value_counts", "Map of column id to total count, including null and NaN", 119, 120, pruningStatistics, iceberg.DataFile.ValueCounts),
		counts(110, "null_value_counts", "Map of column id to null value count", 121, 122, pruningStatistics, iceberg.DataFile.NullValueCounts),
		counts(137, "nan_value_counts", "Map of column id to number of NaN values in the column", 138, 139, pruningStatistics, iceberg.DataFile.NaNValueCounts),
		bounds(125, "lower_bounds", "Map of column id to lower bound", 126, 127, iceberg.DataFile.LowerBoundValues),
		bounds(128, "upper_bounds", "Map of column id to upper bound", 129, 130, iceberg.DataFile.UpperBoundValues),
	}
}

// restColumns are those after the statistics.
func restColumns() []column[fileRow] {
	return []column[fileRow]{
		binaryColumn(field(131, "key_metadata", "Encryption key metadata blob"),
			func(r fileRow) []byte { return r.file.KeyMetadata() }),
		listColumn[int64, *array.Int64Builder](field(132, "split_offsets", "Splittable offsets"), 133, iceberg.PrimitiveTypes.Int64,
			func(r fileRow) []int64 { return r.file.SplitOffsets() }),
		listColumn[int32, *array.Int32Builder](field(135, "equality_ids", "Equality comparison field IDs"), 136, iceberg.PrimitiveTypes.Int32,
			func(r fileRow) []int32 { return narrowAll(r.file.EqualityFieldIDs()) }),
		intColumn(field(140, "sort_order_id", "Sort order ID"),
			func(r fileRow) (int32, bool) { return narrow(r.file.SortOrderID()) }),
		longColumn(field(142, "first_row_id", "The first row ID assigned to the first row in the data file"),
			func(r fileRow) (int64, bool) { return pointed(r.file.FirstRowID()) }),
		stringColumn(field(143, "referenced_data_file", "Fully qualified location (URI with FS scheme) of a data file that all deletes reference"),
			func(r fileRow) (string, bool) { return pointed(r.file.ReferencedDataFile()) }),
		longColumn(field(144, "content_offset", "The offset in the file where the content starts"),
			func(r fileRow) (int64, bool) { return pointed(r.file.ContentOffset()) }),
		longColumn(field(145, "content_size_in_bytes", "The length of referenced content stored in the file"),
			func(r fileRow) (int64, bool) { return pointed(r.file.ContentSizeInBytes()) }),
	}
}

// mapByID is a column of maps by column id, in the order of the ids; a nil map
// is NULL.
func mapByID[V any, B scalarBuilder[V]](f iceberg.NestedField, stats statistics, get func(iceberg.DataFile) map[int]V) column[fileRow] {
	return column[fileRow]{field: f, stats: stats, write: func(to array.Builder, row fileRow) error {
		b, ok := to.(*array.MapBuilder)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		keys, keysOK := b.KeyBuilder().(*array.Int32Builder)
		items, itemsOK := b.ItemBuilder().(B)
		if !keysOK || !itemsOK {
			return wrongBuilder(f.Name, to)
		}
		values := get(row.file)
		if values == nil {
			b.AppendNull()
			return nil
		}
		b.Append(true)
		for _, id := range sortedKeys(values) {
			keys.Append(int32(id))
			items.Append(values[id])
		}
		return nil
	}}
}

// listColumn is a column of lists; nil is NULL.
func listColumn[V any, B scalarBuilder[V]](f iceberg.NestedField, elementID int, element iceberg.Type, get func(fileRow) []V) column[fileRow] {
	f.Type = &iceberg.ListType{ElementID: elementID, Element: element, ElementRequired: true}
	return column[fileRow]{field: f, write: func(to array.Builder, row fileRow) error {
		b, ok := to.(*array.ListBuilder)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		elements, ok := b.ValueBuilder().(B)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		values := get(row)
		if values == nil {
			b.AppendNull()
			return nil
		}
		b.Append(true)
		for _, v := range values {
			elements.Append(v)
		}
		return nil
	}}
}

func sortedKeys[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func narrow(p *int) (int32, bool) {
	v, ok := pointed(p)
	return int32(v), ok
}

func narrowAll(values []int) []int32 {
	if values == nil {
		return nil
	}
	narrowed := make([]int32, len(values))
	for i, v := range values {
		narrowed[i] = int32(v)
	}
	return narrowed
}
