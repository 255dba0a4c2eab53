package metatables

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
)

// column is one column of a metadata table whose rows are made from values of
// type R: what it is, and how a row's value is written.
type column[R any] struct {
	field iceberg.NestedField
	// stats says which of a file's column statistics write looks at.
	stats statistics
	write func(to array.Builder, row R) error
}

// statistics are the parts of a manifest entry that are large and often not
// wanted: the maps by column id.
type statistics int

const (
	// pruningStatistics: all but the sizes of columns. The zero value stands
	// for none.
	pruningStatistics statistics = iota + 1
	// allStatistics: all.
	allStatistics
)

// scalarBuilder is an Arrow builder for values of one Go type.
type scalarBuilder[T any] interface {
	array.Builder
	Append(T)
}

// valueColumn is a column whose values B takes; get's second result false is NULL.
func valueColumn[R, T any, B scalarBuilder[T]](field iceberg.NestedField, get func(R) (T, bool)) column[R] {
	return column[R]{field: field, write: func(to array.Builder, row R) error {
		b, ok := to.(B)
		if !ok {
			return wrongBuilder(field.Name, to)
		}
		if v, ok := get(row); ok {
			b.Append(v)
		} else {
			b.AppendNull()
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

func intColumn[R any](f iceberg.NestedField, get func(R) (int32, bool)) column[R] {
	f.Type = iceberg.PrimitiveTypes.Int32
	return valueColumn[R, int32, *array.Int32Builder](f, get)
}

func longColumn[R any](f iceberg.NestedField, get func(R) (int64, bool)) column[R] {
	f.Type = iceberg.PrimitiveTypes.Int64
	return valueColumn[R, int64, *array.Int64Builder](f, get)
}

func boolColumn[R any](f iceberg.NestedField, get func(R) (bool, bool)) column[R] {
	f.Type = iceberg.PrimitiveTypes.Bool
	return valueColumn[R, bool, *array.BooleanBuilder](f, get)
}

func stringColumn[R any](f iceberg.NestedField, get func(R) (string, bool)) column[R] {
	f.Type = iceberg.PrimitiveTypes.String
	return valueColumn[R, string, *array.StringBuilder](f, get)
}

// binaryColumn is a column of bytes; nil is NULL.
func binaryColumn[R any](f iceberg.NestedField, get func(R) []byte) column[R] {
	f.Type = iceberg.PrimitiveTypes.Binary
	return valueColumn[R, []byte, *array.BinaryBuilder](f, func(row R) ([]byte, bool) {
		v := get(row)
		return v, v != nil
	})
}

// timeColumn is a column of instants, given in milliseconds since the epoch as
// table metadata has them.
func timeColumn[R any](f iceberg.NestedField, get func(R) (int64, bool)) column[R] {
	f.Type = iceberg.PrimitiveTypes.TimestampTz
	return column[R]{field: f, write: func(to array.Builder, row R) error {
		ms, ok := get(row)
		if !ok {
			to.AppendNull()
			return nil
		}
		return appendValue(to, iceberg.Timestamp(ms*1000))
	}}
}

// structColumn is a column of structs whose fields are columns of the same
// row; it is never NULL.
func structColumn[R any](f iceberg.NestedField, fields []column[R]) column[R] {
	f.Type = &iceberg.StructType{FieldList: fieldsOf(fields)}
	c := column[R]{field: f}
	for _, inner := range fields {
		c.stats = max(c.stats, inner.stats)
	}
	c.write = func(to array.Builder, row R) error {
		b, ok := to.(*array.StructBuilder)
		if !ok {
			return wrongBuilder(f.Name, to)
		}
		b.Append(true)
		for i, inner := range fields {
			if err := inner.write(b.FieldBuilder(i), row); err != nil {
				return err
			}
		}
		return nil
	}
	return c
}

func fieldsOf[R any](columns []column[R]) []iceberg.NestedField {
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
func highestFieldID[R any](columns []column[R]) int {
	return iceberg.NewSchema(0, fieldsOf(columns)...).HighestFieldID()
}
