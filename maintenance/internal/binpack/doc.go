// Package binpack puts weighted items into bins, as Java Iceberg's BinPacking
// does: that order decides which files end up together.
package binpack
