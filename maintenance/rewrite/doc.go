// Package rewrite rewrites a table's data files into fewer, better sized ones:
// Spark's rewrite_data_files with its strategies, which put files together as
// they are, or put the rows in order.
//
// [NewPlan] reads one snapshot and returns a [Plan]: the groups to rewrite, the
// bins that each group's files are packed into, and for every other file why it
// is left alone (Java's SizeBasedFileRewritePlanner and
// BinPackRewriteFilePlanner). [Plan.Execute] reads the files with their deletes
// applied, writes the new ones and commits them, all at once or in batches.
//
// A filter selects files, never rows. Rows are neither lost nor changed: rows
// read, rows written and deletes are counted against each other before a commit.
package rewrite
