package main

import (
	"errors"
	"os"
	"runtime/pprof"
)

// profiled does the work and writes where its processor time went to the file
// at path, for go tool pprof; no path, no profile.
func profiled(path string, work func() error) error {
	if path == "" {
		return work()
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = work()
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}
