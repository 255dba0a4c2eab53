package lakefixture

import (
	"bytes"
	"crypto/md5"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/johannesboyne/gofakes3"
)

// backend serves the store as the one bucket of an S3 server.
type backend struct{ *store }

var errOneBucket = gofakes3.ErrorMessage(gofakes3.ErrNotImplemented, "the lake has one bucket, for good")

func (b backend) ListBuckets() ([]gofakes3.BucketInfo, error) {
	return []gofakes3.BucketInfo{{Name: Bucket, CreationDate: gofakes3.NewContentTime(written)}}, nil
}

func (b backend) BucketExists(name string) (bool, error) { return name == Bucket, nil }
func (b backend) CreateBucket(string) error              { return errOneBucket }
func (b backend) DeleteBucket(string) error              { return errOneBucket }
func (b backend) ForceDeleteBucket(string) error         { return errOneBucket }

func (b backend) ListBucket(name string, prefix *gofakes3.Prefix, page gofakes3.ListBucketPage) (*gofakes3.ObjectList, error) {
	if name != Bucket {
		return nil, gofakes3.BucketNotFound(name)
	}
	if prefix == nil {
		prefix = &gofakes3.Prefix{}
	}
	list := gofakes3.NewObjectList()
	var found int64
	var folder string
	for _, key := range b.keys(prefix.Prefix) {
		var match gofakes3.PrefixMatch
		if !prefix.Match(key, &match) || key <= page.Marker {
			continue
		}
		if match.CommonPrefix && (match.MatchedPart == folder || strings.HasPrefix(page.Marker, match.MatchedPart)) {
			continue // the folder is listed, here or on the page before
		}
		if page.MaxKeys > 0 && found == page.MaxKeys {
			list.IsTruncated = true
			break
		}
		found++
		list.NextMarker = key
		if match.CommonPrefix {
			folder = match.MatchedPart
			list.AddPrefix(folder)
			continue
		}
		o, err := b.stat(key)
		if err != nil {
			continue // removed since the keys were listed
		}
		list.Add(&gofakes3.Content{Key: key, Size: o.size, LastModified: gofakes3.NewContentTime(o.modified), ETag: `"0"`})
	}
	if !list.IsTruncated {
		list.NextMarker = ""
	}
	return list, nil
}

func (b backend) HeadObject(bucket, key string) (*gofakes3.Object, error) {
	o, err := b.GetObject(bucket, key, nil)
	if err != nil {
		return nil, err
	}
	o.Contents = io.NopCloser(bytes.NewReader(nil))
	return o, nil
}

func (b backend) GetObject(bucket, key string, want *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	if bucket != Bucket {
		return nil, gofakes3.BucketNotFound(bucket)
	}
	o, err := b.stat(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, gofakes3.KeyNotFound(key)
	}
	content, err := b.get(key)
	if err != nil {
		return nil, err
	}
	part, err := want.Range(int64(len(content)))
	if err != nil {
		return nil, err
	}
	sum := md5.Sum(content)
	if part != nil {
		content = content[part.Start : part.Start+part.Length]
	}
	return &gofakes3.Object{
		Name:     key,
		Metadata: map[string]string{"Last-Modified": o.modified.Format(http.TimeFormat)},
		Size:     o.size,
		Contents: io.NopCloser(bytes.NewReader(content)),
		Hash:     sum[:],
		Range:    part,
	}, nil
}

func (b backend) PutObject(bucket, key string, _ map[string]string, input io.Reader, size int64, conditions *gofakes3.PutConditions) (gofakes3.PutObjectResult, error) {
	if bucket != Bucket {
		return gofakes3.PutObjectResult{}, gofakes3.BucketNotFound(bucket)
	}
	content, err := gofakes3.ReadAll(input, size)
	if err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	return gofakes3.PutObjectResult{}, b.putIf(key, content, func(exists bool) error {
		if conditions == nil {
			return nil
		}
		return gofakes3.CheckPutConditions(conditions, &gofakes3.ConditionalObjectInfo{Exists: exists})
	})
}

func (b backend) DeleteObject(bucket, key string) (gofakes3.ObjectDeleteResult, error) {
	if bucket != Bucket {
		return gofakes3.ObjectDeleteResult{}, gofakes3.BucketNotFound(bucket)
	}
	b.remove(key)
	return gofakes3.ObjectDeleteResult{}, nil
}

func (b backend) DeleteMulti(bucket string, keys ...string) (gofakes3.MultiDeleteResult, error) {
	if bucket != Bucket {
		return gofakes3.MultiDeleteResult{}, gofakes3.BucketNotFound(bucket)
	}
	var result gofakes3.MultiDeleteResult
	for _, key := range keys {
		b.remove(key)
		result.Deleted = append(result.Deleted, gofakes3.ObjectID{Key: key})
	}
	return result, nil
}

func (b backend) CopyObject(srcBucket, srcKey, dstBucket, dstKey string, meta map[string]string) (gofakes3.CopyObjectResult, error) {
	return gofakes3.CopyObject(b, srcBucket, srcKey, dstBucket, dstKey, meta)
}
