// Package journal keeps, in a folder of the server, what jobs are about to
// write, so that files of a job that was killed are found and removed.
//
// A run is one execution of a job on one table. Before it writes, its entry
// says on disk which table that is, below which places its files will be and
// the unique part of their names; before it commits, the snapshot that it tries
// to add. A run that ends well has no entry any more. What became of the others
// is found out by whoever knows tables: see maintenance.Settle. The package knows
// nothing of tables and deletes nothing but its own files.
//
// Each process has a file of its own, locked for as long as the process lives.
// A file that is not locked belongs to a dead process: the next one adopts its
// entries and removes it.
//
// The journal is there to tidy up. A job never fails because it cannot be
// written: that is logged, and the job runs without.
package journal
