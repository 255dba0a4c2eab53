// Package reorder puts the values of a column of many rows into another order, in
// bounded memory.
//
// [Ranks] say for every row in its old order where it goes. The new order is cut
// into parts: rows that follow each other there, so few that their values fit into
// a processor's cache while they are put in their places. A [Shelf] takes arrays
// of a column in the old order and deals their values out to the parts, of which
// each has a pen in memory; a pen that is full becomes a block, in memory or in
// scratch space. [Shelf.Rows] then yields values in the new order, part by part.
// As the rows of a part arrive in the same order for every column, where they go
// is kept once for all.
package reorder
