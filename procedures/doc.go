// Package procedures holds the procedures of the system namespace, one file
// each. A procedure declares its name, parameters, options, output columns and
// documentation once, in [Info]; argument checking, EXPLAIN CALL, SHOW
// PROCEDURES, DESCRIBE PROCEDURE, information_schema and the reference under
// docs/ all come from that declaration.
//
// The package knows no SQL engine: arguments arrive as Go values, a plan is a
// list of [Step], results are rows.
package procedures
