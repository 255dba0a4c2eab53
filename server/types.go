package server

import (
	"fmt"

	"github.com/apache/iceberg-go"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/firndb/firn/server/nested"
)

// maxScale is the largest scale of a DECIMAL in the engine.
const maxScale = 30

// typeOf is the SQL type of an Iceberg type. What has no SQL type is text.
func typeOf(t iceberg.Type) (sql.Type, error) {
	switch t := t.(type) {
	case iceberg.BooleanType:
		return types.Boolean, nil
	case iceberg.Int32Type:
		return types.Int32, nil
	case iceberg.Int64Type:
		return types.Int64, nil
	case iceberg.Float32Type:
		return types.Float32, nil
	case iceberg.Float64Type:
		return types.Float64, nil
	case iceberg.DecimalType:
		if t.Scale() > maxScale {
			return exactType{t.Precision(), t.Scale()}, nil
		}
		return types.CreateColumnDecimalType(uint8(t.Precision()), uint8(t.Scale()))
	case iceberg.DateType:
		return types.Date, nil
	case iceberg.TimeType:
		return types.Time, nil
	case iceberg.TimestampType, iceberg.TimestampTzType, iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		return types.DatetimeMaxPrecision, nil
	case iceberg.StringType, iceberg.VariantType, iceberg.UnknownType:
		return types.LongText, nil
	case iceberg.UUIDType:
		return types.CreateStringWithDefaults(sqltypes.VarChar, 36)
	case iceberg.BinaryType, iceberg.FixedType, iceberg.GeometryType, iceberg.GeographyType:
		return types.LongBlob, nil
	case *iceberg.StructType:
		return newStructType(t)
	case *iceberg.ListType:
		return newType(nested.List, t.Element)
	case *iceberg.MapType:
		return newType(nested.Map, t.KeyType, t.ValueType)
	}
	return nil, fmt.Errorf("type %s has no SQL type", t)
}

// newStructType is the type of an Iceberg struct.
func newStructType(t *iceberg.StructType) (*nested.Type, error) {
	n := &nested.Type{Kind: nested.Struct}
	for _, f := range t.FieldList {
		p, err := partOf(f.Type)
		if err != nil {
			return nil, err
		}
		n.Names = append(n.Names, f.Name)
		n.Parts = append(n.Parts, p)
	}
	return n, nil
}

// newType is the type of an Iceberg list or map with these parts.
func newType(kind nested.Kind, parts ...iceberg.Type) (*nested.Type, error) {
	n := &nested.Type{Kind: kind}
	for _, t := range parts {
		p, err := partOf(t)
		if err != nil {
			return nil, err
		}
		n.Parts = append(n.Parts, p)
	}
	return n, nil
}

func partOf(t iceberg.Type) (nested.Part, error) {
	st, err := typeOf(t)
	_, raw := t.(iceberg.VariantType)
	return nested.Part{SQL: st, Raw: raw}, err
}

// schemaOf is the SQL schema of a table with these columns.
func schemaOf(fields []iceberg.NestedField, name, database string) (sql.Schema, error) {
	schema := make(sql.Schema, len(fields))
	for i, f := range fields {
		t, err := typeOf(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		schema[i] = &sql.Column{
			Name:           f.Name,
			Type:           t,
			Nullable:       !f.Required,
			Source:         name,
			DatabaseSource: database,
			Comment:        f.Doc,
		}
	}
	return schema, nil
}
