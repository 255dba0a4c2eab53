package manifest

import (
	"cmp"
	"slices"
)

// Kind is a field of a manifest entry or of its data file.
type Kind uint8

// The fields of the specification, in the order of its tables.
const (
	Status Kind = iota
	SnapshotID
	SequenceNumber
	FileSequenceNumber
	Content
	FilePath
	FileFormat
	Partition
	RecordCount
	FileSize
	ColumnSizes
	ValueCounts
	NullValueCounts
	NaNValueCounts
	LowerBounds
	UpperBounds
	KeyMetadata
	SplitOffsets
	EqualityIDs
	SortOrderID
	FirstRowID
	ReferencedDataFile
	ContentOffset
	ContentSize
	// DataFile is the whole record of the file, as it is encoded.
	DataFile
	kinds
)

// Leaf is a field, or of a map by column id the value of one column.
type Leaf struct {
	Kind Kind
	// one says that only the value of column id is meant.
	one bool
	id  int32
}

// Whole is all of a field.
func Whole(kind Kind) Leaf { return Leaf{Kind: kind} }

// Of is what a map by column id has for one column.
func Of(kind Kind, id int) Leaf { return Leaf{Kind: kind, one: true, id: int32(id)} }

// maxPicked is how many columns of a map are picked from it; for more, the
// whole map is read.
const maxPicked = 4

// Normalize sorts leaves and leaves out what others contain. Of a map of which
// many columns are wanted it takes the whole.
func Normalize(leaves []Leaf) []Leaf {
	sorted := slices.Clone(leaves)
	slices.SortFunc(sorted, func(a, b Leaf) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), compareBool(a.one, b.one), cmp.Compare(a.id, b.id))
	})
	sorted = slices.Compact(sorted)
	var normal []Leaf
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].Kind == sorted[0].Kind {
			n++
		}
		if !sorted[0].one || n > maxPicked {
			normal = append(normal, Whole(sorted[0].Kind))
		} else {
			normal = append(normal, sorted[:n]...)
		}
		sorted = sorted[n:]
	}
	return normal
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// spec is how a field is found in a writer's schema and what it must be there.
type spec struct {
	id     int
	name   string
	inFile bool // a field of data_file
	shape  shape
	// required: a manifest without the field cannot be read.
	required bool
}

// shape is the form of a field's value.
type shape uint8

const (
	longShape   shape = iota // int or long
	bytesShape               // string or bytes
	pathShape                // as bytesShape, with few beginnings
	dictShape                // as bytesShape, with few values
	tupleShape               // a record with few values
	listShape                // an array of int or long
	countsShape              // a map from int to long
	boundsShape              // a map from int to bytes
	rawShape                 // a record, as it is encoded
)

const contentID = 134

// specs has the fields by kind.
func specs() [kinds]spec {
	return [kinds]spec{
		Status:             {0, "status", false, longShape, true},
		SnapshotID:         {1, "snapshot_id", false, longShape, false},
		SequenceNumber:     {3, "sequence_number", false, longShape, false},
		FileSequenceNumber: {4, "file_sequence_number", false, longShape, false},
		Content:            {contentID, "content", true, longShape, false},
		FilePath:           {100, "file_path", true, pathShape, true},
		FileFormat:         {101, "file_format", true, dictShape, true},
		Partition:          {102, "partition", true, tupleShape, true},
		RecordCount:        {103, "record_count", true, longShape, true},
		FileSize:           {104, "file_size_in_bytes", true, longShape, true},
		ColumnSizes:        {108, "column_sizes", true, countsShape, false},
		ValueCounts:        {109, "value_counts", true, countsShape, false},
		NullValueCounts:    {110, "null_value_counts", true, countsShape, false},
		NaNValueCounts:     {137, "nan_value_counts", true, countsShape, false},
		LowerBounds:        {125, "lower_bounds", true, boundsShape, false},
		UpperBounds:        {128, "upper_bounds", true, boundsShape, false},
		KeyMetadata:        {131, "key_metadata", true, bytesShape, false},
		SplitOffsets:       {132, "split_offsets", true, listShape, false},
		EqualityIDs:        {135, "equality_ids", true, listShape, false},
		SortOrderID:        {140, "sort_order_id", true, longShape, false},
		FirstRowID:         {142, "first_row_id", true, longShape, false},
		ReferencedDataFile: {143, "referenced_data_file", true, pathShape, false},
		ContentOffset:      {144, "content_offset", true, longShape, false},
		ContentSize:        {145, "content_size_in_bytes", true, longShape, false},
		DataFile:           {2, "data_file", false, rawShape, true},
	}
}
