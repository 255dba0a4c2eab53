// Package catalog opens the Iceberg catalogs that a configuration names and
// loads tables from them.
//
// A Set holds the configured catalogs by name and alias and opens each at its
// first use. A Catalog is one of them. A table is loaded anew by every
// [Catalog.Load]; a statement that must see one version of each table it names
// loads them through [Pins].
//
// The package is the only one that chooses a catalog implementation or a file
// system; everything above it speaks to iceberg-go's table types.
package catalog
