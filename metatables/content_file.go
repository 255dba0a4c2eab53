package metatables

import (
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/manifest"
)

// fileColumns are the columns of the files tables, and the fields of
// data_file: those of Java's DataFile.getType, and readable_metrics apart.
func fileColumns(tbl *table.Table) ([]column[fileBatch], error) {
	partition, err := partitionType(tbl.Metadata())
	if err != nil {
		return nil, err
	}
	columns := []column[fileBatch]{
		intLeaf(field(134, "content", "Contents of the file: 0=data, 1=position deletes, 2=equality deletes"), manifest.Content),
		pathLeaf(required(field(100, "file_path", "Location URI with FS scheme")), manifest.FilePath),
		formatLeaf(required(field(101, "file_format", "File format name: avro, orc, or parquet"))),
		specColumn(field(141, "spec_id", "Partition spec ID")),
	}
	if len(partition.FieldList) > 0 {
		columns = append(columns, partitionLeaf(
			required(field(102, "partition", "Partition data tuple, schema based on the partition spec")), partition))
	}
	columns = append(columns,
		longLeaf(required(field(103, "record_count", "Number of records in the file")), manifest.RecordCount),
		longLeaf(required(field(104, "file_size_in_bytes", "Total file size in bytes")), manifest.FileSize),
	)
	columns = append(columns, statisticsColumns()...)
	return append(columns, restColumns()...), nil
}

// specColumn has the manifest's partition spec.
func specColumn(f iceberg.NestedField) column[fileBatch] {
	f.Type = iceberg.PrimitiveTypes.Int32
	return column[fileBatch]{field: f, write: func(to array.Builder, b fileBatch) error {
		spec := int64(b.manifest.PartitionSpecID())
		return appendWholes(to, b.rows, func(int) (int64, bool) { return spec, true })
	}}
}

// statisticsColumns are the maps by column id.
func statisticsColumns() []column[fileBatch] {
	counts := func(id int, name, doc string, keyID, valueID int, kind manifest.Kind) column[fileBatch] {
		f := field(id, name, doc)
		f.Type = &iceberg.MapType{
			KeyID: keyID, KeyType: iceberg.PrimitiveTypes.Int32,
			ValueID: valueID, ValueType: iceberg.PrimitiveTypes.Int64, ValueRequired: true,
		}
		return mapLeaf[int64, *array.Int64Builder](f, kind, (*manifest.Maps).Long)
	}
	bounds := func(id int, name, doc string, keyID, valueID int, kind manifest.Kind) column[fileBatch] {
		f := field(id, name, doc)
		f.Type = &iceberg.MapType{
			KeyID: keyID, KeyType: iceberg.PrimitiveTypes.Int32,
			ValueID: valueID, ValueType: iceberg.PrimitiveTypes.Binary, ValueRequired: true,
		}
		return mapLeaf[[]byte, *array.BinaryBuilder](f, kind, (*manifest.Maps).Bytes)
	}
	return []column[fileBatch]{
		counts(108, "column_sizes", "Map of column id to total size on disk", 117, 118, manifest.ColumnSizes),
		counts(109, "value_counts", "Map of column id to total count, including null and NaN", 119, 120, manifest.ValueCounts),
		counts(110, "null_value_counts", "Map of column id to null value count", 121, 122, manifest.NullValueCounts),
		counts(137, "nan_value_counts", "Map of column id to number of NaN values in the column", 138, 139, manifest.NaNValueCounts),
		bounds(125, "lower_bounds", "Map of column id to lower bound", 126, 127, manifest.LowerBounds),
		bounds(128, "upper_bounds", "Map of column id to upper bound", 129, 130, manifest.UpperBounds),
	}
}

// restColumns are those after the statistics.
func restColumns() []column[fileBatch] {
	return []column[fileBatch]{
		bytesLeaf(field(131, "key_metadata", "Encryption key metadata blob"), manifest.KeyMetadata),
		listLeaf[int64, *array.Int64Builder](field(132, "split_offsets", "Splittable offsets"), 133, iceberg.PrimitiveTypes.Int64, manifest.SplitOffsets),
		listLeaf[int32, *array.Int32Builder](field(135, "equality_ids", "Equality comparison field IDs"), 136, iceberg.PrimitiveTypes.Int32, manifest.EqualityIDs),
		intLeaf(field(140, "sort_order_id", "Sort order ID"), manifest.SortOrderID),
		longLeaf(field(142, "first_row_id", "The first row ID assigned to the first row in the data file"), manifest.FirstRowID),
		pathLeaf(field(143, "referenced_data_file", "Fully qualified location (URI with FS scheme) of a data file that all deletes reference"), manifest.ReferencedDataFile),
		longLeaf(field(144, "content_offset", "The offset in the file where the content starts"), manifest.ContentOffset),
		longLeaf(field(145, "content_size_in_bytes", "The length of referenced content stored in the file"), manifest.ContentSize),
	}
}

// mapLeaf is a column of maps by column id, in the order of the ids.
func mapLeaf[V any, B scalarBuilder[V]](f iceberg.NestedField, kind manifest.Kind, get func(*manifest.Maps, int) V) column[fileBatch] {
	return leafColumn(f, manifest.Whole(kind), func(to array.Builder, b fileBatch) error {
		builder, ok := to.(*array.MapBuilder)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		keys, keysOK := builder.KeyBuilder().(*array.Int32Builder)
		items, itemsOK := builder.ItemBuilder().(B)
		maps, found := b.block.Columns[manifest.Whole(kind)].(*manifest.Maps)
		if !keysOK || !itemsOK || !found {
			return wrongBuilder(f.Name, to)
		}
		for _, row := range b.rows {
			ids, start, ok := maps.At(int(row))
			if !ok {
				builder.AppendNull()
				continue
			}
			builder.Append(true)
			for i, id := range ids {
				keys.Append(id)
				items.Append(get(maps, start+i))
			}
		}
		return nil
	})
}

// listLeaf is a column of lists.
func listLeaf[V int32 | int64, B scalarBuilder[V]](f iceberg.NestedField, elementID int, element iceberg.Type, kind manifest.Kind) column[fileBatch] {
	f.Type = &iceberg.ListType{ElementID: elementID, Element: element, ElementRequired: true}
	return leafColumn(f, manifest.Whole(kind), func(to array.Builder, b fileBatch) error {
		builder, ok := to.(*array.ListBuilder)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		elements, ok := builder.ValueBuilder().(B)
		lists, found := b.block.Columns[manifest.Whole(kind)].(*manifest.Lists)
		if !ok || !found {
			return wrongBuilder(f.Name, to)
		}
		for _, row := range b.rows {
			values := lists.At(int(row))
			if values == nil {
				builder.AppendNull()
				continue
			}
			builder.Append(true)
			for _, v := range values {
				elements.Append(V(v))
			}
		}
		return nil
	})
}

func narrow(p *int) (int32, bool) {
	v, ok := pointed(p)
	return int32(v), ok
}
