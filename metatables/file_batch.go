package metatables

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/manifest"
)

// fileBatch is some rows of a block of a manifest, as the files and entries
// tables show them: what the manifest says, and what its entries inherit.
type fileBatch struct {
	manifest iceberg.ManifestFile
	block    *manifest.Block
	// firstRowIDs are those of all entries of the block, if they are wanted.
	firstRowIDs *manifest.Longs
	// rows are places in the block.
	rows []int32
}

// leafColumn is a column that one leaf is for.
func leafColumn(f iceberg.NestedField, leaf manifest.Leaf, write func(to array.Builder, b fileBatch) error) column[fileBatch] {
	return column[fileBatch]{field: f, leaves: []manifest.Leaf{leaf}, write: write}
}

func intLeaf(f iceberg.NestedField, kind manifest.Kind) column[fileBatch] {
	return wholeLeaf(f, iceberg.PrimitiveTypes.Int32, kind)
}

func longLeaf(f iceberg.NestedField, kind manifest.Kind) column[fileBatch] {
	return wholeLeaf(f, iceberg.PrimitiveTypes.Int64, kind)
}

func wholeLeaf(f iceberg.NestedField, typ iceberg.Type, kind manifest.Kind) column[fileBatch] {
	f.Type = typ
	return leafColumn(f, manifest.Whole(kind), func(to array.Builder, b fileBatch) error {
		return appendWholes(to, b.rows, b.whole(kind))
	})
}

// appendWholes writes the whole numbers of rows.
func appendWholes(to array.Builder, rows []int32, get func(i int) (int64, bool)) error {
	switch to := to.(type) {
	case *array.Int32Builder:
		for _, row := range rows {
			if v, ok := get(int(row)); ok {
				to.Append(int32(v))
			} else {
				to.AppendNull()
			}
		}
	case *array.Int64Builder:
		for _, row := range rows {
			if v, ok := get(int(row)); ok {
				to.Append(v)
			} else {
				to.AppendNull()
			}
		}
	default:
		return fmt.Errorf("a whole number cannot be written as arrow type %s", to.Type())
	}
	return nil
}

// whole is how a leaf of whole numbers is read for an entry of the block,
// inherited if that is due (specification, "Sequence Number Inheritance",
// "First Row ID Inheritance").
func (b fileBatch) whole(kind manifest.Kind) func(i int) (int64, bool) {
	column, _ := b.block.Columns[manifest.Whole(kind)].(*manifest.Longs)
	if column == nil {
		return func(int) (int64, bool) { return 0, false }
	}
	switch kind {
	case manifest.SnapshotID:
		inherited := b.manifest.SnapshotID()
		return func(i int) (int64, bool) {
			v, ok := column.At(i)
			if !ok {
				v = inherited
			}
			return v, v >= 0
		}
	case manifest.SequenceNumber, manifest.FileSequenceNumber:
		inherited := b.manifest.SequenceNum()
		status, _ := b.block.Columns[manifest.Whole(manifest.Status)].(*manifest.Longs)
		return func(i int) (int64, bool) {
			v, ok := column.At(i)
			if s, _ := status.At(i); !ok && (inherited == 0 || s == int64(iceberg.EntryStatusADDED)) {
				v, ok = inherited, true
			}
			return v, ok && v >= 0
		}
	case manifest.FirstRowID:
		if b.firstRowIDs != nil {
			return b.firstRowIDs.At
		}
	}
	return column.At
}

func pathLeaf(f iceberg.NestedField, kind manifest.Kind) column[fileBatch] {
	f.Type = iceberg.PrimitiveTypes.String
	return leafColumn(f, manifest.Whole(kind), func(to array.Builder, b fileBatch) error {
		builder, ok := to.(*array.StringBuilder)
		paths, found := b.block.Columns[manifest.Whole(kind)].(*manifest.Paths)
		if !ok || !found {
			return wrongBuilder(f.Name, to)
		}
		var text []byte
		for _, row := range b.rows {
			folder, name := paths.At(int(row))
			if folder == nil {
				builder.AppendNull()
				continue
			}
			text = append(append(text[:0], folder...), name...)
			builder.BinaryBuilder.Append(text)
		}
		return nil
	})
}

// path is the path of entry i.
func (b fileBatch) path(i int32) string {
	paths, _ := b.block.Columns[manifest.Whole(manifest.FilePath)].(*manifest.Paths)
	if paths == nil {
		return ""
	}
	folder, name := paths.At(int(i))
	return string(folder) + string(name)
}

func formatLeaf(f iceberg.NestedField) column[fileBatch] {
	f.Type = iceberg.PrimitiveTypes.String
	return leafColumn(f, manifest.Whole(manifest.FileFormat), func(to array.Builder, b fileBatch) error {
		builder, ok := to.(*array.StringBuilder)
		formats, found := b.block.Columns[manifest.Whole(manifest.FileFormat)].(*manifest.Dict)
		if !ok || !found {
			return wrongBuilder(f.Name, to)
		}
		for _, row := range b.rows {
			builder.BinaryBuilder.Append(formats.At(int(row)))
		}
		return nil
	})
}

func bytesLeaf(f iceberg.NestedField, kind manifest.Kind) column[fileBatch] {
	f.Type = iceberg.PrimitiveTypes.Binary
	return leafColumn(f, manifest.Whole(kind), func(to array.Builder, b fileBatch) error {
		builder, ok := to.(*array.BinaryBuilder)
		values, found := b.block.Columns[manifest.Whole(kind)].(*manifest.Bytes)
		if !ok || !found {
			return wrongBuilder(f.Name, to)
		}
		for _, row := range b.rows {
			if v := values.At(int(row)); v != nil {
				builder.Append(v)
			} else {
				builder.AppendNull()
			}
		}
		return nil
	})
}

// partitionLeaf has a field for each of the partition type.
func partitionLeaf(f iceberg.NestedField, typ *iceberg.StructType) column[fileBatch] {
	fields := make([]column[fileBatch], len(typ.FieldList))
	for i, part := range typ.FieldList {
		fields[i] = leafColumn(part, manifest.Whole(manifest.Partition), func(to array.Builder, b fileBatch) error {
			tuples, ok := b.block.Columns[manifest.Whole(manifest.Partition)].(*manifest.Tuples)
			if !ok {
				return wrongBuilder(part.Name, to)
			}
			known := make(map[int64]any, 4)
			for _, row := range b.rows {
				place, ok := tuples.Index.At(int(row))
				v, seen := known[place]
				if ok && !seen {
					values, err := tuples.Values(int(place))
					if err != nil {
						return err
					}
					v = values[part.ID]
					known[place] = v
				}
				if err := datafile.AppendValue(to, v); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return structColumn(f, fields)
}
