// Package hybrid is Parquet's hybrid of run lengths and bit packing (encoding
// RLE), in which levels and dictionary indices are written.
package hybrid
