package rowkey

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firndb/firn/maintenance"
	"github.com/firndb/firn/maintenance/internal/column"
)

// transformed is a column after its transform, nulls included. The identity
// changes nothing.
func (f boundField) transformed(chain []arrow.Array) (values arrow.Array, changed bool, err error) {
	source := chain[len(chain)-1]
	if _, same := f.Transform.(iceberg.IdentityTransform); same {
		return source, false, nil
	}
	valid := validity(chain)
	out, err := newResults(f.Transform, f.typ, source.Len())
	if err != nil {
		return nil, false, err
	}
	defer out.builder.Release()
	for row := range source.Len() {
		if !valid(row) {
			out.builder.AppendNull()
			continue
		}
		lit, err := column.Literal(source, row, f.typ)
		if err != nil {
			return nil, false, err
		}
		if err := out.append(f.Transform.Apply(iceberg.Optional[iceberg.Literal]{Valid: true, Val: lit})); err != nil {
			return nil, false, err
		}
	}
	return out.builder.NewArray(), true, nil
}

// results collects the values of a transform.
type results struct {
	builder array.Builder
	add     func(v any) bool
}

// newResults prepares for values of the transform's result type.
func newResults(t iceberg.Transform, source iceberg.Type, rows int) (results, error) {
	var r results
	mem := memory.DefaultAllocator
	switch t.ResultType(source).(type) {
	case iceberg.Int32Type, iceberg.DateType:
		b := array.NewInt32Builder(mem)
		r = results{b, func(v any) bool { return appendInt32(b, v) }}
	case iceberg.Int64Type:
		b := array.NewInt64Builder(mem)
		r = results{b, func(v any) bool {
			n, ok := v.(int64)
			b.Append(n)
			return ok
		}}
	case iceberg.DecimalType:
		b := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: 38})
		r = results{b, func(v any) bool {
			d, ok := v.(iceberg.Decimal)
			b.Append(decimal128.Num(d.Val))
			return ok
		}}
	case iceberg.StringType:
		b := array.NewBinaryBuilder(mem, arrow.BinaryTypes.Binary)
		r = results{b, func(v any) bool {
			s, ok := v.(string)
			b.Append([]byte(s))
			return ok
		}}
	case iceberg.BinaryType, iceberg.FixedType, iceberg.UUIDType:
		b := array.NewBinaryBuilder(mem, arrow.BinaryTypes.Binary)
		r = results{b, func(v any) bool {
			switch v := v.(type) {
			case []byte:
				b.Append(v)
			case uuid.UUID:
				b.Append(v[:])
			default:
				return false
			}
			return true
		}}
	default:
		return r, fmt.Errorf("%w: rows cannot be sorted by %s of type %s", maintenance.ErrUnsupported, t, source)
	}
	r.builder.Reserve(rows)
	return r, nil
}

func appendInt32(b *array.Int32Builder, v any) bool {
	switch v := v.(type) {
	case int32:
		b.Append(v)
	case iceberg.Date:
		b.Append(int32(v))
	default:
		return false
	}
	return true
}

func (r results) append(v iceberg.Optional[iceberg.Literal]) error {
	if !v.Valid {
		r.builder.AppendNull()
		return nil
	}
	if !r.add(v.Val.Any()) {
		return fmt.Errorf("%w: a transform for sorting gave a %s", maintenance.ErrCorrupt, v.Val.Type())
	}
	return nil
}
