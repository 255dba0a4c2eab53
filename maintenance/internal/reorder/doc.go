// Package reorder puts the values of a column of many rows into another order, in
// bounded memory.
//
// [Ranks] say for every row in its old order where it goes; the new order is cut
// into buckets of rows that follow each other there. A [Shelf] takes arrays of a
// column in the old order and keeps their values by bucket, in memory or in
// scratch space; [Shelf.Open] then yields the values of any part of a bucket in
// the new order. As the rows of a bucket arrive in the same order for every column,
// where they go is kept once for all. A bucket is kept by parts, whose values fit
// into a processor's cache while they are put in their places.
package reorder
