// Package fetched reads files of an object store several times but fetches no byte
// twice: what was fetched is kept in scratch space.
package fetched
