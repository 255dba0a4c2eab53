// Package sqltest runs statements against a server on the lake of testdata,
// over a real socket, and compares what comes back with text files and with
// Spark's answers.
//
// A script, testdata/**/*.test, has the format of cockroachdb/datadriven: a
// line with a command and its arguments, its input, a line of four dashes, the
// expected answer. Every script has its own copy of the lake and one
// connection, so that USE and SET last. The commands:
//
//	query   one statement; its rows, tab separated, below a line of column names
//	exec    one statement whose rows do not matter; "ok"
//	error   one statement that is refused: MySQL number, SQLSTATE and message
//	spark   as query, but the answer is Spark's: -rewrite does not touch it
//	check   the table named by the argument has the rows that Spark wrote, misses
//	        no file and has none left over; "ok", or what is wrong. With the
//	        argument files the rows may differ
//	io      one statement; the S3 requests that it made, sorted and counted
//	view    no statement: a view is put into the catalog, under the name of the
//	        first argument; its columns and types are the first line, its text
//	        the others. catalog= and namespace= are its defaults, dialect= is
//	        spark if it is not given
//	args    no statement: the values, one a line, for the ? of the next one
//
// Arguments of query and spark: rowsort sorts the rows, nohead leaves out the
// names, hide=(a,b) replaces the values of columns that differ from run to run,
// prepared runs the statement as a prepared one too and wants the same answer.
// Where an answer differs from Spark's on purpose, a comment beside it says
// why.
//
// A tab, newline or backslash in a value is written \t, \n, \\; NULL is NULL and
// a control character \x and two digits.
//
// To write answers anew: go test ./internal/sqltest -rewrite.
package sqltest
