package filter

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/firndb/firn/dialect/predicate"
)

// place tells where a value lies among those a column can have.
type place int

const (
	inside place = iota
	below
	above
)

// bound is a value as a column of some type has it: the greatest literal that
// is not above the value, and whether it is equal to it.
type bound struct {
	lit   iceberg.Literal
	exact bool
	place place
	// nan is set for NaN, if the column can have it; all else is unset.
	nan bool
}

func exactly(lit iceberg.Literal) *bound { return &bound{lit: lit, exact: true} }

// convert brings a constant to the column's type as Spark's ANSI coercion
// does. A value that the type cannot have is no error if it can be compared
// with those it can have, as 3.5 with a long.
func (c column) convert(constant *predicate.Constant) (bound, error) {
	v, err := c.coerce(constant.Value)
	if err != nil {
		return bound{}, predicate.Invalid(constant.Text(), "it cannot be compared with the column %q of type %s: %w", string(c.ref), c.typ, err)
	}
	var b *bound
	switch typ := c.typ.(type) {
	case iceberg.BooleanType:
		if v, ok := v.(predicate.Bool); ok {
			b = exactly(iceberg.NewLiteral(bool(v)))
		}
	case iceberg.Int32Type, iceberg.Int64Type:
		b = convertInt(v, typ)
	case iceberg.Float32Type, iceberg.Float64Type:
		b = convertFloat(v, typ)
	case iceberg.DecimalType:
		b = convertDecimal(v, typ)
	case iceberg.StringType:
		if v, ok := v.(predicate.String); ok {
			b = exactly(iceberg.NewLiteral(string(v)))
		}
	case iceberg.UUIDType, iceberg.BinaryType, iceberg.FixedType:
		b = convertBytes(v, typ)
	case iceberg.TimeType:
		if v, ok := v.(predicate.TimeOfDay); ok {
			b = exactly(iceberg.NewLiteral(iceberg.Time(time.Duration(v).Microseconds())))
		}
	case iceberg.DateType:
		b = c.convertDate(v)
	case iceberg.TimestampType, iceberg.TimestampTzType, iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		b = c.convertTimestamp(v)
	default:
		return bound{}, predicate.Unsupported(constant.Text(), "the column %q is of type %s, which can only be tested by IS NULL", string(c.ref), c.typ)
	}
	if b == nil {
		return bound{}, predicate.Invalid(constant.Text(), "a value of type %s cannot be compared with the column %q of type %s; %s", constant.Value.Kind(), string(c.ref), c.typ, hint(c.typ))
	}
	return *b, nil
}

// hint shows a literal of a type.
func hint(t iceberg.Type) string {
	switch t.(type) {
	case iceberg.StringType:
		return "write a string, such as 'abc'"
	case iceberg.BooleanType:
		return "write TRUE or FALSE"
	case iceberg.DateType:
		return "write DATE '2006-01-02'"
	case iceberg.TimeType:
		return "write '15:04:05.999999'"
	case iceberg.UUIDType:
		return "write a string, such as '123e4567-e89b-12d3-a456-426614174000'"
	case iceberg.BinaryType, iceberg.FixedType:
		return "write X'00FF', as many bytes as the column has"
	case iceberg.TimestampType, iceberg.TimestampTzType, iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		return "write TIMESTAMP '2006-01-02 15:04:05'"
	}
	return "write a number, such as 42"
}

