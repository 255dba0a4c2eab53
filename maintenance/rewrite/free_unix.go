//go:build linux || darwin

package rewrite

import (
	"math"
	"syscall"
)

// freeBytes is how many bytes the file system of a folder has left for us; no
// bound if it does not say.
func freeBytes(dir string) int64 {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil || s.Bavail > math.MaxInt64/uint64(s.Bsize) {
		return math.MaxInt64
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
