//go:build linux || darwin

package journal

import (
	"os"
	"syscall"
)

// lock takes the lock of a file, which its closing or the death of the process
// gives back. It fails at once if another has it.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
