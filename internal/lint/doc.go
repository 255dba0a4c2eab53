// Package lint holds the project's rules as tests: which package may import
// which, how long files and functions may be, and what does not belong in
// finished code. A rule that gets in the way is changed here, in the open.
package lint
