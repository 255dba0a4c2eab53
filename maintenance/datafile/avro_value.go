package datafile

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/parquet/variant"
	"github.com/apache/iceberg-go"
	"github.com/google/uuid"
	"github.com/twmb/avro"

	"github.com/firndb/firn/maintenance"
)

// avroValue appends a decoded value to the builder of its type. It is not
// called for null.
type avroValue func(to array.Builder, v any) error

func (f avroValue) append(to array.Builder, v any) error {
	if v == nil {
		to.AppendNull()
		return nil
	}
	return f(to, v)
}

// appendAvroFields appends the fields of a record, each to its builder.
func appendAvroFields(fields []avroField, builder func(i int) array.Builder, record any) error {
	values, ok := record.(map[string]any)
	if !ok {
		return fmt.Errorf("a record is a %T", record)
	}
	for i, f := range fields {
		if err := f.value.append(builder(i), values[f.name]); err != nil {
			return fmt.Errorf("field %q: %w", f.name, err)
		}
	}
	return nil
}

// decodedBytes is about how many bytes a decoded value takes.
func decodedBytes(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	case []any:
		n := 0
		for _, e := range v {
			n += decodedBytes(e)
		}
		return n
	case map[string]any:
		n := 0
		for _, e := range v {
			n += decodedBytes(e)
		}
		return n
	}
	return 8
}

func nullValue(to array.Builder, _ any) error {
	to.AppendNull()
	return nil
}

func structValue(fields []avroField) avroValue {
	return func(to array.Builder, v any) error {
		b, ok := to.(*array.StructBuilder)
		if !ok {
			return mismatch(to, v)
		}
		b.Append(true)
		return appendAvroFields(fields, b.FieldBuilder, v)
	}
}

func listValue(element avroValue) avroValue {
	return func(to array.Builder, v any) error {
		b, okBuilder := to.(*array.ListBuilder)
		elements, okValue := v.([]any)
		if !okBuilder || !okValue {
			return mismatch(to, v)
		}
		b.Append(true)
		for _, e := range elements {
			if err := element.append(b.ValueBuilder(), e); err != nil {
				return err
			}
		}
		return nil
	}
}

// mapValue appends maps with text keys, sorted, as the decoder forgets their
// order.
func mapValue(value avroValue) avroValue {
	return func(to array.Builder, v any) error {
		b, okBuilder := to.(*array.MapBuilder)
		entries, okValue := v.(map[string]any)
		if !okBuilder || !okValue {
			return mismatch(to, v)
		}
		b.Append(true)
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			if err := AppendValue(b.KeyBuilder(), key); err != nil {
				return err
			}
			if err := value.append(b.ItemBuilder(), entries[key]); err != nil {
				return err
			}
		}
		return nil
	}
}

func entriesValue(key, value avroField) avroValue {
	return func(to array.Builder, v any) error {
		b, okBuilder := to.(*array.MapBuilder)
		entries, okValue := v.([]any)
		if !okBuilder || !okValue {
			return mismatch(to, v)
		}
		b.Append(true)
		for _, entry := range entries {
			parts, _ := entry.(map[string]any)
			if err := key.value.append(b.KeyBuilder(), parts[key.name]); err != nil {
				return err
			}
			if err := value.value.append(b.ItemBuilder(), parts[value.name]); err != nil {
				return err
			}
		}
		return nil
	}
}

func variantValue(to array.Builder, v any) error {
	b, okBuilder := to.(*extensions.VariantBuilder)
	parts, okValue := v.(map[string]any)
	if !okBuilder || !okValue {
		return mismatch(to, v)
	}
	metadata, _ := parts["metadata"].([]byte)
	value, _ := parts["value"].([]byte)
	read, err := variant.New(metadata, value)
	if err != nil {
		return err
	}
	b.Append(read)
	return nil
}

func mismatch(to array.Builder, v any) error {
	return fmt.Errorf("a %T cannot be read as arrow type %s", v, to.Type())
}

