package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Tagger gives objects tags, which rules of the store may select them by.
type Tagger struct{ client *s3.Client }

// TaggerOf is the way to tag files of a store, nil if it has no tags. The files may be
// in any bucket that the store's credentials are for.
func TaggerOf(store iceio.IO) *Tagger {
	if client := clientOf(store); client != nil {
		return &Tagger{client}
	}
	return nil
}

// mostTags is how many tags an object may have (S3's limit).
const mostTags = 10

// Tag gives a file a tag beside those it has, with two requests, each of which is sent
// once, or one if it has it. A file that is not there is tagged. S3 has no condition
// for tags: one that another sets at the same moment may be lost.
//
// The error wraps ErrBusy if trying again later may help, and errors.ErrUnsupported if
// the store knows no tags.
func (t *Tagger) Tag(ctx context.Context, path, key, value string) error {
	bucket, object, err := s3Object(path)
	if err == nil && object == "" {
		err = fmt.Errorf("tag %q: it names no object", path)
	}
	if err != nil {
		return err
	}
	has, err := t.client.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: &bucket, Key: &object}, once)
	if err != nil {
		return tagError("read the tags of", path, err)
	}
	tag := types.Tag{Key: &key, Value: &value}
	tags := has.TagSet
	switch at := slices.IndexFunc(tags, func(t types.Tag) bool { return aws.ToString(t.Key) == key }); {
	case at < 0 && len(tags) >= mostTags:
		return fmt.Errorf("tag %q: it has %d tags, and %d are allowed", path, len(tags), mostTags)
	case at < 0:
		tags = append(tags, tag)
	case aws.ToString(tags[at].Value) == value:
		return nil
	default:
		tags[at] = tag
	}
	_, err = t.client.PutObjectTagging(ctx, &s3.PutObjectTaggingInput{Bucket: &bucket, Key: &object, Tagging: &types.Tagging{TagSet: tags}}, once)
	return tagError("tag", path, err)
}

func tagError(what, path string, err error) error {
	switch {
	case err == nil || isMissingObject(err):
		return nil
	case isUnknownRequest(err):
		return fmt.Errorf("%s %q: %w: %w", what, path, errors.ErrUnsupported, err)
	}
	return storeError(what, path, err)
}
