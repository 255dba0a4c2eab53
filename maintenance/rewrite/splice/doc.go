// Package splice writes a Parquet file out of row groups of others without
// decoding their values, wherever the format allows, and out of columns that it
// encodes.
//
// A Parquet file is a sequence of row groups; a row group has a column chunk for
// every leaf of the schema; a chunk is a sequence of pages, of which the first
// may be its dictionary: the distinct values, into which data pages then hold
// indices. Pages are compressed one by one. The footer, the page index (where
// each page is, and its bounds) and Bloom filters lie outside the chunks and
// refer to them by offset.
//
// A [Target] is what all files written have in common: the schema, taken from an
// empty file of another writer, and the [Settings]. [Target.Open] matches a
// file's leaves with the target's by field id and checks that everything about
// it is understood. A [Writer] then makes row groups of [Part]s, each a row
// group of a source:
//
//   - a row group of one part is copied: its pages move byte for byte, as do
//     Bloom filters, and indexes are relocated;
//   - several parts become one row group: pages of plain or delta coded values
//     move as they are, those with indices are mapped to one common dictionary
//     or, where that grows too large, become plain. Small pages are joined.
//     Pages of another codec than the target's are compressed anew;
//   - rows that are gone are cut out of their pages, which get the bounds of what
//     stays; pages without such rows move like those of other parts;
//   - a column that a source lacks becomes a chunk of nulls, and the two columns
//     of row lineage are made from the row group's position.
//
// Rows that are decoded are encoded again by a [ColumnEncoder] for each top-level
// column, whose chunks [Writer.WriteEncoded] puts together to row groups. Chunks
// can be made at any time and kept elsewhere than in memory until then.
//
// Whatever is not understood, or not certain, is refused with [ErrUnfit], before
// or while writing; the caller then takes another way. Statistics are combined,
// never invented: what a source does not say stays unsaid.
package splice

import "errors"

// ErrUnfit is the class of errors of files that cannot be spliced. The file may
// still be readable by decoding it.
var ErrUnfit = errors.New("file cannot be spliced")
