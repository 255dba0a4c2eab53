// Package predicate parses the text of a condition that stands alone, such as
// the where argument of rewrite_data_files, into a small tree with constants
// folded. It knows neither the SQL engine nor Iceberg.
//
// The grammar is that of Spark's boolean expressions. An expression without a
// column is a constant: it is evaluated while parsing, with Spark's ANSI rules
// (an invalid cast or an overflow is an error, not NULL), and the clock and
// time zone of an Env. Every node keeps the piece of text it was made from, so
// that whoever cannot use a node can name it.
package predicate
