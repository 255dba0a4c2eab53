package faultio

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/io/gocloud/blobfs"
	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// Blobs is a bucket gs://b in memory, of the kind that Google's and Microsoft's
// stores are used through, which lists and removes and can be busy. It is safe for
// concurrent use.
type Blobs struct {
	mu      sync.Mutex
	objects map[string]time.Time
	busy    int
	denied  map[string]bool
	lists   []string
}

// BlobBucket is the name of the bucket.
const BlobBucket = "b"

// Errors of the bucket, as the store's own libraries have them.
var (
	errBlobMissing = errors.New("storage: object doesn't exist")
	errBlobBusy    = errors.New("googleapi: Error 429: slow down")
	errBlobDenied  = errors.New("googleapi: Error 403: you may not do that")
)

// NewBlobs makes a bucket with objects of one byte.
func NewBlobs(modified time.Time, keys ...string) *Blobs {
	b := &Blobs{objects: map[string]time.Time{}, denied: map[string]bool{}}
	for _, key := range keys {
		b.objects[key] = modified
	}
	return b
}

// Store is the file system of the bucket.
func (b *Blobs) Store(t testing.TB) iceio.IO {
	bucket := blob.NewBucket(blobDriver{b})
	t.Cleanup(func() { bucket.Close() })
	return blobfs.New(context.Background(), bucket, blobfs.DefaultObjectLocationExtractor(BlobBucket, "gs"))
}

// Busy answers the next n requests with 429.
func (b *Blobs) Busy(n int) { b.set(func() { b.busy = n }) }

// Deny refuses to remove an object.
func (b *Blobs) Deny(key string) { b.set(func() { b.denied[key] = true }) }

// Keys are those of the objects, sorted.
func (b *Blobs) Keys() (keys []string) {
	b.set(func() { keys = slices.Sorted(maps.Keys(b.objects)) })
	return keys
}

// Lists are the prefixes that were listed, with a star behind those listed flat.
func (b *Blobs) Lists() (lists []string) {
	b.set(func() { lists = slices.Sorted(slices.Values(b.lists)) })
	return lists
}

func (b *Blobs) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

// spare answers that the bucket is busy, as often as it is to. The lock is held.
func (b *Blobs) spare() error {
	if b.busy > 0 {
		b.busy--
		return errBlobBusy
	}
	return nil
}

// blobDriver is what the library asks of a bucket; what is left out is not used.
type blobDriver struct{ *Blobs }

func (d blobDriver) ListPaged(ctx context.Context, opts *driver.ListOptions) (*driver.ListPage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := errors.Join(ctx.Err(), d.spare()); err != nil {
		return nil, err
	}
	if len(opts.PageToken) == 0 {
		name := opts.Prefix
		if opts.Delimiter == "" {
			name += "*"
		}
		d.lists = append(d.lists, name)
	}
	page, last := &driver.ListPage{}, ""
	for _, key := range slices.Sorted(maps.Keys(d.objects)) {
		if !strings.HasPrefix(key, opts.Prefix) {
			continue
		}
		object := &driver.ListObject{Key: key, ModTime: d.objects[key], Size: 1}
		if folder, _, ok := strings.Cut(key[len(opts.Prefix):], "/"); ok && opts.Delimiter != "" {
			object = &driver.ListObject{Key: opts.Prefix + folder + "/", IsDir: true}
		}
		if object.Key == last || object.Key <= string(opts.PageToken) {
			continue
		}
		if len(page.Objects) == 2 { // pages are small, so that there are several
			page.NextPageToken = []byte(last)
			break
		}
		last = object.Key
		page.Objects = append(page.Objects, object)
	}
	return page, nil
}

func (d blobDriver) Delete(ctx context.Context, key string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := errors.Join(ctx.Err(), d.spare()); err != nil {
		return err
	}
	if d.denied[key] {
		return errBlobDenied
	}
	if _, ok := d.objects[key]; !ok {
		return errBlobMissing
	}
	delete(d.objects, key)
	return nil
}

// ErrorCode is that of Google's driver, which takes what is denied to be missing.
func (d blobDriver) ErrorCode(err error) gcerrors.ErrorCode {
	switch {
	case errors.Is(err, errBlobMissing), errors.Is(err, errBlobDenied):
		return gcerrors.NotFound
	case errors.Is(err, errBlobBusy):
		return gcerrors.ResourceExhausted
	}
	return gcerrors.Unknown
}

func (d blobDriver) As(any) bool             { return false }
func (d blobDriver) ErrorAs(error, any) bool { return false }
func (d blobDriver) Close() error            { return nil }

// errNotNeeded is the answer to what nobody asks.
var errNotNeeded = errors.New("the bucket lists and removes, no more")

func (d blobDriver) Attributes(context.Context, string) (*driver.Attributes, error) {
	return nil, errNotNeeded
}

func (d blobDriver) NewRangeReader(context.Context, string, int64, int64, *driver.ReaderOptions) (driver.Reader, error) {
	return nil, errNotNeeded
}

func (d blobDriver) NewTypedWriter(context.Context, string, string, *driver.WriterOptions) (driver.Writer, error) {
	return nil, errNotNeeded
}

func (d blobDriver) Copy(context.Context, string, string, *driver.CopyOptions) error {
	return errNotNeeded
}

func (d blobDriver) SignedURL(context.Context, string, *driver.SignedURLOptions) (string, error) {
	return "", errNotNeeded
}
