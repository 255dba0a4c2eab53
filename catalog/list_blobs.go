package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"gocloud.dev/blob"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

// pages is what a bucket of Google's or Microsoft's store has to offer.
type pages interface {
	ListPage(ctx context.Context, token []byte, size int, opts *blob.ListOptions) (objects []*blob.ListObject, next []byte, err error)
	Delete(ctx context.Context, key string) error
}

// pageObjects is how many objects a page is asked to have.
const pageObjects = 1000

// blobLister lists a bucket folder by folder, several at once.
type blobLister struct {
	ctx     context.Context
	bucket  pages
	root    string
	group   *errgroup.Group
	listing Listing
	emit    func([]Object) error
	// there says that something has been found, hidden or not.
	there atomic.Bool
}

// listBlobs lists the objects below a location: the first levels folder by
// folder, side by side, and flat what is below them.
func listBlobs(ctx context.Context, bucket pages, root string, l Listing, emit func([]Object) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(l.Parallel)
	b := &blobLister{ctx: ctx, bucket: bucket, group: group, listing: l, emit: emit}
	if key := strings.TrimLeft(pathOf(root), "/"); key != "" {
		b.root = key + "/"
	}
	guard.Go(group, func() error { return b.folder(b.root, 1) })
	if err := group.Wait(); err != nil {
		return err
	}
	if !b.there.Load() {
		return &fs.PathError{Op: "list", Path: root, Err: fs.ErrNotExist}
	}
	return nil
}

// folder lists what is in a folder, and starts to list the folders in it.
func (b *blobLister) folder(prefix string, depth int) error {
	opts := &blob.ListOptions{Prefix: prefix}
	if depth <= deepest {
		opts.Delimiter = "/"
	}
	for token := blob.FirstPageToken; len(token) > 0; {
		page, err := patient(b.ctx, b.listing, func() ([]*blob.ListObject, error) {
			page, next, err := b.bucket.ListPage(b.ctx, token, pageObjects, opts)
			if err != nil {
				return nil, blobError(fmt.Errorf("list %q: %w", prefix, err))
			}
			token = next
			return page, nil
		})
		if err != nil {
			return err
		}
		if err := b.take(page, prefix, depth); err != nil {
			return err
		}
	}
	return nil
}

// take hands over the objects of a page, but for hidden ones.
func (b *blobLister) take(page []*blob.ListObject, prefix string, depth int) error {
	var objects []Object
	for _, o := range page {
		b.there.Store(true)
		below := strings.TrimPrefix(o.Key, b.root)
		switch {
		case o.IsDir:
			if b.listing.hidden(strings.Trim(strings.TrimPrefix(o.Key, prefix), "/")) {
				continue
			}
			inner := func() error { return b.folder(o.Key, depth+1) }
			if guard.TryGo(b.group, inner) {
				continue
			}
			if err := inner(); err != nil {
				return err
			}
		case below == "" || strings.HasSuffix(below, "/") || b.listing.hiddenBelow(below):
		default:
			bytes, modified := o.Size, o.ModTime
			objects = append(objects, Object{Below: below, Stat: func() (int64, time.Time, error) { return bytes, modified, nil }})
		}
	}
	if len(objects) == 0 {
		return b.ctx.Err()
	}
	return b.emit(objects)
}
