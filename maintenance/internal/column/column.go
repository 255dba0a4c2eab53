package column

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance"
)

// Find is the indices that lead to the field of that id through structs, and its
// type; nil if there is none.
func Find(fields []iceberg.NestedField, id int) ([]int, iceberg.Type) {
	for i, f := range fields {
		if f.ID == id {
			return []int{i}, f.Type
		}
		if s, ok := f.Type.(*iceberg.StructType); ok {
			if rest, t := Find(s.FieldList, id); rest != nil {
				return append([]int{i}, rest...), t
			}
		}
	}
	return nil, nil
}

// Chain is the arrays of a batch on the way to a column, whose own array is the
// last. A cell is null if it or a struct around it is.
func Chain(batch arrow.RecordBatch, path []int) ([]arrow.Array, error) {
	if len(path) == 0 {
		return nil, nil
	}
	chain := []arrow.Array{batch.Column(path[0])}
	for _, i := range path[1:] {
		s, ok := chain[len(chain)-1].(*array.Struct)
		if !ok {
			return nil, fmt.Errorf("%w: a source column is inside a %s", maintenance.ErrUnsupported, chain[len(chain)-1].DataType())
		}
		chain = append(chain, s.Field(i))
	}
	return chain, nil
}

// Literal is a cell as an Iceberg literal of the column's type.
func Literal(column arrow.Array, row int, typ iceberg.Type) (iceberg.Literal, error) {
	switch a := column.(type) {
	case *array.Boolean:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Int32:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Int64:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Float32:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Float64:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Date32:
		return iceberg.NewLiteral(iceberg.Date(a.Value(row))), nil
	case *array.Time64:
		return iceberg.NewLiteral(iceberg.Time(a.Value(row))), nil
	case *array.Timestamp:
		switch typ.(type) {
		case iceberg.TimestampNsType, iceberg.TimestampTzNsType:
			return iceberg.NewLiteral(iceberg.TimestampNano(a.Value(row))), nil
		}
		return iceberg.NewLiteral(iceberg.Timestamp(a.Value(row))), nil
	case *array.Decimal128:
		return decimalLiteral(a.Value(row), a.DataType()), nil
	case *array.String:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.LargeString:
		return iceberg.NewLiteral(a.Value(row)), nil
	case *array.Binary:
		return iceberg.NewLiteral(append([]byte(nil), a.Value(row)...)), nil
	case *array.LargeBinary:
		return iceberg.NewLiteral(append([]byte(nil), a.Value(row)...)), nil
	case *array.FixedSizeBinary:
		return iceberg.NewLiteral(append([]byte(nil), a.Value(row)...)).To(typ)
	case *extensions.UUIDArray:
		return iceberg.NewLiteral(a.Value(row)), nil
	}
	return nil, fmt.Errorf("%w: a source column has type %s", maintenance.ErrUnsupported, column.DataType())
}

func decimalLiteral(v decimal128.Num, typ arrow.DataType) iceberg.Literal {
	scale := 0
	if t, ok := typ.(*arrow.Decimal128Type); ok {
		scale = int(t.Scale)
	}
	return iceberg.NewLiteral(iceberg.Decimal{Val: v, Scale: scale})
}
