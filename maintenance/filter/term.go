package filter

import (
	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/dialect/predicate"
)

const allowedTerms = "allowed on a column are year, month, day, hour, date, to_date, trunc, date_trunc and CAST to DATE of dates and timestamps, " +
	"and the partition transforms years, months, days, hours, bucket and truncate"

// term makes a term of what stands on one side of a comparison.
func (t *translator) term(e predicate.Expr) (term, error) {
	switch e := e.(type) {
	case *predicate.Column:
		c, err := t.column(e)
		if err != nil {
			return nil, err
		}
		return c, nil
	case *predicate.Cast:
		return t.cast(e)
	case *predicate.Call:
		return t.function(e)
	}
	return nil, predicate.Unsupported(e.Text(), "a column was expected here")
}

// function makes a term of a function of a column.
func (t *translator) function(e *predicate.Call) (term, error) {
	switch e.Name {
	case "+", "-", "*", "/", "%", "div", "||":
		return nil, predicate.Unsupported(e.Text(), "arithmetic on a column cannot be used; move it to the side of the constant")
	case "bucket":
		return t.bucket(e)
	case "truncate":
		return t.truncate(e)
	case "date_trunc", "trunc":
		return t.dateTrunc(e)
	case "date", "to_date":
		if len(e.Args) == 1 {
			return t.granule(e, e.Args[0], granule{unit: "day", result: asDate})
		}
	case "year", "month", "day", "dayofmonth", "hour":
		if len(e.Args) == 1 {
			unit := e.Name
			if unit == "dayofmonth" {
				unit = "day"
			}
			return t.granule(e, e.Args[0], granule{unit: unit, result: asPart})
		}
	case "years", "months", "days", "hours":
		if len(e.Args) == 1 {
			return t.granule(e, e.Args[0], granule{unit: e.Name[:len(e.Name)-1], result: asTransform})
		}
	case "timestamp", "to_timestamp":
		if len(e.Args) == 1 {
			return t.cast(&predicate.Cast{Arg: e.Args[0], Type: predicate.Type{Name: "timestamp"}})
		}
	}
	return nil, predicate.Unsupported(e.Text(), "the function %s cannot be applied to a column; %s", e.Name, allowedTerms)
}

// cast makes a term of a CAST that loses nothing, which is the column itself,
// or of one to DATE.
func (t *translator) cast(e *predicate.Cast) (term, error) {
	inner, err := t.term(e.Arg)
	if err != nil {
		return nil, err
	}
	c, ok := inner.(column)
	if !ok {
		if e.Type.Name == "date" {
			return t.granule(e, e.Arg, granule{unit: "day", result: asDate})
		}
		return nil, predicate.Unsupported(e.Text(), "CAST can only be applied to a column; cast the constant instead")
	}
	if lossless(c.typ, e.Type) {
		return c, nil
	}
	switch c.typ.(type) {
	case iceberg.TimestampType, iceberg.TimestampTzType, iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		if e.Type.Name == "date" {
			return newGranule(e, c, granule{unit: "day", result: asDate})
		}
	}
	return nil, predicate.Unsupported(e.Text(), "a CAST of a %s column to %s cannot be used; %s", c.typ, e.Type, "cast the constant instead")
}

// lossless tells whether a cast keeps every value of a type and their order,
// in a way that comparing the column itself gives the same.
func lossless(from iceberg.Type, to predicate.Type) bool {
	switch typ := from.(type) {
	case iceberg.BooleanType:
		return to.Name == "boolean"
	case iceberg.Int32Type:
		return to.Name == "int" || to.Name == "bigint" || to.Name == "double" || to.Name == "decimal" && to.Precision-to.Scale >= 10
	case iceberg.Int64Type:
		return to.Name == "bigint" || to.Name == "decimal" && to.Precision-to.Scale >= 19
	case iceberg.Float32Type:
		return to.Name == "float" || to.Name == "double"
	case iceberg.Float64Type:
		return to.Name == "double"
	case iceberg.DecimalType:
		return to.Name == "decimal" && to.Scale >= typ.Scale() && to.Precision-to.Scale >= typ.Precision()-typ.Scale()
	case iceberg.StringType, iceberg.UUIDType:
		return to.Name == "string"
	case iceberg.BinaryType, iceberg.FixedType:
		return to.Name == "binary"
	case iceberg.DateType:
		return to.Name == "date" || to.Name == "timestamp" || to.Name == "timestamp_ntz"
	case iceberg.TimeType:
		return to.Name == "time"
	case iceberg.TimestampType, iceberg.TimestampNsType:
		return to.Name == "timestamp_ntz" || to.Name == "timestamp"
	case iceberg.TimestampTzType, iceberg.TimestampTzNsType:
		return to.Name == "timestamp"
	}
	return false
}
