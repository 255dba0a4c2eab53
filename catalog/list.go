package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	iceio "github.com/apache/iceberg-go/io"
)

// Object is a file that a listing has found.
type Object struct {
	// Below is the path below the listed place, with slashes.
	Below string
	// Stat tells its length and when it was last modified. Where listing does not
	// tell that, it asks, and the error wraps fs.ErrNotExist if the file is gone.
	Stat func() (bytes int64, modified time.Time, err error)
}

// Listing says what a listing passes over and how it is done.
type Listing struct {
	// Hidden says whether files and folders of a name are passed over; nil hides
	// nothing.
	Hidden func(name string) bool
	// Parallel is how many requests or folders are read at once, at least 1.
	Parallel int
	// Wait pauses before a busy store is asked again.
	Wait func(ctx context.Context, d time.Duration) error
}

func (l Listing) hidden(name string) bool { return l.Hidden != nil && l.Hidden(name) }

// hiddenBelow says whether a path has a hidden name in it.
func (l Listing) hiddenBelow(path string) bool {
	if l.Hidden == nil {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if l.Hidden(name) {
			return true
		}
	}
	return false
}

// patient asks for a page of a listing, again if the store is busy, as often as
// MostTries says.
func patient[P any](ctx context.Context, l Listing, ask func() (P, error)) (P, error) {
	for sent := 1; ; sent++ {
		page, err := ask()
		if err == nil || !errors.Is(err, ErrBusy) || sent == MostTries || l.Wait == nil {
			return page, err
		}
		if err := l.Wait(ctx, Backoff(sent)); err != nil {
			return page, err
		}
	}
}

// List hands over the files below a place, each once, in no particular order, in
// batches of a few thousand at most; emit is called by several goroutines at
// once. Links and what else is no file are passed over, and objects that stand
// for folders.
//
// The error wraps fs.ErrNotExist if the place is not there, which in a bucket
// means that nothing is below it.
func List(ctx context.Context, store iceio.IO, root string, l Listing, emit func([]Object) error) error {
	l.Parallel = max(l.Parallel, 1)
	root = strings.TrimRight(root, "/")
	if local, ok := store.(iceio.LocalFS); ok {
		return listLocal(ctx, local, root, l, emit)
	}
	if client := clientOf(store); client != nil {
		return listS3(ctx, client, root, l, emit)
	}
	if bucket, ok := store.(pages); ok {
		return listBlobs(ctx, bucket, root, l, emit)
	}
	lister, ok := store.(iceio.ListableIO)
	if !ok {
		return fmt.Errorf("list %q: %w: the file system cannot list", root, errors.ErrUnsupported)
	}
	return walk(ctx, lister, root, l, emit)
}

// walk lists a store that can only be walked.
func walk(ctx context.Context, store iceio.ListableIO, root string, l Listing, emit func([]Object) error) error {
	top := strings.Trim(pathOf(root), "/")
	return store.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		below, ok := strings.CutPrefix(strings.TrimLeft(pathOf(path), "/"), top+"/")
		if top == "" {
			below, ok = strings.TrimLeft(pathOf(path), "/"), true
		}
		if !ok || below == "" || strings.HasSuffix(below, "/") {
			return nil // the place itself, or an object that stands for a folder
		}
		if l.hidden(below[strings.LastIndexByte(below, '/')+1:]) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || !isFile(d.Type()) {
			return nil
		}
		return emit([]Object{{Below: below, Stat: statOf(d)}})
	})
}

// isFile says whether a type is one of files. An object of a store is irregular.
func isFile(t fs.FileMode) bool {
	return t&(fs.ModeDir|fs.ModeSymlink|fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) == 0
}

func statOf(d fs.DirEntry) func() (int64, time.Time, error) {
	return func() (int64, time.Time, error) {
		info, err := d.Info()
		if err != nil {
			return 0, time.Time{}, err
		}
		return info.Size(), info.ModTime(), nil
	}
}

// pathOf is a location without scheme and authority.
func pathOf(location string) string {
	if _, rest, ok := strings.Cut(location, "://"); ok {
		_, path, _ := strings.Cut(rest, "/")
		return path
	}
	return strings.TrimPrefix(location, "file:")
}
