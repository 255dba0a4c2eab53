// Package maintenance is the engine behind the procedures: it plans, writes,
// commits and deletes. It knows no SQL and can be used as a Go library.
//
// The nouns are Java Iceberg's. A planner reads a table and returns a plan; a
// plan is a value that says what will be done and can be shown, stored and
// executed; a runner writes the plan's files; a committer makes them part of
// the table. A group is the set of files that are rewritten together; a bin is
// what becomes one output file.
//
// The order of effects is the same everywhere: planning only reads; executing
// writes new files, then commits, then deletes what no retained snapshot needs.
// A commit has three outcomes: committed, refused, unknown. Files of a refused
// commit are removed; after an unknown one nothing is.
package maintenance
