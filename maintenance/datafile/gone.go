package datafile

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/table/dv"
)

// fileDeletes is what is deleted of one data file.
type fileDeletes struct {
	positions *dv.RoaringPositionBitmap
	// equal are the keys of equality deletes; those over the same columns stand
	// together.
	equal [][]*keySet
}

func (g *fileDeletes) add(set *keySet) {
	for i, sets := range g.equal {
		if slices.Equal(sets[0].ids, set.ids) {
			g.equal[i] = append(sets, set)
			return
		}
	}
	g.equal = append(g.equal, []*keySet{set})
}

// columns are the columns that equality deletes look at.
func (g *fileDeletes) columns() []iceberg.NestedField {
	var fields []iceberg.NestedField
	for _, sets := range g.equal {
		fields = append(fields, sets[0].fields...)
	}
	return fields
}

// mark returns which rows of a batch are deleted, nil if none is.
func (g *fileDeletes) mark(ctx context.Context, batch arrow.RecordBatch, first int64, schema *iceberg.Schema) ([]bool, error) {
	if g.positions.IsEmpty() && len(g.equal) == 0 {
		return nil, nil
	}
	dead := make([]bool, batch.NumRows())
	if !g.positions.IsEmpty() {
		for i := range dead {
			dead[i] = g.positions.Contains(uint64(first) + uint64(i))
		}
	}
	for _, sets := range g.equal {
		if err := markEqual(ctx, sets, batch, schema, dead); err != nil {
			return nil, err
		}
	}
	return dead, nil
}

// markEqual marks the rows whose key is in one of sets.
func markEqual(ctx context.Context, sets []*keySet, batch arrow.RecordBatch, schema *iceberg.Schema, dead []bool) error {
	keys, err := table.ToRequestedSchema(ctx, iceberg.NewSchema(0, sets[0].fields...), schema, batch, table.SchemaOptions{})
	if err != nil {
		return err
	}
	defer keys.Release()
	encode, err := newEncoder(keys)
	if err != nil {
		return err
	}
	var key []byte
	for i := range dead {
		if dead[i] {
			continue
		}
		key = encode(key[:0], i)
		for _, set := range sets {
			if set.has(key) {
				dead[i] = true
				break
			}
		}
	}
	return nil
}

// positionColumns are the columns of a batch of a position delete file.
func positionColumns(batch arrow.RecordBatch) (paths *array.String, positions *array.Int64, err error) {
	paths, okPath := batch.Column(0).(*array.String)
	positions, okPos := batch.Column(1).(*array.Int64)
	if !okPath || !okPos {
		return nil, nil, errors.New("its columns are not file_path and pos")
	}
	return paths, positions, nil
}
