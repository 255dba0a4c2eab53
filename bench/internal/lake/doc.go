// Package lake makes tables for benchmarks: metadata files, manifest lists and
// manifests as an engine writes them, with statistics of 20 columns, in a Hadoop
// catalog on the local disk. There is no data. A table is made of the same
// values every time; only Avro's sync markers differ.
package lake
