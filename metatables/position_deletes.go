package metatables

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/scalar"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/manifest"
)

// The ids of the specification's reserved fields ("Reserved Field IDs"), and
// those that Java's MetadataColumns gives to the rest.
const (
	deleteFilePathID    = math.MaxInt32 - 1
	deleteSpecID        = math.MaxInt32 - 4
	deletePartitionID   = math.MaxInt32 - 5
	deleteOffsetID      = math.MaxInt32 - 6
	deleteSizeID        = math.MaxInt32 - 7
	deletedPathFieldID  = math.MaxInt32 - 101
	deletedPosFieldID   = math.MaxInt32 - 102
	deletedValueFieldID = math.MaxInt32 - 103
)

// maxVectors is how many deletion vectors of one Puffin file are held in memory
// at once.
const maxVectors = 64

// deleteRow is one deleted position.
type deleteRow struct {
	file iceberg.DataFile // the delete file or deletion vector
	path string
	pos  int64
	// value is the deleted row, nil if the delete file does not keep it.
	value scalar.Scalar
}

func positionDeletes() Table {
	return define("position_deletes", "The positions that the position delete files and deletion vectors of a snapshot delete.",
		deleteColumns, deleteRows, uncounted)
}

func deleteColumns(tbl *table.Table) ([]column[[]deleteRow], error) {
	columns := []column[[]deleteRow]{
		stringColumn(required(field(deletedPathFieldID, "file_path", "Path of a file in which a deleted row is stored")),
			func(r deleteRow) (string, bool) { return present(r.path) }),
		longColumn(required(field(deletedPosFieldID, "pos", "Ordinal position of a deleted row in the data file")),
			func(r deleteRow) (int64, bool) { return present(r.pos) }),
		deletedValueColumn(tbl),
	}
	partition, err := partitionType(tbl.Metadata())
	if err != nil {
		return nil, err
	}
	if len(partition.FieldList) > 0 {
		c := partitionColumn(required(field(deletePartitionID, "partition", "Partition that position delete row belongs to")),
			partition, func(r deleteRow) map[int]any { return r.file.Partition() })
		c.field.Type = renumbered(partition, tbl.Metadata())
		columns = append(columns, c)
	}
	columns = append(columns,
		intColumn(required(field(deleteSpecID, "spec_id", "Spec ID used to track the file containing a row")),
			func(r deleteRow) (int32, bool) { return present(r.file.SpecID()) }),
		stringColumn(required(field(deleteFilePathID, "delete_file_path", "Path of the file in which a row is stored")),
			func(r deleteRow) (string, bool) { return present(r.file.FilePath()) }),
	)
	if tbl.Metadata().Version() >= 3 {
		columns = append(columns,
			longColumn(field(deleteOffsetID, "content_offset", "The offset in the DV where the content starts"),
				func(r deleteRow) (int64, bool) { return pointed(r.file.ContentOffset()) }),
			longColumn(field(deleteSizeID, "content_size_in_bytes", "The length in bytes of the DV blob"),
				func(r deleteRow) (int64, bool) { return pointed(r.file.ContentSizeInBytes()) }),
		)
	}
	return columns, nil
}

// deletedValueColumn has the deleted row itself; few writers keep it.
func deletedValueColumn(tbl *table.Table) column[[]deleteRow] {
	f := field(deletedValueFieldID, "row", "Deleted row values")
	schema := tbl.Schema().AsStruct()
	f.Type = &schema
	return rowColumn(f, func(to array.Builder, r deleteRow) error {
		if r.value == nil || !r.value.IsValid() {
			to.AppendNull()
			return nil
		}
		return scalar.Append(to, r.value)
	})
}

// renumbered is a partition type with ids that no column of the table has:
// the table's columns stand beside it, under row.
func renumbered(partition *iceberg.StructType, metadata table.Metadata) *iceberg.StructType {
	id := metadata.LastColumnID()
	fields := make([]iceberg.NestedField, len(partition.FieldList))
	for i, f := range partition.FieldList {
		id++
		f.ID = id
		fields[i] = f
	}
	return &iceberg.StructType{FieldList: fields}
}

