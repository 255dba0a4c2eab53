package rewrite

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/catalog"
	"github.com/firndb/firn/maintenance"
)

// place is where the new files of a partition go, and which there are.
type place struct {
	out          *output
	partition    map[int]any
	folder, name string
	files        []iceberg.DataFile
	// paths are all files begun.
	paths []string
}

// place is that of a partition's files; names begin with name.
func (o *output) place(name string, partition map[int]any) *place {
	return &place{out: o, partition: partition, folder: maintenance.PartitionValuesPath(o.meta, o.spec, partition), name: name}
}

// create begins a file whose name is unique in the table.
func (p *place) create(ctx context.Context) (string, io.WriteCloser, error) {
	path := p.out.places.path(p.folder, fmt.Sprintf("%s-%s-%05d%s.%s", p.name, p.out.run, len(p.paths), p.out.suffix, strings.ToLower(string(p.out.format))))
	p.paths = append(p.paths, path)
	file, err := catalog.Create(ctx, p.out.fs, path)
	if err != nil {
		return "", nil, fmt.Errorf("create data file %q: %w", path, err)
	}
	return path, file, nil
}

func (p *place) add(df iceberg.DataFile) error {
	p.files = append(p.files, df)
	return nil
}

// sink begins files as a rolling writer wants them.
func (p *place) sink(ctx context.Context) func() (string, io.WriteCloser, error) {
	return func() (string, io.WriteCloser, error) { return p.create(ctx) }
}

// abort gives up a file that is being written.
func abort(file io.WriteCloser) {
	if upload, ok := file.(catalog.Upload); ok {
		upload.Abort()
		return
	}
	file.Close()
}
