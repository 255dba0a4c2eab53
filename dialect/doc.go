// Package dialect turns Spark's SQL as people type it into statements of the
// SQL engine's grammar. It knows no Iceberg.
package dialect
