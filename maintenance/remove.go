package maintenance

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	iceio "github.com/apache/iceberg-go/io"
	"golang.org/x/sync/errgroup"
)

// Removal is what became of files that were to be removed. Each path is in
// exactly one of the lists, in the order given.
type Removal struct {
	// Removed are the files that were there and are gone.
	Removed []string
	// Missing are those that were not there, which is as good.
	Missing []string
	// Failed are those that may still be there.
	Failed []FailedRemoval
}

// FailedRemoval is a file that could not be removed.
type FailedRemoval struct {
	Path string
	Err  error
}

// defaultRemovals is how many files are removed at once unless the caller says
// otherwise. Removing waits for the store, not for a processor.
const defaultRemovals = 16

// RemoveFiles removes files, several at once: concurrency of them, or a default
// if it is below 1. A failure does not stop the others; when ctx is done, the
// files not yet begun fail with its error. A path given twice is removed once.
func RemoveFiles(ctx context.Context, store iceio.IO, paths []string, concurrency int) Removal {
	if concurrency < 1 {
		concurrency = defaultRemovals
	}
	paths = distinct(paths)
	errs := make([]error, len(paths))
	var group errgroup.Group
	group.SetLimit(concurrency)
	for i, path := range paths {
		group.Go(func() error {
			if errs[i] = ctx.Err(); errs[i] == nil {
				errs[i] = store.Remove(path)
			}
			return nil
		})
	}
	_ = group.Wait()
	var result Removal
	for i, path := range paths {
		switch err := errs[i]; {
		case err == nil:
			result.Removed = append(result.Removed, path)
		case errors.Is(err, fs.ErrNotExist):
			result.Missing = append(result.Missing, path)
		default:
			result.Failed = append(result.Failed, FailedRemoval{Path: path, Err: err})
		}
	}
	return result
}

// distinct returns paths without repetitions, in order.
func distinct(paths []string) []string {
	seen := make(map[string]bool, len(paths))
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}
