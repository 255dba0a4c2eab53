package datafile

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// projection makes the wanted columns of the rows of one file.
type projection struct {
	meta    table.Metadata
	columns []iceberg.NestedField
	task    table.FileScanTask
	// stored are the columns that are read from the file, with _pos last if
	// positions says that it is needed, and at where each of columns is among
	// them; -1 for what the file does not have.
	stored    *iceberg.Schema
	at        []int
	positions bool
	// uncommitted says that lineage is as stored.
	uncommitted bool
	// fixed are the columns with one value for all rows: a value each.
	fixed map[int]any
	// same are arrays of the fixed columns, by position, of the most rows yet.
	same map[int]arrow.Array
}

func newProjection(meta table.Metadata, columns []iceberg.NestedField, task table.FileScanTask) *projection {
	p := &projection{meta: meta, columns: columns, task: task, at: make([]int, len(columns)), fixed: map[int]any{}, same: map[int]arrow.Array{}}
	var stored []iceberg.NestedField
	for i, f := range columns {
		p.at[i] = -1
		if value, ok := fixedValue(f.ID, task.File); ok {
			p.fixed[i] = value
		} else if isStored(f.ID) {
			p.at[i] = len(stored)
			stored = append(stored, f)
		}
	}
	for i := range columns {
		switch columns[i].ID {
		case PosID:
			p.at[i] = len(stored)
			p.positions = true
		case RowID:
			p.positions = p.positions || task.FirstRowID != nil
		}
	}
	// A batch without any column would not tell how many rows it has.
	if p.positions = p.positions || len(stored) == 0; p.positions {
		stored = append(stored, posField())
	}
	p.stored = iceberg.NewSchema(0, stored...)
	return p
}

// fixedValue is the value that a metadata column has in all rows of a file,
// false if it varies.
func fixedValue(id int, file iceberg.DataFile) (any, bool) {
	switch id {
	case FileID:
		return file.FilePath(), true
	case SpecID:
		return file.SpecID(), true
	case PartitionID:
		return file.Partition(), true
	}
	return nil, false
}

// IsFixed says whether the metadata column of that id has one value in all rows
// of a file.
func IsFixed(id int) bool {
	switch id {
	case FileID, SpecID, PartitionID:
		return true
	}
	return false
}

// FixedValue is an array of the one value that a metadata column for which
// IsFixed holds has in a file.
func FixedValue(column iceberg.NestedField, file iceberg.DataFile) (arrow.Array, error) {
	value, ok := fixedValue(column.ID, file)
	if !ok {
		return nil, fmt.Errorf("column %q has no value that is the same in a whole file", column.Name)
	}
	return repeated(column.Type, value, 1)
}

// identity returns the partition value of a column that a file itself lacks,
// because its spec partitions by the column: files imported from Hive have such
// columns in their paths only ("Column Projection" in the specification).
func identity(meta table.Metadata, file iceberg.DataFile, id int) (any, bool) {
	spec := meta.PartitionSpecByID(int(file.SpecID()))
	if spec == nil {
		return nil, false
	}
	for _, f := range spec.Fields() {
		if _, ok := f.Transform.(iceberg.IdentityTransform); ok && len(f.SourceIDs) == 1 && f.SourceIDs[0] == id {
			value, ok := file.Partition()[f.FieldID]
			return value, ok
		}
	}
	return nil, false
}

