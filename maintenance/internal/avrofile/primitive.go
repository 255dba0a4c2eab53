package avrofile

import (
	"fmt"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
)

// primitive is the form of a type without parts.
func (f *former) primitive(t iceberg.Type) (form, error) {
	switch t := t.(type) {
	case iceberg.BooleanType:
		return form{`"boolean"`, bindBoolean}, nil
	case iceberg.Int32Type:
		return form{`"int"`, bindWhole[int32]}, nil
	case iceberg.Int64Type:
		return form{`"long"`, bindWhole[int64]}, nil
	case iceberg.Float32Type:
		return form{`"float"`, bindFloat}, nil
	case iceberg.Float64Type:
		return form{`"double"`, bindDouble}, nil
	case iceberg.DateType:
		return form{`{"type":"int","logicalType":"date"}`, bindWhole[arrow.Date32]}, nil
	case iceberg.TimeType:
		return form{`{"type":"long","logicalType":"time-micros"}`, bindTime}, nil
	case iceberg.TimestampType:
		return timestamp("micros", false, arrow.Microsecond), nil
	case iceberg.TimestampTzType:
		return timestamp("micros", true, arrow.Microsecond), nil
	case iceberg.TimestampNsType:
		return timestamp("nanos", false, arrow.Nanosecond), nil
	case iceberg.TimestampTzNsType:
		return timestamp("nanos", true, arrow.Nanosecond), nil
	case iceberg.StringType:
		return form{`"string"`, bindText}, nil
	case iceberg.BinaryType, iceberg.GeometryType, iceberg.GeographyType:
		return form{`"bytes"`, bindBytes}, nil
	case iceberg.FixedType:
		return form{f.fixed(fmt.Sprintf("fixed_%d", t.Len()), t.Len(), ""), bindFixed(t.Len())}, nil
	case iceberg.UUIDType:
		return form{f.fixed("uuid_fixed", uuidBytes, `,"logicalType":"uuid"`), bindFixed(uuidBytes)}, nil
	case iceberg.DecimalType:
		width := decimalBytes(t.Precision())
		logical := fmt.Sprintf(`,"logicalType":"decimal","precision":%d,"scale":%d`, t.Precision(), t.Scale())
		return form{f.fixed(fmt.Sprintf("decimal_%d_%d", t.Precision(), t.Scale()), width, logical), bindDecimal(width, t)}, nil
	}
	return form{}, fmt.Errorf("%w: type %s cannot be written as Avro", maintenance.ErrUnsupported, t)
}

const uuidBytes = 16

func timestamp(unit string, zoned bool, arrowUnit arrow.TimeUnit) form {
	return form{fmt.Sprintf(`{"type":"long","logicalType":"timestamp-%s","adjust-to-utc":%t}`, unit, zoned), bindTimestamp(arrowUnit)}
}

// fixed is a type of values of so many bytes: its definition the first time, then
// its name.
func (f *former) fixed(name string, size int, props string) string {
	if f.defined[name] {
		return `"` + name + `"`
	}
	f.defined[name] = true
	return fmt.Sprintf(`{"type":"fixed","name":"%s","size":%d%s}`, name, size, props)
}

// decimalBytes is how many bytes decimals of so many digits need, with their sign
// (Java: TypeUtil.decimalRequiredBytes).
func decimalBytes(digits int) int {
	largest := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	return (largest.Sub(largest, big.NewInt(1)).BitLen() + 1 + 7) / 8
}
