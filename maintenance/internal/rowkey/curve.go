package rowkey

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/google/uuid"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/column"
	"github.com/firndb/firn/maintenance/internal/zcurve"
)

// Curve orders rows by their place on a space-filling curve.
type Curve struct {
	// Columns are field ids.
	Columns []int
	// Hilbert chooses the Hilbert curve, else it is the Z-order.
	Hilbert bool
	// VarLength is how many bytes of a string or binary value count, and MaxBytes
	// how many bytes of the place, both for the Z-order only.
	VarLength, MaxBytes int
}

// width is how many bytes a column contributes.
func (c *Curve) width(a arrow.Array) int {
	switch a.(type) {
	case *array.String, *array.LargeString, *array.Binary, *array.LargeBinary, *array.FixedSizeBinary, *extensions.UUIDArray:
		if !c.Hilbert {
			return c.VarLength
		}
	}
	return zcurve.PrimitiveBytes
}

// places are the rows' places on a curve.
type places struct {
	width int
	data  []byte
}

// encodeCurve finds the places of a batch's rows; there are none without a
// curve.
func (e *Encoder) encodeCurve(batch arrow.RecordBatch) (places, error) {
	if e.curve == nil {
		return places{}, nil
	}
	rows := int(batch.NumRows())
	columns := make([]zcurve.Column, len(e.curveColumns))
	for i, f := range e.curveColumns {
		chain, err := column.Chain(batch, f.path)
		if err != nil {
			return places{}, err
		}
		leaf := chain[len(chain)-1]
		put, err := curveBytes(leaf)
		if err != nil {
			return places{}, err
		}
		c := zcurve.Column{Width: e.curve.width(leaf)}
		c.Data = make([]byte, rows*c.Width)
		valid := validity(chain)
		for row := range rows {
			// NULL is all zeros.
			if valid(row) {
				put(c.Data[row*c.Width:(row+1)*c.Width], row)
			}
		}
		columns[i] = c
	}
	if e.curve.Hilbert {
		width, data := zcurve.Hilbert(columns, rows)
		return places{width, data}, nil
	}
	width, data := zcurve.ZOrder(columns, rows, e.curve.MaxBytes)
	return places{width, data}, nil
}

// curveBytes writes values as SparkZOrderUDF does, of zeroed bytes that they may
// fill. Types that Spark has not, or refuses, take part in the same manner.
func curveBytes(a arrow.Array) (func(dst []byte, row int), error) {
	switch a := a.(type) {
	case *array.Boolean:
		return func(dst []byte, row int) { zcurve.PutBool(dst, a.Value(row)) }, nil
	case *array.Int32:
		return func(dst []byte, row int) { zcurve.PutInt(dst, int64(a.Value(row))) }, nil
	case *array.Date32:
		return func(dst []byte, row int) { zcurve.PutInt(dst, int64(a.Value(row))) }, nil
	case *array.Int64:
		return func(dst []byte, row int) { zcurve.PutInt(dst, a.Value(row)) }, nil
	case *array.Time64:
		return func(dst []byte, row int) { zcurve.PutInt(dst, int64(a.Value(row))) }, nil
	case *array.Timestamp:
		return timestampBytes(a), nil
	case *array.Float32:
		return func(dst []byte, row int) { zcurve.PutFloat(dst, float64(a.Value(row))) }, nil
	case *array.Float64:
		return func(dst []byte, row int) { zcurve.PutFloat(dst, a.Value(row)) }, nil
	case *array.Decimal128:
		return decimalBytes(a), nil
	case *array.String:
		return func(dst []byte, row int) { zcurve.PutString(dst, a.Value(row)) }, nil
	case *array.LargeString:
		return func(dst []byte, row int) { zcurve.PutString(dst, a.Value(row)) }, nil
	case *array.Binary:
		return func(dst []byte, row int) { copy(dst, a.Value(row)) }, nil
	case *array.LargeBinary:
		return func(dst []byte, row int) { copy(dst, a.Value(row)) }, nil
	case *array.FixedSizeBinary:
		return func(dst []byte, row int) { copy(dst, a.Value(row)) }, nil
	case *extensions.UUIDArray:
		// Spark's type for UUIDs is string.
		return func(dst []byte, row int) { copy(dst, uuid.UUID(a.Value(row)).String()) }, nil
	}
	return nil, fmt.Errorf("%w: a column of type %s cannot take part in a curve", maintenance.ErrUnsupported, a.DataType())
}

// timestampBytes are seconds for a timestamp of microseconds with time zone, as
// Spark casts it, else the number as it is.
func timestampBytes(a *array.Timestamp) func(dst []byte, row int) {
	unit := int64(1)
	if t, ok := a.DataType().(*arrow.TimestampType); ok && t.TimeZone != "" && t.Unit == arrow.Microsecond {
		unit = 1_000_000
	}
	return func(dst []byte, row int) { zcurve.PutInt(dst, floorDiv(int64(a.Value(row)), unit)) }
}

func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

// decimalBytes are the unscaled number where it has 64 bits at most, else the
// nearest double. Spark refuses decimals.
func decimalBytes(a *array.Decimal128) func(dst []byte, row int) {
	if t, ok := a.DataType().(*arrow.Decimal128Type); ok && t.Precision <= 18 {
		return func(dst []byte, row int) { zcurve.PutInt(dst, int64(a.Value(row).LowBits())) }
	}
	return func(dst []byte, row int) { zcurve.PutFloat(dst, a.Value(row).ToFloat64(0)) }
}
