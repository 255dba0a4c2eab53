package datafile

import (
	"math"

	"github.com/apache/iceberg-go"
)

// The ids of the metadata columns: those of the specification ("Reserved Field
// IDs") and those that Java's MetadataColumns gives to the rest.
const (
	FileID        = math.MaxInt32 - 1
	PosID         = math.MaxInt32 - 2
	DeletedID     = math.MaxInt32 - 3
	SpecID        = math.MaxInt32 - 4
	PartitionID   = math.MaxInt32 - 5
	RowID         = iceberg.RowIDFieldID
	LastUpdatedID = iceberg.LastUpdatedSequenceNumberFieldID
)

// DeletedName is the name of the metadata column that says whether a row is
// deleted.
const DeletedName = "_deleted"

const (
	deletePathID = math.MaxInt32 - 101
	deletePosID  = math.MaxInt32 - 102
)

// MetadataColumns are the columns that a table of that format version has
// besides its own, named and typed as in Spark. Partition is the struct of the
// partition fields of all its specs.
func MetadataColumns(version int, partition *iceberg.StructType) []iceberg.NestedField {
	columns := []iceberg.NestedField{
		{ID: FileID, Name: "_file", Type: iceberg.PrimitiveTypes.String, Required: true, Doc: "Path of the file in which a row is stored"},
		posField(),
		{ID: DeletedID, Name: DeletedName, Type: iceberg.PrimitiveTypes.Bool, Required: true, Doc: "Whether the row has been deleted"},
		{ID: SpecID, Name: "_spec_id", Type: iceberg.PrimitiveTypes.Int32, Doc: "Spec ID used to track the file containing a row"},
		{ID: PartitionID, Name: "_partition", Type: partition, Doc: "Partition to which a row belongs to"},
	}
	if version < 3 {
		return columns
	}
	return append(columns,
		iceberg.NestedField{ID: RowID, Name: "_row_id", Type: iceberg.PrimitiveTypes.Int64, Doc: "Implicit row ID that is automatically assigned"},
		iceberg.NestedField{ID: LastUpdatedID, Name: "_last_updated_sequence_number", Type: iceberg.PrimitiveTypes.Int64, Doc: "Sequence number when the row was last updated"})
}

// posField is the position of a row in its file, before deletes are applied.
func posField() iceberg.NestedField {
	return iceberg.NestedField{ID: PosID, Name: "_pos", Type: iceberg.PrimitiveTypes.Int64, Required: true, Doc: "Ordinal position of a row in the source data file"}
}

// isStored says whether a data file may have a column of that id: metadata
// columns but row lineage are not in files.
func isStored(id int) bool {
	switch id {
	case FileID, PosID, DeletedID, SpecID, PartitionID:
		return false
	}
	return true
}
