//go:build !linux

package main

// machineMemory is taken to be enough.
func machineMemory() int64 { return 4 * memoryTarget }
