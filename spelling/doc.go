// Package spelling has words for messages: the known name that a mistyped one was
// meant to be, and numbers of things.
package spelling
