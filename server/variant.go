package server

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/parquet/variant"

	"github.com/firndb/firn/server/nested"
)

// variants reads a column of variants as JSON. The library's own JSON makes
// null of an empty array and shows times in the machine's zone.
func variants(a *extensions.VariantArray, zone *time.Location) cells {
	return func(i int) any {
		v, err := a.Value(i)
		if err != nil {
			return a.ValueStr(i)
		}
		return string(appendVariant(nil, v, zone))
	}
}

// appendVariant appends v as Spark's to_json shows it: times with zone in zone,
// bytes in base64.
func appendVariant(b []byte, v variant.Value, zone *time.Location) []byte {
	switch x := v.Value().(type) {
	case variant.ArrayValue:
		b = append(b, '[')
		for i := range x.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			element, err := x.Value(i)
			if err != nil {
				return append(b, "null]"...)
			}
			b = appendVariant(b, element, zone)
		}
		return append(b, ']')
	case variant.ObjectValue:
		b = append(b, '{')
		first := true
		for name, value := range x.Values() {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(nested.AppendText(b, name), ':')
			b = appendVariant(b, value, zone)
		}
		return append(b, '}')
	case string:
		return nested.AppendText(b, x)
	case float32:
		return nested.AppendFloat(b, float64(x), 32)
	case float64:
		return nested.AppendFloat(b, x, 64)
	case arrow.Date32:
		return strconv.AppendQuote(b, x.FormattedString())
	case arrow.Time64:
		return strconv.AppendQuote(b, x.ToTime(arrow.Microsecond).Format("15:04:05.999999"))
	case arrow.Timestamp:
		return strconv.AppendQuote(b, variantTime(x, v.Type(), zone))
	default:
		text, err := json.Marshal(x)
		if err != nil {
			return append(b, "null"...)
		}
		return append(b, text...)
	}
}

// variantTime shows a timestamp of one of the variants' four types.
func variantTime(at arrow.Timestamp, of variant.Type, zone *time.Location) string {
	const wall, zoned = "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999-07:00"
	switch of {
	case variant.TimestampMicros:
		return at.ToTime(arrow.Microsecond).In(zone).Format(zoned)
	case variant.TimestampNanos:
		return at.ToTime(arrow.Nanosecond).In(zone).Format(zoned)
	case variant.TimestampMicrosNTZ:
		return at.ToTime(arrow.Microsecond).UTC().Format(wall)
	default:
		return at.ToTime(arrow.Nanosecond).UTC().Format(wall)
	}
}
