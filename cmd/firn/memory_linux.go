package main

import "syscall"

// machineMemory is how much memory the machine has, in bytes.
func machineMemory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 4 * memoryTarget
	}
	return int64(info.Totalram) * int64(info.Unit)
}
