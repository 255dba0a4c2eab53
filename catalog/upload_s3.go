package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// partBytes is how long the parts of an upload are, but for the last. S3 takes
// 10,000 of them.
const partBytes = 64 << 20

// abortTime bounds how long giving up an upload takes.
const abortTime = 30 * time.Second

// s3Upload writes an object: in one request if it is not longer than a part, or
// else part by part. Parts are numbered from 1.
type s3Upload struct {
	ctx         context.Context
	client      *s3.Client
	bucket, key string

	// filling is the part that is being written to, spare one that has been sent.
	filling, spare []byte
	// id is that of an upload in parts, once it has begun.
	id     *string
	parts  []types.CompletedPart
	flying chan sent
	err    error
	closed bool
}

// sent is a part that S3 has, or refused.
type sent struct {
	part   types.CompletedPart
	buffer []byte
	err    error
}

// Write takes bytes. An error of an earlier part is returned by a later write.
func (u *s3Upload) Write(p []byte) (int, error) {
	if u.closed {
		return 0, &fs.PathError{Op: "write", Path: u.key, Err: fs.ErrClosed}
	}
	n := 0
	for n < len(p) && u.err == nil {
		if len(u.filling) == partBytes {
			u.err = u.send()
			continue
		}
		take := min(len(p)-n, partBytes-len(u.filling))
		u.filling = append(u.filling, p[n:n+take]...)
		n += take
	}
	return n, u.err
}

// send waits until the part before is there, and begins to send the one that is
// full.
func (u *s3Upload) send() error {
	if u.id == nil {
		out, err := u.client.CreateMultipartUpload(u.ctx, &s3.CreateMultipartUploadInput{Bucket: &u.bucket, Key: &u.key})
		if err != nil {
			return u.wrap(err)
		}
		u.id = out.UploadId
	}
	if err := u.land(); err != nil {
		return err
	}
	number, body := int32(len(u.parts)+1), u.filling
	u.filling, u.spare = u.spare[:0], nil
	u.flying = make(chan sent, 1)
	go func(done chan<- sent) {
		out, err := u.client.UploadPart(u.ctx, &s3.UploadPartInput{
			Bucket: &u.bucket, Key: &u.key, UploadId: u.id, PartNumber: &number, Body: bytes.NewReader(body),
		})
		s := sent{buffer: body, err: err}
		if err == nil {
			s.part = types.CompletedPart{
				PartNumber: &number, ETag: out.ETag,
				ChecksumCRC32: out.ChecksumCRC32, ChecksumCRC32C: out.ChecksumCRC32C, ChecksumCRC64NVME: out.ChecksumCRC64NVME,
				ChecksumSHA1: out.ChecksumSHA1, ChecksumSHA256: out.ChecksumSHA256,
			}
		}
		done <- s
	}(u.flying)
	return nil
}

// land waits for the part that is being sent.
func (u *s3Upload) land() error {
	if u.flying == nil {
		return nil
	}
	s := <-u.flying
	u.flying, u.spare = nil, s.buffer
	if s.err != nil {
		return u.wrap(s.err)
	}
	u.parts = append(u.parts, s.part)
	return nil
}

// Close makes the object. After an error there is none, unless the answer to the
// last request was lost.
func (u *s3Upload) Close() error {
	if u.closed {
		return &fs.PathError{Op: "close", Path: u.key, Err: fs.ErrClosed}
	}
	if u.err == nil {
		u.err = u.complete()
	}
	if u.err != nil {
		u.Abort()
	}
	u.closed = true
	u.filling, u.spare = nil, nil
	return u.err
}

func (u *s3Upload) complete() error {
	if u.id == nil {
		_, err := u.client.PutObject(u.ctx, &s3.PutObjectInput{Bucket: &u.bucket, Key: &u.key, Body: bytes.NewReader(u.filling)})
		return u.wrap(err)
	}
	if len(u.filling) > 0 {
		if err := u.send(); err != nil {
			return err
		}
	}
	if err := u.land(); err != nil {
		return err
	}
	_, err := u.client.CompleteMultipartUpload(u.ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &u.bucket, Key: &u.key, UploadId: u.id, MultipartUpload: &types.CompletedMultipartUpload{Parts: u.parts},
	})
	return u.wrap(err)
}

// Abort drops the parts, for which S3 would be paid as long as they are there. It
// does so after ctx is done too.
func (u *s3Upload) Abort() {
	if u.closed {
		return
	}
	u.closed = true
	// A part that arrives after the abort could stay.
	landed := u.land()
	if u.id == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(u.ctx), abortTime)
	defer cancel()
	_, err := u.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &u.bucket, Key: &u.key, UploadId: u.id})
	if err != nil {
		u.err = errors.Join(u.err, landed, fmt.Errorf("give up the upload: %w", u.wrap(err)))
	}
}

func (u *s3Upload) wrap(err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: "s3://" + u.bucket + "/" + u.key, Err: err}
}
