package rewrite

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/column"
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
		field.path, field.source = column.Find(schema.Fields(), f.SourceID())
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

// part is the rows of a batch that belong to one partition.
type part struct {
	key    string
	values map[int]any
	rows   []int64
}

// split says which rows of a batch belong to which partition, in the order in
// which the partitions first appear.
func (p *partitioner) split(batch arrow.RecordBatch) ([]*part, error) {
	columns, err := p.sources(batch)
	if err != nil {
		return nil, err
	}
	var order []*part
	byKey := map[string]*part{}
	for row := range int(batch.NumRows()) {
		values, err := p.valuesOf(columns, row)
		if err != nil {
			return nil, err
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

// sources are the arrays on the way to each field's source.
func (p *partitioner) sources(batch arrow.RecordBatch) ([][]arrow.Array, error) {
	columns := make([][]arrow.Array, len(p.fields))
	for i, f := range p.fields {
		chain, err := column.Chain(batch, f.path)
		if err != nil {
			return nil, err
		}
		columns[i] = chain
	}
	return columns, nil
}

func (p *partitioner) valuesOf(columns [][]arrow.Array, row int) (map[int]any, error) {
	values := make(map[int]any, len(p.fields))
	for i, f := range p.fields {
		v, err := f.valueAt(columns[i], row)
		if err != nil {
			return nil, err
		}
		values[f.id] = v
	}
	return values, nil
}

// valuesAt is the partition of a row of a batch.
func (p *partitioner) valuesAt(batch arrow.RecordBatch, row int) (map[int]any, error) {
	columns, err := p.sources(batch)
	if err != nil {
		return nil, err
	}
	return p.valuesOf(columns, row)
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
	lit, err := column.Literal(chain[len(chain)-1], row, f.source)
	if err != nil {
		return nil, err
	}
	out := f.transform.Apply(iceberg.Optional[iceberg.Literal]{Valid: true, Val: lit})
	if !out.Valid {
		return nil, nil
	}
	return out.Val.Any(), nil
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
