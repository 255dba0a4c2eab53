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
// The engine decides by a function's name whether it is an aggregate and knows
// no names but its own. Another aggregate becomes any_value(f(x)), or max(f(x))
// before OVER, which the engine's grammar takes for aggregates; f(x) alone has
// no value. LATERAL VIEW becomes a join with a table of positions, and a column
// of the view what is at the position.
//
// # Functions the engine must have
//
//	struct_field(x, 'name')    a field of a struct, from the path x.name
//	element_at_index(x, k)     x[k]: 0-based for arrays, where it must be there, by key for maps
//	element_or_null(x, k)      get(x, k): as x[k], NULL when absent
//	timestamp_literal('text')  TIMESTAMP 'text'; without a zone in the session's time zone
//	date_literal('text')       DATE 'text'
//	cast_as(x, 'type')         CAST(x AS type) with a type of Spark's; try_cast_as is TRY_CAST
//	plus, minus, times, divide, divide_whole, remainder, bits_not
//	                           the operators + - * / DIV % ~
//	first_of(x, skip)          the aggregate FIRST, of which NULLs are skipped or not; last_of
//	aggregate_where(c, f(x))   f(x) FILTER (WHERE c)
//	aggregate_distinct(f(x))   f(DISTINCT x)
//	substring_of(s, p, n)      SUBSTRING, for which the engine's grammar has its own meaning
//	explode_positions(x)       the positions in an array or map, as a JSON array; also with _outer
//	explode_element(x, p)      what is at a position; explode_key, explode_value of a map
//	field_at(x, n)             field n of a struct
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
