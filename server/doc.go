// Package server speaks the MySQL protocol. It is the only package that knows
// both the SQL engine and Iceberg: it shows catalogs as databases, tables and
// metadata tables as tables, and runs procedures for CALL.
//
// The nouns: a database is a namespace of a catalog, or a table whose metadata
// tables are its tables; a statement is one command of a connection, for which
// every table is pinned to one version; a nested value is a struct, list or
// map, which is JSON on the wire and has typed parts inside the engine.
//
// Instants are kept inside the engine as wall-clock times of the session's
// time zone, in [time.UTC]: that is what MySQL's DATETIME is. They become wall
// clock when a row is read and instants again when a procedure gets them.
package server
