package metatables

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/datafile"
)

// appendValue writes a partition value or a bound, as manifests hold them, to
// a builder of the column's current type.
func appendValue(to array.Builder, v any) error { return datafile.AppendValue(to, v) }

func asWhole(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int32:
		return int64(n), true
	case int64:
		return n, true
	case iceberg.Date:
		return int64(n), true
	case iceberg.Time:
		return int64(n), true
	case iceberg.Timestamp:
		return int64(n), true
	case iceberg.TimestampNano:
		return int64(n), true
	}
	return 0, false
}

func asDouble(v any) (float64, bool) {
	switch f := v.(type) {
	case float32:
		return float64(f), true
	case float64:
		return f, true
	}
	return 0, false
}

func asDecimal(v any) (decimal128.Num, bool) {
	switch d := v.(type) {
	case iceberg.Decimal:
		return d.Val, true
	case iceberg.DecimalLiteral:
		return d.Val, true
	}
	return decimal128.Num{}, false
}

// maxDecimalBytes is how long a decimal of 38 digits is; LiteralFromBytes
// panics on longer ones.
const maxDecimalBytes = 16

// boundValue decodes a bound in the single-value serialization of the
// specification (appendix D). A column promoted from int, float or date to a
// longer type still has bounds of the shorter, which are returned as such. A
// type without such a serialization has no bounds: nil.
func boundValue(typ iceberg.Type, bound []byte) (any, error) {
	from := typ
	switch typ.(type) {
	case iceberg.UnknownType, iceberg.VariantType, iceberg.GeometryType, iceberg.GeographyType:
		return nil, nil
	case iceberg.Int64Type:
		if len(bound) == 4 {
			from = iceberg.PrimitiveTypes.Int32
		}
	case iceberg.Float64Type:
		if len(bound) == 4 {
			from = iceberg.PrimitiveTypes.Float32
		}
	case iceberg.TimestampType, iceberg.TimestampNsType:
		if len(bound) == 4 {
			from = iceberg.PrimitiveTypes.Date
		}
	}
	if _, ok := typ.(iceberg.DecimalType); ok && len(bound) > maxDecimalBytes {
		return nil, fmt.Errorf("bound %x is no value of type %s: it is longer than %d bytes", bound, typ, maxDecimalBytes)
	}
	literal, err := iceberg.LiteralFromBytes(from, bound)
	if err != nil {
		return nil, fmt.Errorf("bound %x is no value of type %s: %w", bound, typ, err)
	}
	return literal.Any(), nil
}
