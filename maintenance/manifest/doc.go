// Package manifest reads manifests (specification, "Manifests": Avro object
// container files of entries) straight into columns, and nothing but the ones
// that are asked for.
//
// A leaf is a value that an entry has, or of a map by column id the value of
// one column. A column holds a leaf of successive entries in little memory. A
// block is the columns of a run of at most BlockEntries entries; it never
// changes. A plan says how to read or skip each field that a writer's schema
// has. What entries inherit from the manifest list is the caller's business:
// a column has what the file says.
package manifest
