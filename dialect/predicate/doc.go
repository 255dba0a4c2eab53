// Package predicate parses the text of a condition that stands alone, such as
// the where argument of rewrite_data_files, into a small tree with constants
// folded. It knows neither the SQL engine nor Iceberg.
package predicate
