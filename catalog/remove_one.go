package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	iceio "github.com/apache/iceberg-go/io"
	"gocloud.dev/gcerrors"
)

// Remove removes a file with one request, which is sent once. The error wraps
// fs.ErrNotExist if the file is not there, and ErrBusy if trying again later may
// help.
func Remove(ctx context.Context, store iceio.IO, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := store.Remove(path)
	bucket, ok := store.(pages)
	if !ok || err == nil {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) {
		// Google's library says the same of an object that may not be removed. The
		// path is one of this bucket: Remove has looked.
		again := bucket.Delete(ctx, strings.TrimLeft(pathOf(path), "/"))
		if again == nil || isDenied(again) {
			err = again
		}
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return blobError(fmt.Errorf("remove %q: %w", path, err))
}

// isDenied recognises by its text the answer 403 of Google's store.
func isDenied(err error) bool { return strings.Contains(err.Error(), "Error 403") }

// blobError joins ErrBusy to the error of a bucket that is busy.
func blobError(err error) error {
	if gcerrors.Code(err) == gcerrors.ResourceExhausted || strings.Contains(err.Error(), "ServerBusy") || strings.Contains(err.Error(), "Error 503") {
		return errors.Join(ErrBusy, err)
	}
	return err
}