// deleteRows streams the positions, reading several delete files at once.
func deleteRows(ctx context.Context, s scan) iter.Seq2[deleteRow, error] {
	return func(yield func(deleteRow, error) bool) {
		files, err := deleteFilesByPath(ctx, s)
		if err != nil {
			yield(deleteRow{}, err)
			return
		}
		if len(files) == 0 {
			return
		}
		reader, err := newDeleteReader(ctx, s)
		if err != nil {
			yield(deleteRow{}, err)
			return
		}
		for row, err := range inOrder(ctx, files, reader.read) {
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// deleteTerms are the terms of position_deletes, which are about the delete
// files.
func deleteTerms(tbl *table.Table) (terms, error) {
	files, err := fileTerms(tbl)
	if err != nil {
		return nil, err
	}
	ts, err := partitionTerms(tbl)
	if err != nil {
		return nil, err
	}
	ts["spec_id"], ts["delete_file_path"] = files["spec_id"], files["file_path"]
	ts["content_offset"], ts["content_size_in_bytes"] = files["content_offset"], files["content_size_in_bytes"]
	ts["file_path"] = referencedTerm()
	return ts, nil
}

// referencedTerm is the one data file that all positions of a delete file are
// in, where the manifest says so.
func referencedTerm() term {
	referenced := pathTerm(manifest.ReferencedDataFile)
	rows := referenced.rows
	referenced.rows = func(b fileBatch, t test) func(int) bool {
		paths := b.block.Columns[manifest.Whole(manifest.ReferencedDataFile)].(*manifest.Paths)
		may := rows(b, t)
		return func(i int) bool {
			folder, _ := paths.At(i)
			return folder == nil || may(i)
		}
	}
	return referenced
}

// deleteFilesByPath lists a snapshot's position delete files. Deletion vectors
// that share a Puffin file come together, so that it is opened once.
func deleteFilesByPath(ctx context.Context, s scan) ([][]iceberg.DataFile, error) {
	ts, err := deleteTerms(s.tbl)
	if err != nil {
		return nil, err
	}
	condition, err := ts.compile(s.filter)
	if err != nil {
		return nil, err
	}
	s.limit = 0
	for _, kind := range []manifest.Kind{
		manifest.FilePath, manifest.FileFormat, manifest.Partition, manifest.RecordCount, manifest.FileSize,
		manifest.ReferencedDataFile, manifest.ContentOffset, manifest.ContentSize,
	} {
		s.leaves = append(s.leaves, manifest.Whole(kind))
	}
	var groups [][]iceberg.DataFile
	at := map[string]int{}
	filter := entryFilter{content: only(iceberg.ManifestContentDeletes)}
	for file, err := range readEntries(ctx, s, filter, condition, func(iceberg.DataFile) {}, s.deleteFiles) {
		if err != nil {
			return nil, err
		}
		i, ok := at[file.FilePath()]
		if !ok || len(groups[i]) == maxVectors {
			i = len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], file)
		if file.FileFormat() == iceberg.PuffinFile {
			at[file.FilePath()] = i
		}
	}
	return groups, nil
}

// deleteFiles are the position delete files of a block.
func (s scan) deleteFiles(b fileBatch, emit func(iceberg.DataFile) error) error {
	spec := s.tbl.Metadata().PartitionSpecByID(int(b.manifest.PartitionSpecID()))
	if spec == nil {
		return fmt.Errorf("the table has no partition spec %d", b.manifest.PartitionSpecID())
	}
	columns := b.block.Columns
	formats := columns[manifest.Whole(manifest.FileFormat)].(*manifest.Dict)
	tuples := columns[manifest.Whole(manifest.Partition)].(*manifest.Tuples)
	referenced := columns[manifest.Whole(manifest.ReferencedDataFile)].(*manifest.Paths)
	contents, counts, sizes := b.whole(manifest.Content), b.whole(manifest.RecordCount), b.whole(manifest.FileSize)
	offsets, lengths := b.whole(manifest.ContentOffset), b.whole(manifest.ContentSize)
	for _, row := range b.rows {
		i := int(row)
		if content, _ := contents(i); content != int64(iceberg.EntryContentPosDeletes) {
			continue
		}
		format, err := iceberg.FileFormatFromString(string(formats.At(i)))
		if err != nil {
			return err
		}
		place, _ := tuples.Index.At(i)
		partition, err := tuples.Values(int(place))
		if err != nil {
			return err
		}
		count, _ := counts(i)
		size, _ := sizes(i)
		file, err := iceberg.NewDataFileBuilder(*spec, iceberg.EntryContentPosDeletes, b.path(row), format, partition, nil, nil, count, size)
		if err != nil {
			return err
		}
		if folder, name := referenced.At(i); folder != nil {
			file.ReferencedDataFile(string(folder) + string(name))
		}
		if offset, ok := offsets(i); ok {
			file.ContentOffset(offset)
		}
		if length, ok := lengths(i); ok {
			file.ContentSizeInBytes(length)
		}
		if err := emit(file.Build()); err != nil {
			return err
		}
	}
	return nil
}
