package catalog

import (
	"context"
	"io"

	iceio "github.com/apache/iceberg-go/io"
)

// Upload is a file being written. It is there once Close has returned nil.
type Upload interface {
	io.WriteCloser
	// Abort gives up a file that is not closed. Of S3 nothing is left, not even
	// parts; elsewhere the file may remain as far as it is written.
	Abort()
}

// Create begins a file. S3 gets large ones in parts of 64 MiB, of which two are
// in memory: one is sent while the other is filled. What is sent ends with ctx.
func Create(ctx context.Context, store iceio.WriteFileIO, path string) (Upload, error) {
	if client := clientOf(store); client != nil {
		bucket, key, err := s3Object(path)
		if err != nil {
			return nil, err
		}
		return &s3Upload{ctx: ctx, client: client, bucket: bucket, key: key}, nil
	}
	file, err := store.Create(path)
	if err != nil {
		return nil, err
	}
	return &fileUpload{file}, nil
}

// fileUpload is a file of a store that is not S3.
type fileUpload struct{ iceio.FileWriter }

func (u *fileUpload) Abort() { u.Close() }
