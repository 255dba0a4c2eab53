// Package format reads and writes the metadata of Parquet files: footers, page
// headers and page indexes, which are structs of parquet.thrift in Thrift's
// compact protocol.
//
// It tells an absent field from one that is zero, because an unknown count of
// nulls must not become none. What is read is checked: a length never exceeds
// the bytes that are there, so that nothing is allocated for a promise. Byte
// slices of what was read point into the input.
package format
