// Package sortorder reads the text of the argument sort_order of Spark's
// rewrite_data_files and binds it to a table.
//
// An order is either a list of fields, each a column or a transform of one with
// a direction and a place for nulls, or a curve: a space-filling order,
// zorder(a, b) or hilbert(a, b), over several columns. [Parse] knows no table;
// [Order.Bind] finds the columns and checks their types, and [Table] is the
// order that a table has of its own.
//
// The grammar is that of Iceberg's extension of Spark's SQL (rule singleOrder of
// IcebergSqlExtensions.g4).
package sortorder
