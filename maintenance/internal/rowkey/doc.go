// Package rowkey turns the values that rows are sorted by into keys: byte strings
// that compare as the rows do.
//
// Values compare as in Spark: strings, UUIDs and binary as unsigned bytes, -0.0
// equal to 0.0, NaN equal to itself and greater than every number, false before
// true. A byte before each value puts NULL first or last; the bytes of a value
// whose length varies are escaped and ended, so that no key is the beginning of
// another; the bytes of a descending value are inverted.
package rowkey
