// Package gather puts together the rows of several record batches in any order,
// column by column, without first joining the batches.
package gather
