// Package nested has the structs, lists and maps of queries: a [Type], whose
// parts are types of the engine, and a [Value]. A value is JSON on the wire.
package nested
