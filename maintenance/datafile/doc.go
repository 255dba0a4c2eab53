// Package datafile reads the rows of a table's data files as record batches:
// Parquet and Avro files of any of the table's schemas, less the rows that
// position deletes, equality deletes and deletion vectors delete, with the
// metadata columns that say where each row is from. Where _deleted is among
// them, the deleted rows are there too.
//
// Rows come in the order of the files and of their positions. Several files are
// read at once, ahead of the consumer by a bounded number of batches.
package datafile
