package catalog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"github.com/firndb/firn/guard"
)

// MostBulk is how many files one request to remove may have (S3's limit).
const MostBulk = 1000

// BulkRemover removes many files with few requests, each of which is sent once.
type BulkRemover interface {
	// RemoveAll removes files and returns an error, or nil, for each; a file that
	// is not there is removed. The error wraps ErrBusy if trying again later may
	// help, and ctx's error if that is done.
	RemoveAll(ctx context.Context, paths []string) []error
}

// BulkOf is the way to remove many files of a store at once, nil if the store
// has none. The files may be in any bucket that the store's credentials are for.
func BulkOf(store iceio.IO) BulkRemover {
	client := clientOf(store)
	if client == nil {
		return nil
	}
	return &s3Remover{client: client}
}

// clientOf is the S3 client behind a store, nil if there is none.
func clientOf(store iceio.IO) *s3.Client {
	var client *s3.Client
	if bucket, ok := store.(interface{ As(target any) bool }); !ok || !bucket.As(&client) {
		return nil
	}
	return client
}

// Backoff is how long to wait before a request is sent again that has been sent
// so often, once or more, to a busy store. It doubles from 0.2 to 20 seconds; half
// of it is random, so that requests refused together do not meet again.
func Backoff(sent int) time.Duration {
	most := 20 * time.Second
	if sent < 8 {
		most = min(most, 200*time.Millisecond<<(max(sent, 1)-1))
	}
	return most/2 + rand.N(most/2)
}

// MostTries is how often a request is sent to a busy store.
const MostTries = 10

type s3Remover struct {
	client *s3.Client
	// single says that the store has no DeleteObjects.
	single atomic.Bool
}

// RemoveAll implements BulkRemover.
func (r *s3Remover) RemoveAll(ctx context.Context, paths []string) []error {
	errs := make([]error, len(paths))
	byBucket := map[string][]int{}
	for i, path := range paths {
		bucket, key, err := s3Object(path)
		if errs[i] = err; err == nil && key == "" {
			errs[i] = fmt.Errorf("remove %q: it names no object", path)
		}
		if errs[i] == nil {
			byBucket[bucket] = append(byBucket[bucket], i)
		}
	}
	for bucket, all := range byBucket {
		var plain, odd []int
		for _, i := range all {
			if _, key, _ := s3Object(paths[i]); strings.ContainsFunc(key, notInXML) {
				odd = append(odd, i)
			} else {
				plain = append(plain, i)
			}
		}
		for chunk := range slices.Chunk(plain, MostBulk) {
			r.removeMany(ctx, bucket, paths, chunk, errs)
		}
		r.removeEach(ctx, bucket, paths, odd, errs)
	}
	return errs
}

// notInXML says whether a request in XML cannot have a character.
func notInXML(c rune) bool { return c < 0x20 || c == 0xFFFE || c == 0xFFFF || c == '\uFFFD' }

// once sends a request without the client's own repetitions.
func once(o *s3.Options) { o.Retryer = aws.NopRetryer{} }

// removeMany removes the paths with the given numbers.
func (r *s3Remover) removeMany(ctx context.Context, bucket string, paths []string, numbers []int, errs []error) {
	if r.single.Load() {
		r.removeEach(ctx, bucket, paths, numbers, errs)
		return
	}
	objects := make([]types.ObjectIdentifier, len(numbers))
	at := make(map[string]int, len(numbers))
	for n, i := range numbers {
		_, key, _ := s3Object(paths[i])
		objects[n].Key = &key
		at[key] = i
	}
	input := &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: objects, Quiet: aws.Bool(true)}}
	output, err := r.client.DeleteObjects(ctx, input, once)
	if isUnknownRequest(err) {
		r.single.Store(true)
		r.removeEach(ctx, bucket, paths, numbers, errs)
		return
	}
	if err != nil {
		for _, i := range numbers {
			errs[i] = storeError("remove", paths[i], err)
		}
		return
	}
	for _, failed := range output.Errors {
		if i, ok := at[aws.ToString(failed.Key)]; ok {
			errs[i] = keyError(paths[i], failed)
		}
	}
}

// removeEach sends a request for each file.
func (r *s3Remover) removeEach(ctx context.Context, bucket string, paths []string, numbers []int, errs []error) {
	var group errgroup.Group
	group.SetLimit(16)
	for _, i := range numbers {
		guard.Go(&group, func() error {
			_, key, _ := s3Object(paths[i])
			if _, err := r.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key}, once); err != nil && !isMissingObject(err) {
				errs[i] = storeError("remove", paths[i], err)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// s3Object takes a location apart. The key is as it stands there.
func s3Object(location string) (bucket, key string, err error) {
	scheme, rest, ok := strings.Cut(location, "://")
	if !ok || !slices.Contains([]string{"s3", "s3a", "s3n", "oss"}, scheme) {
		return "", "", fmt.Errorf("%q is no location in a bucket of S3", location)
	}
	if bucket, key, _ = strings.Cut(rest, "/"); bucket == "" {
		return "", "", fmt.Errorf("%q names no bucket", location)
	}
	return bucket, key, nil
}

// keyError is the error for a file that a request for many could not remove.
func keyError(path string, failed types.Error) error {
	code := aws.ToString(failed.Code)
	if code == "NoSuchKey" {
		return nil
	}
	err := fmt.Errorf("remove %q: %s: %s", path, code, aws.ToString(failed.Message))
	if slices.Contains(busyCodes(), code) {
		return errors.Join(ErrBusy, err)
	}
	return err
}
