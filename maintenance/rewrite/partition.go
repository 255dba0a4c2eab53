package rewrite

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
)

// partitioner computes the partition of every row under a spec.
type partitioner struct {
	specID int32
	fields []partitionField
}

// partitionField is a field of the spec with the way to its source column,
// through structs; no path means that the column is gone and the value null.
type partitionField struct {
	id        int
	transform iceberg.Transform
	path      []int
	source    iceberg.Type
}

// newPartitioner binds a spec to a schema whose top-level fields are the
// columns of the batches.
func newPartitioner(spec iceberg.PartitionSpec, schema *iceberg.Schema) (*partitioner, error) {
	p := &partitioner{specID: int32(spec.ID())}
	for i := range spec.NumFields() {
		f := spec.Field(i)
		field := partitionField{id: f.FieldID, transform: f.Transform}
		field.path, field.source = columnPath(schema.Fields(), f.SourceID())
		switch f.Transform.(type) {
		case iceberg.VoidTransform:
			field.path = nil
		case iceberg.UnknownTransform:
			return nil, fmt.Errorf("%w: partition field %q has the unknown transform %q", maintenance.ErrUnsupported, f.Name, f.Transform)
		}
		p.fields = append(p.fields, field)
	}
	return p, nil
}

// columnPath is the indices that lead to the field of that id.
func columnPath(fields []iceberg.NestedField, id int) ([]int, iceberg.Type) {
	for i, f := range fields {
		if f.ID == id {
			return []int{i}, f.Type
		}
		if s, ok := f.Type.(*iceberg.StructType); ok {
			if rest, t := columnPath(s.FieldList, id); rest != nil {
				return append([]int{i}, rest...), t
			}
		}
	}
	return nil, nil
}

// part is the rows of a batch that belong to one partition.
type part struct {
	key    string
	values map[int]any
	rows   []int64
}

// split says which rows of a batch belong to which partition, in the order in
// which the partitions first appear.
func (p *partitioner) split(batch arrow.RecordBatch) ([]*part, error) {
	columns := make([][]arrow.Array, len(p.fields))
	for i, f := range p.fields {
		chain, err := chainOf(batch, f.path)
		if err != nil {
			return nil, err
		}
		columns[i] = chain
	}
	var order []*part
	byKey := map[string]*part{}
	for row := range int(batch.NumRows()) {
		values := make(map[int]any, len(p.fields))
		for i, f := range p.fields {
			v, err := f.valueAt(columns[i], row)
			if err != nil {
				return nil, err
			}
			values[f.id] = v
		}
		key := maintenance.PartitionValuesKey(p.specID, values)
		if byKey[key] == nil {
			byKey[key] = &part{key: key, values: values}
			order = append(order, byKey[key])
		}
		byKey[key].rows = append(byKey[key].rows, int64(row))
	}
	return order, nil
}

// chainOf is the arrays on the way to a column.
func chainOf(batch arrow.RecordBatch, path []int) ([]arrow.Array, error) {
	if len(path) == 0 {
		return nil, nil
	}
	chain := []arrow.Array{batch.Column(path[0])}
	for _, i := range path[1:] {
		s, ok := chain[len(chain)-1].(*array.Struct)
		if !ok {
			return nil, fmt.Errorf("%w: a partition's source column is inside a %s", maintenance.ErrUnsupported, chain[len(chain)-1].DataType())
		}
		chain = append(chain, s.Field(i))
	}
	return chain, nil
}

// valueAt is the partition value of a row; null if the source or a struct
// around it is.
func (f partitionField) valueAt(chain []arrow.Array, row int) (any, error) {
	if len(chain) == 0 {
		return nil, nil
	}
	for _, a := range chain {
		if a.IsNull(row) {
			return nil, nil
		}
	}
	lit, err := literalAt(chain[len(chain)-1], row, f.source)
	if err != nil {
		return nil, err
	}
	out := f.transform.Apply(iceberg.Optional[iceberg.Literal]{Valid: true, Val: lit})
	if !out.Valid {
		return nil, nil
	}
	return out.Val.Any(), nil
}

// literalAt is a cell as an Iceberg literal of the column's type.
func literalAt(column arrow.Array, row int, typ iceberg.Type) (iceberg.Literal, error) {
	switch a := column.(type) {
	case *array.Boolean:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Int32:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Int64:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Float32:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Float64:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Date32:
		return iceberg.NewLiteral(iceberg.Date(a.Value(row))), nil
	case *array.Time64:
		return iceberg.NewLiteral(iceberg.Time(a.Value(row))), nil
	case *array.Timestamp:
		switch typ.(type) {
		case iceberg.TimestampNsType, iceberg.TimestampTzNsType:
			return iceberg.NewLiteral(iceberg.TimestampNano(a.Value(row))), nil
		}
		return iceberg.NewLiteral(iceberg.Timestamp(a.Value(row))), nil
	case *array.Decimal128:
		return decimalLiteral(a.Value(row), a.DataType()), nil
	case *array.String:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.LargeString:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Binary:
		return iceberg.NewLiteral(append([]byte(nil), a.Value(row)...)), nil
	case *array.LargeBinary:
		return iceberg.NewLiteral(append([]byte(nil), a.Value(row)...)), nil
	case *array.FixedSizeBinary:
		return iceberg.NewLiteral(append([]byte(nil), a.Value(row)...)).To(typ)
	case *extensions.UUIDArray:
		return iceberg.NewLiteral(a.Value(row)), nil
	}
	return nil, fmt.Errorf("%w: a partition's source column has type %s", maintenance.ErrUnsupported, column.DataType())
}

func decimalLiteral(v decimal128.Num, typ arrow.DataType) iceberg.Literal {
	scale := 0
	if t, ok := typ.(*arrow.Decimal128Type); ok {
		scale = int(t.Scale)
	}
	return iceberg.NewLiteral(iceberg.Decimal{Val: v, Scale: scale})
}

// take copies some rows of a batch, or shares them if they follow each other.
func take(ctx context.Context, batch arrow.RecordBatch, rows []int64) (arrow.RecordBatch, error) {
	first, last := rows[0], rows[len(rows)-1]
	if last-first+1 == int64(len(rows)) {
		return batch.NewSlice(first, last+1), nil
	}
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(rows, nil)
	indices := b.NewInt64Array()
	defer indices.Release()
	out, err := compute.Take(ctx, *compute.DefaultTakeOptions(), compute.NewDatumWithoutOwning(batch), compute.NewDatumWithoutOwning(indices))
	if err != nil {
		return nil, fmt.Errorf("split rows by partition: %w", err)
	}
	taken, ok := out.(*compute.RecordDatum)
	if !ok {
		return nil, fmt.Errorf("split rows by partition: got a %s", out.Kind())
	}
	return taken.Value, nil
}
