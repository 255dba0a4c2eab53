package procedures

import "time"

// Param is a parameter of a procedure or a key of its options, bound to the
// variable that takes the argument.
type Param struct {
	Name     string
	Type     Type
	Required bool
	// Default says what an absent argument means, for the documentation.
	Default string
	Doc     string

	set func(value any, zone *time.Location) error
}

// StringParam declares a parameter of type string bound to dst.
func StringParam(dst *string, name, doc string) Param {
	return Param{Name: name, Type: TypeString, Doc: doc, set: setter(dst, toString)}
}

// BoolParam declares a parameter of type boolean bound to dst.
func BoolParam(dst *bool, name, doc string) Param {
	return Param{Name: name, Type: TypeBoolean, Doc: doc, set: setter(dst, toBool)}
}

// optionalBool is BoolParam for dst that stays nil when the argument is absent or
// NULL.
func optionalBool(dst **bool, name, doc string) Param {
	return Param{Name: name, Type: TypeBoolean, Doc: doc, set: setter(dst, pointer(toBool))}
}

// IntParam declares a parameter of type int bound to dst, which stays nil when
// the argument is absent or NULL.
func IntParam(dst **int32, name, doc string) Param {
	return Param{Name: name, Type: TypeInt, Doc: doc, set: setter(dst, pointer(toInt))}
}

// LongParam declares a parameter of type bigint bound to dst, which stays nil
// when the argument is absent or NULL.
func LongParam(dst **int64, name, doc string) Param {
	return Param{Name: name, Type: TypeLong, Doc: doc, set: setter(dst, pointer(toLong))}
}

// DoubleParam declares a parameter of type double bound to dst, which stays
// nil when the argument is absent or NULL.
func DoubleParam(dst **float64, name, doc string) Param {
	return Param{Name: name, Type: TypeDouble, Doc: doc, set: setter(dst, pointer(toDouble))}
}

// TimestampParam declares a parameter of type timestamp bound to dst, which
// stays nil when the argument is absent or NULL. Text without a zone is in the
// zone that [BindIn] is given.
func TimestampParam(dst **time.Time, name, doc string) Param {
	return Param{Name: name, Type: TypeTimestamp, Doc: doc, set: func(value any, zone *time.Location) error {
		return setter(dst, pointer(func(value any) (time.Time, error) { return toTime(value, zone) }))(value, zone)
	}}
}

// MapParam declares a parameter of type map<string,string> bound to dst.
func MapParam(dst *map[string]string, name, doc string) Param {
	return Param{Name: name, Type: TypeStringMap, Doc: doc, set: setter(dst, toStringMap)}
}

// LongsParam declares a parameter of type array<bigint> bound to dst.
func LongsParam(dst *[]int64, name, doc string) Param {
	return Param{Name: name, Type: TypeLongArray, Doc: doc, set: setter(dst, toLongs)}
}

// StringsParam declares a parameter of type array<string> bound to dst, which
// stays nil when the argument is absent or NULL.
func StringsParam(dst *[]string, name, doc string) Param {
	return Param{Name: name, Type: TypeStringArray, Doc: doc, set: setter(dst, toStrings)}
}

// Required returns p as a parameter that every call must supply.
func Required(p Param) Param {
	p.Required = true
	return p
}

// WithDefault returns p with the documentation of its default.
func WithDefault(p Param, text string) Param {
	p.Default = text
	return p
}

func setter[T any](dst *T, convert func(any) (T, error)) func(any, *time.Location) error {
	return func(value any, _ *time.Location) error {
		if value == nil {
			return nil
		}
		v, err := convert(value)
		if err != nil {
			return err
		}
		*dst = v
		return nil
	}
}

func pointer[T any](convert func(any) (T, error)) func(any) (*T, error) {
	return func(value any) (*T, error) {
		v, err := convert(value)
		if err != nil {
			return nil, err
		}
		return &v, nil
	}
}
