// Package extsort sorts record batches by keys in bounded memory.
//
// Rows are collected by [Collector]s, which may work side by side. A collector
// that is full sorts its rows and writes them to a scratch file: a run, cut into
// compressed blocks. [Merge] reads all runs together, those in memory included,
// and yields the rows in order. Equal keys keep the order of the collectors, and
// within one that of its batches.
//
// Scratch files have no name once they are open, so that nothing is left of them
// however the process ends.
package extsort
