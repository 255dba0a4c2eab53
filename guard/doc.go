// Package guard makes a panic in a goroutine the error of what the goroutine
// works for. The statement fails then, and not the process with all others.
package guard
