// Package scratchtest is scratch space for tests.
package scratchtest