// scaled appends whole numbers times a factor.
func scaled(factor int64) avroValue {
	return func(to array.Builder, v any) error {
		n, ok := Whole(v)
		if !ok || n*factor/factor != n {
			return mismatch(to, v)
		}
		return AppendValue(to, n*factor)
	}
}

// avroPrimitive is a type without parts.
func avroPrimitive(n *avro.SchemaNode) (iceberg.Type, avroValue, error) {
	same := avroValue(AppendValue)
	switch n.Type {
	case "null":
		return iceberg.UnknownType{}, nullValue, nil
	case "boolean":
		return iceberg.PrimitiveTypes.Bool, same, nil
	case "int":
		switch n.LogicalType {
		case "date":
			return iceberg.PrimitiveTypes.Date, same, nil
		case "time-millis":
			return iceberg.PrimitiveTypes.Time, scaled(1000), nil
		}
		return iceberg.PrimitiveTypes.Int32, same, nil
	case "long":
		typ, value := avroLong(n)
		return typ, value, nil
	case "float":
		return iceberg.PrimitiveTypes.Float32, same, nil
	case "double":
		return iceberg.PrimitiveTypes.Float64, same, nil
	case "string", "enum":
		return iceberg.PrimitiveTypes.String, same, nil
	case "bytes", "fixed":
		switch n.LogicalType {
		case "decimal":
			return iceberg.DecimalTypeOf(n.Precision, n.Scale), decimalValue(n.Scale), nil
		case "uuid":
			return iceberg.PrimitiveTypes.UUID, uuidValue, nil
		}
		if n.Type == "fixed" {
			return iceberg.FixedTypeOf(n.Size), same, nil
		}
		return iceberg.PrimitiveTypes.Binary, same, nil
	}
	return nil, nil, fmt.Errorf("%w: Avro type %s", maintenance.ErrUnsupported, n.Type)
}

func avroLong(n *avro.SchemaNode) (iceberg.Type, avroValue) {
	zoned, _ := n.Props["adjust-to-utc"].(bool)
	timestamp := func(factor int64) (iceberg.Type, avroValue) {
		if zoned {
			return iceberg.PrimitiveTypes.TimestampTz, scaled(factor)
		}
		return iceberg.PrimitiveTypes.Timestamp, scaled(factor)
	}
	switch n.LogicalType {
	case "time-micros":
		return iceberg.PrimitiveTypes.Time, scaled(1)
	case "timestamp-millis":
		return timestamp(1000)
	case "timestamp-micros":
		return timestamp(1)
	case "local-timestamp-millis":
		return iceberg.PrimitiveTypes.Timestamp, scaled(1000)
	case "local-timestamp-micros":
		return iceberg.PrimitiveTypes.Timestamp, scaled(1)
	case "timestamp-nanos":
		if zoned {
			return iceberg.PrimitiveTypes.TimestampTzNs, scaled(1)
		}
		return iceberg.PrimitiveTypes.TimestampNs, scaled(1)
	}
	return iceberg.PrimitiveTypes.Int64, scaled(1)
}

// decimalValue reads unscaled values in two's complement, the highest byte first.
func decimalValue(scale int) avroValue {
	return func(to array.Builder, v any) error {
		digits, ok := v.([]byte)
		if !ok {
			return mismatch(to, v)
		}
		n := new(big.Int).SetBytes(digits)
		if len(digits) > 0 && digits[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(digits))))
		}
		if n.BitLen() > 127 {
			return fmt.Errorf("%w: a decimal of %d bits", maintenance.ErrUnsupported, n.BitLen())
		}
		return AppendValue(to, iceberg.Decimal{Val: decimal128.FromBigInt(n), Scale: scale})
	}
}

func uuidValue(to array.Builder, v any) error {
	raw, ok := v.([]byte)
	if !ok || len(raw) != 16 {
		return mismatch(to, v)
	}
	return AppendValue(to, uuid.UUID(raw))
}
