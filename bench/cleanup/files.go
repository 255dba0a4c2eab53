package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/bench/internal/lake"
)

// placed is the number of a file and that of its day.
type placed struct{ file, day int }

// touch makes empty files, last modified at a time unless that is zero.
func touch(ctx context.Context, t *lake.Table, files []placed, modified time.Time) error {
	for day := range lake.Days {
		if err := os.MkdirAll(filepath.Dir(t.DataPath(0, day)), 0o755); err != nil {
			return err
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	n := runtime.GOMAXPROCS(0)
	for worker := range n {
		group.Go(func() error {
			for i := worker; i < len(files); i += n {
				path := t.DataPath(files[i].file, files[i].day)
				err := errors.Join(ctx.Err(), os.WriteFile(path, nil, 0o644))
				if err == nil && !modified.IsZero() {
					err = os.Chtimes(path, modified, modified)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
