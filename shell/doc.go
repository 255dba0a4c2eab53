// Package shell runs SQL scripts against a server and prints the results: the
// part of firn sql and firn demo that a person sees.
package shell
