// Package metatables holds Iceberg's metadata tables, one file each: files,
// snapshots, manifests and the others, with the columns, order and types that
// Spark shows. It knows no SQL engine: a table has an Iceberg schema and is
// read as Arrow record batches.
package metatables