// coerce converts a string to the kind of value that the column holds; other
// values stay.
func (c column) coerce(v predicate.Value) (predicate.Value, error) {
	s, ok := v.(predicate.String)
	if !ok {
		return v, nil
	}
	var t predicate.Type
	switch typ := c.typ.(type) {
	case iceberg.BooleanType:
		t.Name = "boolean"
	case iceberg.Int32Type, iceberg.Int64Type:
		t.Name = "bigint"
	case iceberg.Float32Type, iceberg.Float64Type:
		t.Name = "double"
	case iceberg.DecimalType:
		return predicate.ParseDecimal(strings.TrimSpace(string(s)))
	case iceberg.DateType:
		t.Name = "date"
	case iceberg.TimeType:
		t.Name = "time"
	case iceberg.TimestampType, iceberg.TimestampNsType:
		t.Name = "timestamp_ntz"
	case iceberg.TimestampTzType, iceberg.TimestampTzNsType:
		t.Name = "timestamp"
	case iceberg.BinaryType, iceberg.FixedType:
		t.Name = "binary"
	case iceberg.UUIDType:
		u, err := uuid.Parse(string(s))
		return predicate.Binary(u[:]), err
	default:
		_ = typ
		return v, nil
	}
	return predicate.CastValue(s, t, c.env)
}

func convertInt(v predicate.Value, typ iceberg.Type) *bound {
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	_, short := typ.(iceberg.Int32Type)
	if short {
		least, most = math.MinInt32, math.MaxInt32
	}
	r := predicate.Rational(v)
	if r == nil {
		return outOfLine(v)
	}
	n := predicate.Floor(r)
	switch {
	case n.Cmp(big.NewInt(least)) < 0:
		return &bound{place: below}
	case n.Cmp(big.NewInt(most)) > 0:
		return &bound{place: above}
	case short:
		return &bound{lit: iceberg.NewLiteral(int32(n.Int64())), exact: r.IsInt()}
	}
	return &bound{lit: iceberg.NewLiteral(n.Int64()), exact: r.IsInt()}
}

// outOfLine places infinities and NaN among finite numbers; nil if v is no
// number.
func outOfLine(v predicate.Value) *bound {
	f, ok := predicate.Float64(v)
	switch {
	case !ok:
		return nil
	case math.IsInf(f, -1):
		return &bound{place: below}
	}
	return &bound{place: above}
}

func convertFloat(v predicate.Value, typ iceberg.Type) *bound {
	f, ok := predicate.Float64(v)
	if !ok {
		return nil
	}
	if math.IsNaN(f) {
		return &bound{nan: true}
	}
	// Spark takes the two zeros for the same, and Iceberg's bounds may not.
	f += 0
	if _, ok := typ.(iceberg.Float64Type); ok {
		return exactly(iceberg.NewLiteral(f))
	}
	short := float32(f)
	if float64(short) > f {
		short = math.Nextafter32(short, float32(math.Inf(-1)))
	}
	return &bound{lit: iceberg.NewLiteral(short), exact: float64(short) == f}
}

func convertDecimal(v predicate.Value, typ iceberg.DecimalType) *bound {
	r := predicate.Rational(v)
	if r == nil {
		return outOfLine(v)
	}
	ten := big.NewInt(10)
	unit := new(big.Int).Exp(ten, big.NewInt(int64(typ.Scale())), nil)
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(unit))
	n := predicate.Floor(scaled)
	limit := new(big.Int).Exp(ten, big.NewInt(int64(typ.Precision())), nil)
	switch {
	case n.Cmp(limit) >= 0:
		return &bound{place: above}
	case n.Cmp(new(big.Int).Neg(limit)) <= 0:
		return &bound{place: below}
	}
	return &bound{
		lit:   iceberg.DecimalLiteral{Val: decimal128.FromBigInt(n), Scale: typ.Scale()},
		exact: scaled.IsInt(),
	}
}

func convertBytes(v predicate.Value, typ iceberg.Type) *bound {
	b, ok := v.(predicate.Binary)
	if !ok {
		return nil
	}
	switch typ := typ.(type) {
	case iceberg.FixedType:
		if len(b) == typ.Len() {
			return exactly(iceberg.FixedLiteral(b))
		}
	case iceberg.UUIDType:
		if u, err := uuid.FromBytes(b); err == nil {
			return exactly(iceberg.NewLiteral(u))
		}
	case iceberg.BinaryType:
		return exactly(iceberg.NewLiteral([]byte(b)))
	}
	return nil
}
