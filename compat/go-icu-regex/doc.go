// Package regex stands in for github.com/dolthub/go-icu-regex, with the part of
// its interface that the SQL engine uses, on Go's own regular expressions.
//
// The original compiles a WebAssembly build of ICU whenever a process starts
// (0.2 s of processor time and 20 MB) and takes milliseconds for a pattern.
// Here start-up costs nothing and a pattern microseconds. What Go's expressions
// lack, back references and look-around, is refused as an invalid pattern.
package regex
