package metatables

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/manifest"
)

// column is one column of a metadata table whose rows come in batches of type
// B: what it is, and how a batch's values are written.
type column[B any] struct {
	field iceberg.NestedField
	// leaves are what write reads of manifest entries.
	leaves []manifest.Leaf
	// fields are those of a struct that is never NULL; it has no write.
	fields []column[B]
	// kept are the places of fields in the type of field, nil for all in order.
	kept  []int
	write func(to array.Builder, batch B) error
}

// scalarBuilder is an Arrow builder for values of one Go type.
type scalarBuilder[T any] interface {
	array.Builder
	Append(T)
}

// valueColumn is a column whose values B takes; get's second result false is NULL.
func valueColumn[R, T any, B scalarBuilder[T]](field iceberg.NestedField, get func(R) (T, bool)) column[[]R] {
	return column[[]R]{field: field, write: func(to array.Builder, batch []R) error {
		b, ok := to.(B)
		if !ok {
			return wrongBuilder(field.Name, to)
		}
		for _, row := range batch {
			if v, ok := get(row); ok {
				b.Append(v)
			} else {
				b.AppendNull()
			}
		}
		return nil
	}}
}

// rowColumn is a column whose values write appends, row by row.
func rowColumn[R any](field iceberg.NestedField, write func(to array.Builder, row R) error) column[[]R] {
	return column[[]R]{field: field, write: func(to array.Builder, batch []R) error {
		for _, row := range batch {
			if err := write(to, row); err != nil {
				return err
			}
		}
		return nil
	}}
}

func wrongBuilder(column string, to array.Builder) error {
	return fmt.Errorf("column %q: a value of it cannot be written as arrow type %s", column, to.Type())
}

// field begins the declaration of a column. Ids are those that Java Iceberg
// gives, where its metadata tables give any.
func field(id int, name, doc string) iceberg.NestedField {
	return iceberg.NestedField{ID: id, Name: name, Doc: doc}
}

// required is the column that is never NULL.
func required(f iceberg.NestedField) iceberg.NestedField {
	f.Required = true
	return f
}

func intColumn[R any](f iceberg.NestedField, get func(R) (int32, bool)) column[[]R] {
	f.Type = iceberg.PrimitiveTypes.Int32
	return valueColumn[R, int32, *array.Int32Builder](f, get)
}

func longColumn[R any](f iceberg.NestedField, get func(R) (int64, bool)) column[[]R] {
	f.Type = iceberg.PrimitiveTypes.Int64
	return valueColumn[R, int64, *array.Int64Builder](f, get)
}

func boolColumn[R any](f iceberg.NestedField, get func(R) (bool, bool)) column[[]R] {
	f.Type = iceberg.PrimitiveTypes.Bool
	return valueColumn[R, bool, *array.BooleanBuilder](f, get)
}

func stringColumn[R any](f iceberg.NestedField, get func(R) (string, bool)) column[[]R] {
	f.Type = iceberg.PrimitiveTypes.String
	return valueColumn[R, string, *array.StringBuilder](f, get)
}

// binaryColumn is a column of bytes; nil is NULL.
func binaryColumn[R any](f iceberg.NestedField, get func(R) []byte) column[[]R] {
	f.Type = iceberg.PrimitiveTypes.Binary
	return valueColumn[R, []byte, *array.BinaryBuilder](f, func(row R) ([]byte, bool) {
		v := get(row)
		return v, v != nil
	})
}

// timeColumn is a column of instants, given in milliseconds since the epoch as
// table metadata has them.
func timeColumn[R any](f iceberg.NestedField, get func(R) (int64, bool)) column[[]R] {
	f.Type = iceberg.PrimitiveTypes.TimestampTz
	return rowColumn(f, func(to array.Builder, row R) error {
		ms, ok := get(row)
		if !ok {
			to.AppendNull()
			return nil
		}
		return datafile.AppendValue(to, iceberg.Timestamp(ms*1000))
	})
}

// structColumn is a column of structs whose fields are columns of the same
// rows; it is never NULL.
func structColumn[B any](f iceberg.NestedField, fields []column[B]) column[B] {
	f.Type = &iceberg.StructType{FieldList: fieldsOf(fields)}
	return column[B]{field: f, fields: fields}
}

func fieldsOf[B any](columns []column[B]) []iceberg.NestedField {
	fields := make([]iceberg.NestedField, len(columns))
	for i, c := range columns {
		fields[i] = c.field
	}
	return fields
}

// present is the value of a column that has one in every row.
func present[T any](v T) (T, bool) { return v, true }

// pointed is the value behind a pointer, NULL if it is nil.
func pointed[T any](p *T) (v T, ok bool) {
	if p == nil {
		return v, false
	}
	return *p, true
}

// highestFieldID is the highest id that the columns and what is nested in them
// use.
func highestFieldID[B any](columns []column[B]) int {
	return iceberg.NewSchema(0, fieldsOf(columns)...).HighestFieldID()
}
