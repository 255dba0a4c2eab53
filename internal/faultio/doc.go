// Package faultio makes the world fail at a chosen step.
//
// A step is one thing that a table's file system or catalog does for the code
// under test: open, read, create, write, close, remove, list, commit. What has
// an effect is two steps, before it and after it: failing after it is what a
// lost answer looks like. [Faults] counts the steps and fails one of them; in
// mode [Crash] all later ones too, as if the process had died there.
//
// [S3] is a store that is busy, slow or refuses requests over its protocol.
//
// A crash test is one loop, [Sweep]: fail step 0, 1, 2 … until the code passes
// untouched.
package faultio
