// Package spelling finds the known name that a mistyped one was meant to be,
// for messages that say what is allowed.
package spelling
