package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

const (
	// deepest is how many levels of folders are looked at one by one to find parts
	// that can be listed side by side.
	deepest = 3
	// Of few folders in one, each is a part; of more, so many together are.
	few, together = 16, 64
)

// s3Lister lists a bucket.
type s3Lister struct {
	ctx     context.Context
	client  *s3.Client
	bucket  string
	root    string
	group   *errgroup.Group
	listing Listing
	emit    func([]Object) error
	// there says that something has been found, hidden or not.
	there atomic.Bool
}

// listS3 lists the objects below a location: the first levels folder by folder,
// what is below them flat, in ranges of keys.
func listS3(ctx context.Context, client *s3.Client, root string, l Listing, emit func([]Object) error) error {
	bucket, key, err := s3Object(root)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(l.Parallel)
	s := &s3Lister{ctx: ctx, client: client, bucket: bucket, group: group, listing: l, emit: emit}
	if key != "" {
		s.root = key + "/"
	}
	guard.Go(group, func() error { return s.split(s.root, 1) })
	if err := group.Wait(); err != nil {
		return err
	}
	if !s.there.Load() {
		return &fs.PathError{Op: "list", Path: root, Err: fs.ErrNotExist}
	}
	return nil
}

// start runs a part of the listing, at once if all hands are full.
func (s *s3Lister) start(part func() error) error {
	if guard.TryGo(s.group, part) {
		return nil
	}
	return part()
}

// split lists the objects in a folder, and the folders in it as parts.
func (s *s3Lister) split(folder string, depth int) error {
	in := &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &folder, Delimiter: aws.String("/")}
	for {
		page, err := s.page(in)
		if err != nil {
			return err
		}
		if len(page.Contents)+len(page.CommonPrefixes) > 0 {
			s.there.Store(true)
		}
		if err := s.found(page.Contents, nil); err != nil {
			return err
		}
		if err := s.parts(folder, depth, page.CommonPrefixes); err != nil {
			return err
		}
		if in.ContinuationToken = page.NextContinuationToken; in.ContinuationToken == nil {
			return nil
		}
	}
}

// parts starts to list folders in a folder, which are in order.
func (s *s3Lister) parts(folder string, depth int, prefixes []types.CommonPrefix) error {
	var inner []string
	for _, p := range prefixes {
		prefix := aws.ToString(p.Prefix)
		if name := strings.TrimSuffix(strings.TrimPrefix(prefix, folder), "/"); !s.listing.hidden(name) {
			inner = append(inner, prefix)
		}
	}
	size := together
	if len(inner) <= few {
		size = 1
	}
	for len(inner) > 0 {
		n := min(size, len(inner))
		first, last := inner[0], inner[n-1]
		inner = inner[n:]
		part := func() error { return s.flat(folder, first, last) }
		if n == 1 && depth < deepest {
			part = func() error { return s.split(first, depth+1) }
		}
		if err := s.start(part); err != nil {
			return err
		}
	}
	return nil
}

// flat lists all that is below folders in a folder, from the first to the last.
func (s *s3Lister) flat(folder, first, last string) error {
	in := &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &folder, StartAfter: &first}
	if first == last {
		in.Prefix, in.StartAfter = &first, nil
	}
	for {
		page, err := s.page(in)
		if err != nil {
			return err
		}
		objects, past := page.Contents, false
		for i, o := range objects {
			if key := aws.ToString(o.Key); key > last && !strings.HasPrefix(key, last) {
				objects, past = objects[:i], true
				break
			}
		}
		// What is in the folder itself has been found when it was split.
		if err := s.found(objects, func(key string) bool { return !strings.Contains(strings.TrimPrefix(key, folder), "/") }); err != nil {
			return err
		}
		if in.ContinuationToken = page.NextContinuationToken; past || in.ContinuationToken == nil {
			return nil
		}
	}
}

// page asks for a page, again if the store is busy.
func (s *s3Lister) page(in *s3.ListObjectsV2Input) (*s3.ListObjectsV2Output, error) {
	return patient(s.ctx, s.listing, func() (*s3.ListObjectsV2Output, error) {
		page, err := s.client.ListObjectsV2(s.ctx, in, once)
		if err != nil {
			return nil, storeError("list", fmt.Sprintf("s3://%s/%s", s.bucket, aws.ToString(in.Prefix)), err)
		}
		return page, nil
	})
}

// found hands over objects, but for hidden ones and those that are known.
func (s *s3Lister) found(contents []types.Object, known func(key string) bool) error {
	objects := make([]Object, 0, len(contents))
	for _, o := range contents {
		key := aws.ToString(o.Key)
		below := strings.TrimPrefix(key, s.root)
		if below == "" || strings.HasSuffix(below, "/") || known != nil && known(key) || s.listing.hiddenBelow(below) {
			continue
		}
		bytes, modified := aws.ToInt64(o.Size), aws.ToTime(o.LastModified)
		objects = append(objects, Object{Below: below, Stat: func() (int64, time.Time, error) { return bytes, modified, nil }})
	}
	if len(objects) == 0 {
		return s.ctx.Err()
	}
	return s.emit(objects)
}
