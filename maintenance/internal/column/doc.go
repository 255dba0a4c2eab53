// Package column finds the columns of an Iceberg schema in Arrow record batches,
// through structs, and reads their cells as Iceberg values.
package column
