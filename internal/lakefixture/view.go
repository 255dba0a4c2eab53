package lakefixture

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// view is the bucket as a file system for reading, behind the server's back.
type view struct{ store *store }

// open is the view as a table's file system.
func (v view) open(context.Context) (iceio.IO, error) { return v, nil }

func (v view) Open(name string) (iceio.File, error) {
	key, err := keyOf(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	o, err := v.store.stat(key)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	content, err := v.store.get(key)
	if err != nil {
		return nil, err
	}
	return &viewFile{Reader: bytes.NewReader(content), name: path.Base(key), object: o}, nil
}

func (v view) Remove(name string) error {
	return &fs.PathError{Op: "remove", Path: name, Err: errReadOnly}
}

// keyOf is the key of a path such as s3://lake/wh/….
func keyOf(name string) (string, error) {
	key, ok := strings.CutPrefix(name, "s3://"+Bucket+"/")
	if !ok {
		return "", fmt.Errorf("path %q is not of bucket %q", name, Bucket)
	}
	return key, nil
}

// tableAt reads the table whose metadata is at location.
func (v view) tableAt(ident table.Identifier, location string) (*table.Table, error) {
	key, err := keyOf(location)
	if err != nil {
		return nil, err
	}
	content, err := v.store.get(key)
	if err != nil {
		return nil, err
	}
	metadata, err := table.ParseMetadataBytes(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", location, err)
	}
	return table.New(ident, metadata, location, v.open, nil), nil
}

// viewFile is an object, opened.
type viewFile struct {
	*bytes.Reader
	name   string
	object object
}

func (f *viewFile) Close() error               { return nil }
func (f *viewFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *viewFile) Name() string               { return f.name }
func (f *viewFile) Mode() fs.FileMode          { return 0o444 }
func (f *viewFile) ModTime() time.Time         { return f.object.modified }
func (f *viewFile) IsDir() bool                { return false }
func (f *viewFile) Sys() any                   { return nil }
