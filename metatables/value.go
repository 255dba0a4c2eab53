package metatables

import (
	"fmt"

	"github.com/apache/iceberg-go"
)

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
