// Package server speaks the MySQL protocol. It is the only package that knows
// both the SQL engine and Iceberg: it shows catalogs as databases, tables and
// metadata tables as tables, and runs procedures for CALL.
package server
