package predicate

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Value is a constant: Null, Bool, Int, Decimal, Float, Double, String,
// Binary, Date, Timestamp, LocalTimestamp, TimeOfDay or Interval.
type Value interface {
	// String is a short form for messages.
	String() string
	// Kind is the name of the value's SQL type.
	Kind() string
}

type (
	// Null is NULL of any type.
	Null struct{}
	// Bool is TRUE or FALSE.
	Bool bool
	// Int is a value of any integer type.
	Int int64
	// Decimal is an exact number. Scale is the number of digits after the
	// point that it is written with.
	Decimal struct {
		Rat   *big.Rat
		Scale int
	}
	// Float is a number of single precision.
	Float float32
	// Double is a number of double precision.
	Double float64
	// String is text.
	String string
	// Binary is bytes.
	Binary []byte
	// Date is a day, in days since 1970-01-01.
	Date int64
	// Timestamp is an instant, in UTC, with nanoseconds.
	Timestamp struct{ time.Time }
	// LocalTimestamp is a wall clock time without zone; its fields are those
	// of the time in UTC.
	LocalTimestamp struct{ time.Time }
	// TimeOfDay is the time since midnight.
	TimeOfDay time.Duration
	// Interval is a span of calendar months and days and of exact time.
	Interval struct {
		Months, Days int64
		Time         time.Duration
	}
)

// Kind implements Value.
func (Null) Kind() string           { return "void" }
func (Bool) Kind() string           { return "boolean" }
func (Int) Kind() string            { return "bigint" }
func (Decimal) Kind() string        { return "decimal" }
func (Float) Kind() string          { return "float" }
func (Double) Kind() string         { return "double" }
func (String) Kind() string         { return "string" }
func (Binary) Kind() string         { return "binary" }
func (Date) Kind() string           { return "date" }
func (Timestamp) Kind() string      { return "timestamp" }
func (LocalTimestamp) Kind() string { return "timestamp_ntz" }
func (TimeOfDay) Kind() string      { return "time" }
func (Interval) Kind() string       { return "interval" }

func (Null) String() string     { return "NULL" }
func (b Bool) String() string   { return strings.ToUpper(strconv.FormatBool(bool(b))) }
func (i Int) String() string    { return strconv.FormatInt(int64(i), 10) }
func (f Float) String() string  { return strconv.FormatFloat(float64(f), 'g', -1, 32) }
func (d Double) String() string { return strconv.FormatFloat(float64(d), 'g', -1, 64) }
func (s String) String() string { return "'" + strings.ReplaceAll(string(s), "'", "''") + "'" }
func (b Binary) String() string { return "X'" + strings.ToUpper(hex.EncodeToString(b)) + "'" }

// String is the number in plain notation.
func (d Decimal) String() string { return d.Rat.FloatString(d.Scale) }

// String is the day as 2006-01-02.
func (d Date) String() string { return d.Midnight().Format(time.DateOnly) }

// Midnight is the day's start as a wall clock time, in UTC.
func (d Date) Midnight() time.Time { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }

func (t Timestamp) String() string { return t.UTC().Format("2006-01-02 15:04:05.999999999Z") }

func (t LocalTimestamp) String() string { return t.UTC().Format("2006-01-02 15:04:05.999999999") }

func (t TimeOfDay) String() string {
	return time.Unix(0, int64(t)).UTC().Format("15:04:05.999999999")
}

func (i Interval) String() string {
	return fmt.Sprintf("%d months %d days %s", i.Months, i.Days, i.Time)
}

const secondsPerDay = 24 * 60 * 60

// DateOf is the day of a wall clock time.
func DateOf(wall time.Time) Date {
	_, offset := wall.Zone()
	seconds := wall.Unix() + int64(offset)
	day := seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		day--
	}
	return Date(day)
}
