// Package dialect turns Spark's SQL as people type it into statements of the
// SQL engine's grammar. It knows no Iceberg.
//
// A statement goes through three stages: the text becomes tokens, each with
// its place in the text; the tokens become pieces, which together are the
// statement in the engine's spelling (a piece knows the place it came from, so
// that a syntax error names a position of the text that was typed); the
// engine's own grammar parses the pieces. A statement that the engine's grammar
// already takes is not touched.
//
// What the grammar has no form for becomes an injected statement, made by
// [Statements]: CALL, SHOW PROCEDURES, DESCRIBE PROCEDURE, SHOW TBLPROPERTIES.
//
// # Nouns
//
// A name is a list of dotted parts as typed. A relation is a table, a derived
// table or a common table expression in a FROM clause; its qualifiers are the
// names by which its columns may be called. A path is a column followed by
// fields of structs.
//
// # Where Spark and MySQL differ
//
// Spark's meaning is taken: a || b joins texts; x.y is a field when x names no
// relation; a derived table needs no alias; ORDER BY takes NULLS FIRST and LAST.
// Double quotes quote a string, unless the session's ANSI_QUOTES mode is on.
//
// # Functions the engine must have
//
//	field(x, 'name')           a field of a struct, from the path x.name
//	element_at_index(x, k)     x[k]: 0-based for arrays, by key for maps, NULL when absent
//	timestamp_literal('text')  TIMESTAMP 'text'; without a zone in the session's time zone
//	date_literal('text')       DATE 'text'
//	cast_boolean(x)            CAST(x AS BOOLEAN)
//	map, array, …              functions of Spark's, under their own names
//
// # Time travel
//
// VERSION AS OF and TIMESTAMP AS OF become the engine's AS OF with one string,
// which says what it is in its first two characters: "v:" and a snapshot id,
// branch or tag; or "t:" and a time, which is Unix seconds if it is digits only
// and else the text of a timestamp. The engine's own AS OF passes its text
// through without either.
package dialect
