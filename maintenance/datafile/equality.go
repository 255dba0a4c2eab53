package datafile

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
)

// keySet is keys of an equality delete file.
type keySet struct {
	ids    []int
	fields []iceberg.NestedField
	keyTable
}

// newKeySet makes an empty set for the keys of an equality delete file, in the
// types that the columns have in the table.
func (d *deletes) newKeySet(file iceberg.DataFile) (*keySet, error) {
	set := &keySet{ids: file.EqualityFieldIDs(), keyTable: keyTable{seed: d.seed}}
	for _, id := range set.ids {
		f, ok := d.field(id)
		if !ok {
			return nil, fmt.Errorf("%w: equality deletes by field %d, which is no top-level column of a schema of the table", maintenance.ErrUnsupported, id)
		}
		f.Required = false
		set.fields = append(set.fields, f)
	}
	return set, nil
}

// eachKey reads the keys of an equality delete file into a set, and calls added
// after some.
func (d *deletes) eachKey(ctx context.Context, file iceberg.DataFile, set *keySet, added func() error) error {
	return d.each(ctx, file, set.fields, func(batch arrow.RecordBatch) error {
		encode, err := newEncoder(batch)
		if err != nil {
			return err
		}
		var key []byte
		for i := range int(batch.NumRows()) {
			key = encode(key[:0], i)
			set.add(key)
		}
		return added()
	})
}

// field finds a column by id: in the current schema, or the newest that has it.
func (d *deletes) field(id int) (iceberg.NestedField, bool) {
	if f, ok := topLevel(d.meta.CurrentSchema(), id); ok {
		return f, true
	}
	schemas := d.meta.Schemas()
	for i := len(schemas) - 1; i >= 0; i-- {
		if f, ok := topLevel(schemas[i], id); ok {
			return f, true
		}
	}
	return iceberg.NestedField{}, false
}

func topLevel(schema *iceberg.Schema, id int) (iceberg.NestedField, bool) {
	for _, f := range schema.Fields() {
		if f.ID == id {
			return f, true
		}
	}
	return iceberg.NestedField{}, false
}

// encoder appends the key of a row, by which two rows are equal: NULL equals
// NULL, and NaN NaN (Java Iceberg: StructLikeSet).
type encoder func(key []byte, row int) []byte

func newEncoder(batch arrow.RecordBatch) (encoder, error) {
	columns := make([]encoder, batch.NumCols())
	for i := range columns {
		encode, err := columnEncoder(batch.Column(i))
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", batch.ColumnName(i), err)
		}
		columns[i] = encode
	}
	return func(key []byte, row int) []byte {
		for i, encode := range columns {
			if batch.Column(i).IsNull(row) {
				key = append(key, 0)
				continue
			}
			key = encode(append(key, 1), row)
		}
		return key
	}, nil
}

func columnEncoder(arr arrow.Array) (encoder, error) {
	whole := func(value func(int) int64) encoder {
		return func(key []byte, row int) []byte { return binary.BigEndian.AppendUint64(key, uint64(value(row))) }
	}
	text := func(value func(int) []byte) encoder {
		return func(key []byte, row int) []byte {
			v := value(row)
			return append(binary.AppendUvarint(key, uint64(len(v))), v...)
		}
	}
	switch a := arr.(type) {
	case *array.Null:
		return func(key []byte, _ int) []byte { return key }, nil
	case *array.Boolean:
		return func(key []byte, row int) []byte {
			if a.Value(row) {
				return append(key, 1)
			}
			return append(key, 0)
		}, nil
	case *array.Int32:
		return whole(func(i int) int64 { return int64(a.Value(i)) }), nil
	case *array.Int64:
		return whole(a.Value), nil
	case *array.Date32:
		return whole(func(i int) int64 { return int64(a.Value(i)) }), nil
	case *array.Time64:
		return whole(func(i int) int64 { return int64(a.Value(i)) }), nil
	case *array.Timestamp:
		return whole(func(i int) int64 { return int64(a.Value(i)) }), nil
	case *array.Float32:
		return whole(func(i int) int64 { return int64(floatBits(float64(a.Value(i)))) }), nil
	case *array.Float64:
		return whole(func(i int) int64 { return int64(floatBits(a.Value(i))) }), nil
	case *array.Decimal128:
		return func(key []byte, row int) []byte {
			v := a.Value(row)
			return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(key, uint64(v.HighBits())), v.LowBits())
		}, nil
	case *array.String:
		return text(func(i int) []byte { return []byte(a.Value(i)) }), nil
	case *array.Binary:
		return text(a.Value), nil
	case *array.FixedSizeBinary:
		return text(a.Value), nil
	case *extensions.UUIDArray:
		return text(func(i int) []byte { v := a.Value(i); return v[:] }), nil
	}
	return nil, fmt.Errorf("%w: equality deletes by a column of type %s", maintenance.ErrUnsupported, arr.DataType())
}

// floatBits is the same for all NaNs.
func floatBits(f float64) uint64 {
	if math.IsNaN(f) {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(f)
}
