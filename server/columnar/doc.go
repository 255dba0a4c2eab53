// Package columnar evaluates expressions of the SQL engine over Arrow batches:
// conditions, and the aggregates of a GROUP BY. It knows a part of the engine's
// expressions. For those its results are the engine's in value and Go type; a
// query with any other is left to the engine altogether.
//
// A leaf is a column, or a field nested in one, as an expression refers to it.
// A vector is the values of an expression for the rows of a batch. A kernel
// computes vectors; it belongs to one execution and uses its memory again from
// batch to batch.
package columnar
