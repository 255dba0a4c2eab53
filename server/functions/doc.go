// Package functions has Spark's functions for the SQL engine. It knows the
// engine and no Iceberg.
//
// A function is one entry of a list: its names, its arguments as people write
// them, what it does, and how to make the expression of a call. The lists of
// the subjects together are the [Set], from which the documentation is made.
//
// Arguments are the engine's values: whole numbers of any size, float32 and
// float64, decimal.Decimal, string, []byte, time.Time, bool, *nested.Value. A
// time.Time is the wall clock of a date or timestamp, as if in UTC; where an
// instant matters, the session's time zone says which it is.
//
// Spark's ANSI mode, its default, is what functions follow: text that is no
// number is an error where a number is wanted, and so is a result out of range.
package functions
