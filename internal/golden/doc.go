// Package golden compares what Firn reads with what Spark answered.
//
// testdata/golden has one file a table; [Load] reads it. A [Result] is the
// answer to one statement: columns and rows, or a refusal. Rows are compared as
// multisets of text: compact JSON with sorted keys, in the encoding that
// testdata/README.md describes. [Rows] writes Arrow record batches so, and
// [Schema] writes an Iceberg schema as lines that [Result.Schema] also gives.
package golden