// project makes the columns of a batch; dead says which of its rows are deleted,
// nil if none is.
func (p *projection) project(ctx context.Context, batch arrow.RecordBatch, dead []bool, fileSchema *iceberg.Schema) (arrow.RecordBatch, error) {
	rows, err := table.ToRequestedSchema(ctx, p.stored, fileSchema, batch, table.SchemaOptions{
		FormatVersion: p.meta.Version(), TableProperties: p.meta.Properties(),
	})
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	n := int(rows.NumRows())
	var positions *array.Int64
	if p.positions {
		last, ok := rows.Column(int(rows.NumCols()) - 1).(*array.Int64)
		if !ok {
			return nil, fmt.Errorf("positions are stored as %s", rows.Column(int(rows.NumCols())-1).DataType())
		}
		positions = last
	}
	fields := make([]arrow.Field, len(p.columns))
	columns := make([]arrow.Array, len(p.columns))
	defer func() {
		for _, c := range columns {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, f := range p.columns {
		if f.ID == DeletedID {
			columns[i], err = p.deleted(i, dead, n)
		} else {
			columns[i], err = p.column(i, rows, positions, fileSchema, n)
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		fields[i] = arrow.Field{Name: f.Name, Type: columns[i].DataType(), Nullable: !f.Required}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(n)), nil
}

// deleted is column i of n rows if it is _deleted.
func (p *projection) deleted(i int, dead []bool, n int) (arrow.Array, error) {
	if dead == nil {
		return p.repeat(i, false, n)
	}
	return booleans(dead), nil
}

// column makes column i of n rows.
func (p *projection) column(i int, rows arrow.RecordBatch, positions *array.Int64, fileSchema *iceberg.Schema, n int) (arrow.Array, error) {
	f := p.columns[i]
	if value, ok := p.fixed[i]; ok {
		return p.repeat(i, value, n)
	}
	stored := rows.Column(p.at[i])
	if p.uncommitted {
		stored.Retain()
		return stored, nil
	}
	switch f.ID {
	case RowID:
		return inherit(stored, p.task.FirstRowID, func(r int) int64 { return *p.task.FirstRowID + positions.Value(r) })
	case LastUpdatedID:
		first := p.task.FirstRowID
		if p.task.DataSequenceNumber == nil {
			first = nil
		}
		return inherit(stored, first, func(int) int64 { return *p.task.DataSequenceNumber })
	}
	if _, ok := fileSchema.FindFieldByID(f.ID); !ok {
		if value, ok := identity(p.meta, p.task.File, f.ID); ok {
			return p.repeat(i, value, n)
		}
	}
	stored.Retain()
	return stored, nil
}

// inherit fills the gaps of a row lineage column with what its rows inherit
// from the file; a file without a first row id gives nothing.
func inherit(stored arrow.Array, firstRowID *int64, value func(row int) int64) (arrow.Array, error) {
	from, ok := stored.(*array.Int64)
	if !ok {
		return nil, fmt.Errorf("it is stored as %s", stored.DataType())
	}
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(from.Len())
	for i := range from.Len() {
		switch {
		case firstRowID == nil:
			b.AppendNull()
		case from.IsValid(i):
			b.Append(from.Value(i))
		default:
			b.Append(value(i))
		}
	}
	return b.NewArray(), nil
}

// repeat is an array of n times the value of column i.
func (p *projection) repeat(i int, value any, n int) (arrow.Array, error) {
	if have := p.same[i]; have != nil && have.Len() >= n {
		return array.NewSlice(have, 0, int64(n)), nil
	}
	made, err := repeated(p.columns[i].Type, value, n)
	if err != nil {
		return nil, err
	}
	p.same[i] = made
	made.Retain()
	return made, nil
}

// repeated is an array of n times a value.
func repeated(of iceberg.Type, value any, n int) (arrow.Array, error) {
	typ, err := table.TypeToArrowType(of, false, false)
	if err != nil {
		return nil, err
	}
	b := array.NewBuilder(memory.DefaultAllocator, typ)
	defer b.Release()
	for range n {
		if err := appendFixed(b, of, value); err != nil {
			return nil, err
		}
	}
	return b.NewArray(), nil
}

// appendFixed appends a value of a fixed column: a struct is that of a
// partition, whose values are by field id and NULL if it has no fields.
func appendFixed(to array.Builder, typ iceberg.Type, value any) error {
	st, ok := typ.(*iceberg.StructType)
	if !ok {
		return AppendValue(to, value)
	}
	b, _ := to.(*array.StructBuilder)
	values, _ := value.(map[int]any)
	b.Append(len(st.FieldList) > 0)
	for i, f := range st.FieldList {
		if err := AppendValue(b.FieldBuilder(i), values[f.ID]); err != nil {
			return fmt.Errorf("partition field %q: %w", f.Name, err)
		}
	}
	return nil
}
