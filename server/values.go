package server

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/firndb/firn/server/columnar"
	"github.com/firndb/firn/server/nested"
)

// cells reads the cells of one column of a record batch as the engine's values.
// The values do not refer to the batch.
type cells func(i int) any

// newCells reads arr, a column of Iceberg type t. Times with zone become wall
// clock in zone.
func newCells(t iceberg.Type, arr arrow.Array, zone *time.Location) (cells, error) {
	read, err := valuesOf(t, arr, zone)
	if err != nil {
		return nil, err
	}
	isNull := arr.IsNull
	if v, ok := arr.(*extensions.VariantArray); ok {
		// A variant that holds null is not NULL.
		isNull = v.Storage().IsNull
	}
	return func(i int) any {
		if isNull(i) {
			return nil
		}
		return read(i)
	}, nil
}

// valuesOf is newCells without NULL.
func valuesOf(t iceberg.Type, arr arrow.Array, zone *time.Location) (cells, error) {
	switch t.(type) {
	case *iceberg.StructType, *iceberg.ListType, *iceberg.MapType:
		return nestedValues(t, arr, zone)
	}
	switch a := arr.(type) {
	case *array.Null:
		return func(int) any { return nil }, nil
	case *array.Boolean:
		return func(i int) any {
			if a.Value(i) {
				return sql.True
			}
			return sql.False
		}, nil
	case *array.Int32:
		return func(i int) any { return a.Value(i) }, nil
	case *array.Int64:
		return func(i int) any { return a.Value(i) }, nil
	case *array.Float32:
		return func(i int) any { return a.Value(i) }, nil
	case *array.Float64:
		return func(i int) any { return a.Value(i) }, nil
	case *array.Decimal128:
		return decimals(a.DataType(), func(i int) decimal.Decimal { return decimal.NewFromBigInt(a.Value(i).BigInt(), 0) })
	case *array.Date32:
		return func(i int) any { return a.Value(i).ToTime() }, nil
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit
		return func(i int) any {
			return types.Timespan(time.Duration(a.Value(i)) * unit.Multiplier() / time.Microsecond)
		}, nil
	case *array.Timestamp:
		return timestamps(t, a, zone), nil
	case array.StringLike:
		return func(i int) any { return strings.Clone(a.Value(i)) }, nil
	case *extensions.UUIDArray:
		return func(i int) any { return a.Value(i).String() }, nil
	case *extensions.VariantArray:
		return variants(a, zone), nil
	case *array.FixedSizeBinary:
		return func(i int) any { return bytes.Clone(a.Value(i)) }, nil
	case *array.Binary:
		return func(i int) any { return bytes.Clone(a.Value(i)) }, nil
	case *array.LargeBinary:
		return func(i int) any { return bytes.Clone(a.Value(i)) }, nil
	}
	return nil, fmt.Errorf("column of type %s is stored as %s, which cannot be read", t, arr.DataType())
}

// decimals reads whole numbers that are to be divided by ten to the scale. A
// scale that the engine cannot hold makes them text.
func decimals(t arrow.DataType, whole func(i int) decimal.Decimal) (cells, error) {
	dt, ok := t.(arrow.DecimalType)
	if !ok {
		return nil, fmt.Errorf("decimal column is stored as %s", t)
	}
	scale := dt.GetScale()
	if scale > maxScale {
		return func(i int) any { return whole(i).Shift(-scale).StringFixed(scale) }, nil
	}
	return func(i int) any { return whole(i).Shift(-scale) }, nil
}

// timestamps reads times, which the engine has in microseconds: what is below one
// is cut off, since rounding could make a time the next day's.
func timestamps(t iceberg.Type, a *array.Timestamp, zone *time.Location) cells {
	unit := a.DataType().(*arrow.TimestampType).Unit
	switch t.(type) {
	case iceberg.TimestampTzType, iceberg.TimestampTzNsType:
	default:
		zone = time.UTC
	}
	return func(i int) any { return wall(columnar.FloorMicros(a.Value(i).ToTime(unit)), zone) }
}

// nestedValues reads a column of structs, lists or maps.
func nestedValues(t iceberg.Type, arr arrow.Array, zone *time.Location) (cells, error) {
	st, err := typeOf(t)
	if err != nil {
		return nil, err
	}
	typ, ok := st.(*nested.Type)
	if !ok {
		return nil, fmt.Errorf("type %s is not nested", t)
	}
	switch a := arr.(type) {
	case *array.Struct:
		st, ok := t.(*iceberg.StructType)
		if !ok {
			return nil, fmt.Errorf("column of type %s is stored as %s, which cannot be read", typ, arr.DataType())
		}
		return structValues(st, typ, a, zone)
	case *array.Map:
		mt, ok := t.(*iceberg.MapType)
		if !ok {
			return nil, fmt.Errorf("column of type %s is stored as %s, which cannot be read", typ, arr.DataType())
		}
		keys, err := newCells(mt.KeyType, a.Keys(), zone)
		if err != nil {
			return nil, err
		}
		items, err := newCells(mt.ValueType, a.Items(), zone)
		if err != nil {
			return nil, err
		}
		return func(i int) any {
			start, end := a.ValueOffsets(i)
			v := &nested.Value{Type: typ, Cells: make([]any, 0, 2*(end-start))}
			for j := int(start); j < int(end); j++ {
				v.Cells = append(v.Cells, keys(j), items(j))
			}
			return v
		}, nil
	case array.ListLike:
		lt, ok := t.(*iceberg.ListType)
		if !ok {
			return nil, fmt.Errorf("column of type %s is stored as %s, which cannot be read", typ, arr.DataType())
		}
		elements, err := newCells(lt.Element, a.ListValues(), zone)
		if err != nil {
			return nil, err
		}
		return func(i int) any {
			start, end := a.ValueOffsets(i)
			v := &nested.Value{Type: typ, Cells: make([]any, 0, end-start)}
			for j := int(start); j < int(end); j++ {
				v.Cells = append(v.Cells, elements(j))
			}
			return v
		}, nil
	}
	return nil, fmt.Errorf("column of type %s is stored as %s, which cannot be read", t, arr.DataType())
}

func structValues(t *iceberg.StructType, typ *nested.Type, a *array.Struct, zone *time.Location) (cells, error) {
	at, ok := a.DataType().(*arrow.StructType)
	if !ok {
		return nil, fmt.Errorf("column of type %s is stored as %s, which cannot be read", typ, a.DataType())
	}
	fields := make([]cells, len(typ.Parts))
	for f := range typ.Parts {
		index, ok := at.FieldIdx(typ.Names[f])
		if !ok {
			return nil, fmt.Errorf("column of type %s is stored without field %q", typ, typ.Names[f])
		}
		read, err := newCells(t.FieldList[f].Type, a.Field(index), zone)
		if err != nil {
			return nil, err
		}
		fields[f] = read
	}
	return func(i int) any {
		v := &nested.Value{Type: typ, Cells: make([]any, len(fields))}
		for f, read := range fields {
			v.Cells[f] = read(i)
		}
		return v
	}, nil
}
