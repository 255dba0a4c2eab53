package maintenance

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	iceio "github.com/apache/iceberg-go/io"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/guard"
)

// Removal is what became of files that were to be removed. Each path is in
// exactly one of the lists, in the order given.
type Removal struct {
	// Removed are the files that are gone and were there, as far as the store
	// tells: S3 does not, and all that are gone are here.
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
// if it is below 1; where one request can remove many, so many requests. A busy
// store is asked again, ever more slowly. A failure does not stop the others;
// when ctx is done, the files not yet begun fail with its error. A path given
// twice is removed once.
func RemoveFiles(ctx context.Context, store iceio.IO, paths []string, concurrency int) Removal {
	return Env{}.removeFiles(ctx, store, paths, concurrency)
}

// removeFiles is RemoveFiles with the clock of the job.
func (e Env) removeFiles(ctx context.Context, store iceio.IO, paths []string, concurrency int) Removal {
	if concurrency < 1 {
		concurrency = defaultRemovals
	}
	paths = distinct(paths)
	errs := make([]error, len(paths))
	var group errgroup.Group
	group.SetLimit(concurrency)
	if bulk := catalog.BulkOf(store); bulk != nil {
		for from := 0; from < len(paths); from += catalog.MostBulk {
			to := min(from+catalog.MostBulk, len(paths))
			guard.Go(&group, func() error {
				e.removeMany(ctx, bulk, paths[from:to], errs[from:to])
				return nil
			})
		}
	} else {
		for i, path := range paths {
			guard.Go(&group, func() error {
				errs[i] = e.removeOne(ctx, store, path)
				return nil
			})
		}
	}
	_ = group.Wait()
	return newRemoval(paths, errs)
}

// removeOne removes a file, and asks a busy store again.
func (e Env) removeOne(ctx context.Context, store iceio.IO, path string) error {
	return e.patiently(ctx, path, func() error { return catalog.Remove(ctx, store, path) })
}

// patiently sends a request about a file, again if the store is busy.
func (e Env) patiently(ctx context.Context, path string, send func() error) error {
	for sent := 1; ; sent++ {
		err := send()
		if !errors.Is(err, catalog.ErrBusy) || sent == catalog.MostTries {
			return err
		}
		e.Logger().Debug("store is busy", "path", path, "request", sent, "error", err)
		if e.wait(ctx, catalog.Backoff(sent)) != nil {
			return err
		}
	}
}

// removeMany removes files with one request, those again for which the store was
// too busy. It sets the error of each.
func (e Env) removeMany(ctx context.Context, bulk catalog.BulkRemover, paths []string, errs []error) {
	left := make([]int, len(paths))
	for i := range left {
		left[i] = i
	}
	for sent := 1; ; sent++ {
		if err := ctx.Err(); err != nil {
			for _, i := range left {
				errs[i] = err
			}
			return
		}
		batch := make([]string, len(left))
		for n, i := range left {
			batch[n] = paths[i]
		}
		for n, err := range bulk.RemoveAll(ctx, batch) {
			errs[left[n]] = err
		}
		left = slices.DeleteFunc(left, func(i int) bool { return !errors.Is(errs[i], catalog.ErrBusy) })
		if len(left) == 0 || sent == catalog.MostTries {
			return
		}
		e.Logger().Debug("store is busy", "files", len(left), "request", sent, "error", errs[left[0]])
		if e.wait(ctx, catalog.Backoff(sent)) != nil {
			return
		}
	}
}

func newRemoval(paths []string, errs []error) Removal {
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

// mostWarnings is how many failures are told one by one; MySQL's clients are
// told of 1,024 messages at most.
const mostWarnings = 1000

// What is done to files.
const (
	deletedFiles = "deleted"
	taggedFiles  = "tagged"
)

// failures counts files that could not be removed, and keeps the first.
type failures struct {
	n     int
	first []FailedRemoval
}

func (f *failures) add(failed []FailedRemoval) {
	f.n += len(failed)
	f.first = append(f.first, failed[:min(len(failed), mostWarnings-len(f.first))]...)
}

// warn logs failures and tells them as warnings, which are shown from the last:
// their number, then each. done is what was to be done to them, what says what the
// files are, and what is to do.
func (f *failures) warn(env Env, done, what string) {
	if f.n == 0 {
		return
	}
	for _, failed := range slices.Backward(f.first) {
		env.Logger().Warn("file was not "+done, "what", what, "path", failed.Path, "error", failed.Err)
		env.Warnf("not %s: %s: %v", done, failed.Path, failed.Err)
	}
	env.Logger().Warn("files were not "+done, "what", what, "count", f.n)
	env.Warnf("%d files could not be %s: %s", f.n, done, what)
}

// warnFailed is failures.warn of deletions for what became of one removal.
func (e Env) warnFailed(failed []FailedRemoval, what string) {
	var f failures
	f.add(failed)
	f.warn(e, deletedFiles, what)
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
