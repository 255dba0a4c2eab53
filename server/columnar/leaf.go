package columnar

import (
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
)

// Leaf is a column of a batch, or a field nested in one.
type Leaf struct {
	// Path is the name of the column, and those of the fields within it.
	Path []string
	// Type is the leaf's own.
	Type iceberg.Type
}

// kindOf is how the values of a leaf are held and made the engine's.
func kindOf(t iceberg.Type) (kind, form) {
	switch t.(type) {
	case iceberg.BooleanType:
		return whole, asInt8
	case iceberg.Int32Type:
		return whole, asInt32
	case iceberg.Int64Type:
		return whole, asInt64
	case iceberg.Float32Type:
		return real, asFloat32
	case iceberg.Float64Type:
		return real, asFloat64
	case iceberg.StringType:
		return text, asString
	case iceberg.DateType, iceberg.TimestampType, iceberg.TimestampTzType, iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		return moment, asTime
	}
	return opaque, mixed
}

// find is the leaf's array in a batch, and the arrays of the structs around it,
// whose NULL is its NULL.
func (l Leaf) find(batch arrow.RecordBatch) (arr arrow.Array, around []arrow.Array, err error) {
	at := batch.Schema().FieldIndices(l.Path[0])
	if len(at) != 1 {
		return nil, nil, fmt.Errorf("a batch has %d columns %q", len(at), l.Path[0])
	}
	arr = batch.Column(at[0])
	for _, name := range l.Path[1:] {
		parent, ok := arr.(*array.Struct)
		if !ok {
			return nil, nil, fmt.Errorf("field %q of %s: it is no struct", name, arr.DataType())
		}
		i, ok := parent.DataType().(*arrow.StructType).FieldIdx(name)
		if !ok {
			return nil, nil, fmt.Errorf("%s has no field %q", arr.DataType(), name)
		}
		if arr.NullN() > 0 {
			around = append(around, arr)
		}
		arr = parent.Field(i)
	}
	return arr, around, nil
}

// readLeaf is the kernel that reads a leaf. Times with zone become the wall
// clock of zone.
func readLeaf(l Leaf, zone *time.Location) kernel {
	var v vector
	var nulls []bool
	return func(b *batch) (*vector, error) {
		arr, around, err := l.find(b.record)
		if err != nil {
			return nil, err
		}
		v.null = nil
		if _, void := arr.(*array.Null); void || arr.NullN() > 0 || len(around) > 0 {
			nulls = resized(nulls, arr.Len())
			for i := range nulls {
				nulls[i] = void || arr.IsNull(i)
			}
			for _, parent := range around {
				for i := range nulls {
					nulls[i] = nulls[i] || parent.IsNull(i)
				}
			}
			v.null = nulls
		}
		return &v, v.read(l.Type, arr, zone)
	}
}

// read sets the values from arr.
func (v *vector) read(t iceberg.Type, arr arrow.Array, zone *time.Location) error {
	n := arr.Len()
	k, _ := kindOf(t)
	v.prepare(k, n)
	switch a := arr.(type) {
	case *array.Null:
	case *array.Boolean:
		for i := range n {
			v.wholes[i] = 0
			if a.Value(i) {
				v.wholes[i] = 1
			}
		}
	case *array.Int32:
		for i, value := range a.Int32Values() {
			v.wholes[i] = int64(value)
		}
	case *array.Int64:
		copy(v.wholes, a.Int64Values())
	case *array.Float32:
		for i, value := range a.Float32Values() {
			v.reals[i] = float64(value)
		}
	case *array.Float64:
		copy(v.reals, a.Float64Values())
	case *array.Date32:
		for i, value := range a.Date32Values() {
			v.wholes[i] = int64(value) * (24 * time.Hour).Microseconds()
		}
	case *array.Timestamp:
		v.readTimes(t, a, zone)
	case array.StringLike:
		for i := range n {
			v.texts[i] = a.Value(i)
		}
	default:
		if k != opaque {
			return fmt.Errorf("type %s is stored as %s, which cannot be read", t, arr.DataType())
		}
	}
	return nil
}

func (v *vector) readTimes(t iceberg.Type, a *array.Timestamp, zone *time.Location) {
	switch t.(type) {
	case iceberg.TimestampTzType, iceberg.TimestampTzNsType:
	default:
		zone = time.UTC
	}
	unit := a.DataType().(*arrow.TimestampType).Unit
	for i, value := range a.TimestampValues() {
		switch {
		case zone == time.UTC && unit == arrow.Microsecond:
			v.wholes[i] = int64(value)
		case v.isNull(i):
		default:
			at := FloorMicros(value.ToTime(unit)).In(zone)
			_, offset := at.Zone()
			v.wholes[i] = at.UnixMicro() + int64(offset)*time.Second.Microseconds()
		}
	}
}

// FloorMicros is the last full microsecond that is not after t.
func FloorMicros(t time.Time) time.Time {
	return t.Add(-time.Duration(t.Nanosecond() % int(time.Microsecond)))
}
