// Package filter makes an Iceberg expression of a condition's text, such as
// the where argument of rewrite_data_files, for a given schema.
//
// The text is parsed, and constants are folded, by package predicate. Here
// columns are resolved, values are converted to the column's type, and
// functions of a column become ranges of it, so that partitions and file
// statistics can be used. An expression is true of exactly the rows for which
// the condition is true in SQL: a comparison with NULL is not, nor is its
// negation. (The one exception is that NaN, which Spark puts above all other
// numbers, is left to Iceberg's evaluators.) There are no Not nodes in it.
package filter
