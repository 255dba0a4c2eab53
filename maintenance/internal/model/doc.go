// Package model checks the order of steps of the jobs that commit and delete, by
// trying all orders at a small size. It has tests only.
//
// A state is a table, its storage and how far each actor has come; the actors are
// a rewrite, an expiry and a removal of orphan files, with the steps of the code
// (see the functions named beside them), and other writers: an append, a delete,
// a tag and a rollback. A catalog answers a commit with one of its outcomes, or
// applies it later than anybody looks. States are explored breadth first, each
// once, and the promises are asked of every one:
//
//   - P2: no file that the table's metadata names is gone, nor one of a snapshot
//     whose tag a catalog has let be lost, but by the removal of orphans;
//   - P5: main has the rows that the writers left there;
//   - P3 follows: a commit of unknown outcome may be applied after all, and then
//     its files are named.
//
// Bounds: one table, two data files of one row at first, each actor once, two
// attempts to commit a rewrite and an expiry. Delete files have no
// names of their own. What is not modelled is what a job reads: that the files it
// takes to be referenced are all that are is for TestRandomHistories to find.
//
// Assumed of the world: a writer commits its files before they are as old as
// orphans must be, or at least not between the last look at the table and the
// removal.
package model
