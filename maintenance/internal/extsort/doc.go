// Package extsort sorts rows by their keys in bounded memory. It knows no more of
// a row than its key and its number.
//
// Keys are collected by [Collector]s, which may work side by side; each numbers
// the rows it is given, and the rows of a collector follow those of the one
// before. As long as no more than 64 bits differ in the keys of a collector, these
// are all that it keeps of them. A collector that is full sorts its keys and writes
// them to scratch space: a run, cut into blocks. [Sorter.Merge] reads all runs
// together, those in memory included, and yields the rows in order. Equal keys
// keep the order of the rows.
package extsort
